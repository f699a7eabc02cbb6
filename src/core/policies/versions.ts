/** Versions of a policy: each is written once, and never changed. */
import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import { type ListQuery, type ListRules, listPage } from "../../http/listQuery.ts";
import type { Subject } from "../../http/principal.ts";
import { recordAudit } from "../../people/audit/record.ts";
import { requireOrg } from "../../people/authorization/authorize.ts";
import type { Db, Tx } from "../../platform/db/client.ts";
import { NotFoundError } from "../../platform/problems/problem.ts";
import { requireRow, requireUuids } from "../../platform/problems/requireRow.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import { holdRoom } from "../../work/atMost.ts";
import { inTransaction } from "../../work/unitOfWork.ts";
import type { OnePolicyVersion, PolicyVersion } from "./answer.ts";
import type { Rules } from "./rules.ts";

export type Content =
  | { kind: "rules"; rules: Rules }
  | { kind: "rego"; source: string; wasm: Buffer; entrypoint: string }
  | { kind: "bundle"; bundle: Buffer; wasm: Buffer; entrypoint: string };

type Of = { orgId: string; policyId: string };

/** Of all versions of an organization, since none is ever taken away but with its policy. */
const MOST_MIB = 1_024;
/** What a row takes besides its content. */
const ROW_BYTES = 1_000;

export const VERSION_LIST = {
  fields: { created_at: { value: sql`v.created_at`, type: "timestamptz" } },
  byDefault: "created_at",
  id: sql`v.version::text`,
  idType: "text",
} as const satisfies ListRules<string>;

/** Needs (policy, update). It counts once somebody says so. @throws ForbiddenError, NotFoundError */
export async function addVersion(db: Db, subject: Subject, of: Of, content: Content): Promise<PolicyVersion> {
  await requireUpdate(db, subject, of);
  return inTransaction(db, (tx) => insertVersion(tx, subject, of, content));
}

/** What a use case asks before it looks at a content that is dear to read. @throws ForbiddenError, NotFoundError */
export const requireUpdate = (db: Db, subject: Subject, of: Of) => requirePolicy(db, subject, of, "update");
export const requireRead = (db: Db, subject: Subject, of: Of) => requirePolicy(db, subject, of, "read");

async function requirePolicy(
  db: Db,
  subject: Subject,
  { orgId, policyId }: Of,
  action: "read" | "update",
): Promise<void> {
  await requireOrg(db, subject, orgId, { type: "policy", action });
  requireUuids(orgId, policyId);
  requireRow(await db.execute(sql`select 1 from policies where id = ${policyId} and org_id = ${orgId}`));
}

/** The caller has authorized it. */
export async function insertVersion(
  tx: Tx,
  actor: Subject,
  { orgId, policyId }: Of,
  content: Content,
): Promise<PolicyVersion> {
  const stored = sql`
    select sum(coalesce(octet_length(v.wasm), 0) + coalesce(octet_length(v.source), 0) + coalesce(pg_column_size(v.rules), 0) + ${ROW_BYTES}::int)
      / 1048576.0 from policies p join policy_versions v on v.policy_id = p.id where p.org_id = ${orgId}`;
  await holdRoom(tx, orgId, stored, MOST_MIB, "MiB of versions of policies in an organization");
  const digest = createHash("sha256").update(bytesOf(content)).digest("hex");
  const compiled = content.kind === "rules" ? null : content;
  const rows = await tx.execute<PolicyVersion>(sql`
    with next as (
      update policies set last_version = last_version + 1 where id = ${policyId} and org_id = ${orgId} returning last_version
    )
    insert into policy_versions (policy_id, version, kind, digest, rules, source, wasm, entrypoint, created_by, created_by_kind)
    select ${policyId}::uuid, last_version, ${content.kind}, ${digest}, ${content.kind === "rules" ? JSON.stringify(content.rules) : null}::jsonb,
      ${content.kind === "rego" ? content.source : null}::text, ${compiled?.wasm ?? null}::bytea, ${compiled?.entrypoint ?? null}::text,
      ${actor.id}, ${actor.kind}
    from next
    returning policy_id, version, kind, digest, created_by, created_by_kind, created_at`);
  const version = requireRow(rows);
  const details = { version: version.version, kind: version.kind, digest };
  await recordAudit(tx, { orgId, actor, action: "policy_version.create", resourceId: policyId, details });
  return { ...version, created_at: rfc3339(version.created_at) };
}

function bytesOf(content: Content): string | Buffer {
  if (content.kind === "rules") return JSON.stringify(content.rules);
  return content.kind === "rego" ? content.source : content.bundle;
}

/** Newest first. Needs (policy, read). @throws ForbiddenError, NotFoundError */
export async function listVersions(
  db: Db,
  subject: Subject,
  { orgId, policyId }: Of,
  query: ListQuery,
): Promise<{ items: PolicyVersion[]; next_cursor: string | null }> {
  await requireRead(db, subject, { orgId, policyId });
  const list = listPage(query, VERSION_LIST);
  const rows = await db.execute<PolicyVersion & { sort_value: string }>(sql`
    select v.policy_id, v.version, v.kind, v.digest, v.created_by, v.created_by_kind, v.created_at, ${list.sortValue}
    from policies p join policy_versions v on v.policy_id = p.id
    where p.id = ${policyId} and p.org_id = ${orgId} and ${list.after} order by ${list.orderBy} limit ${list.limit}`);
  const { items, next_cursor } = list.cut(rows, ({ version }) => String(version));
  return {
    items: items.map(({ sort_value: _value, ...row }) => ({ ...row, created_at: rfc3339(row.created_at) })),
    next_cursor,
  };
}

/** One with its content. Needs (policy, read). @throws ForbiddenError, NotFoundError */
export async function readVersion(
  db: Db,
  subject: Subject,
  { orgId, policyId }: Of,
  version: string,
): Promise<OnePolicyVersion> {
  await requireOrg(db, subject, orgId, { type: "policy", action: "read" });
  requireUuids(orgId, policyId);
  if (!/^[1-9]\d{0,8}$/.test(version)) throw new NotFoundError();
  const rows = await db.execute<OnePolicyVersion>(sql`
    select v.policy_id, v.version, v.kind, v.digest, v.rules, v.source, v.created_by, v.created_by_kind, v.created_at
    from policies p join policy_versions v on v.policy_id = p.id
    where p.id = ${policyId} and p.org_id = ${orgId} and v.version = ${Number(version)}`);
  const row = requireRow(rows);
  return { ...row, created_at: rfc3339(row.created_at) };
}
