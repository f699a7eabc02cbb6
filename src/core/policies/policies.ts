/** Policies of an organization, as people manage them. A family without single grants, as contexts are. */
import { and, eq, sql } from "drizzle-orm";
import { type ListQuery, type ListRules, listPage } from "../../http/listQuery.ts";
import type { Subject } from "../../http/principal.ts";
import { changedFields } from "../../people/audit/changedFields.ts";
import { recordAudit } from "../../people/audit/record.ts";
import { requireOrg } from "../../people/authorization/authorize.ts";
import type { Db, Queryable } from "../../platform/db/client.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import { requireRow, requireUuids } from "../../platform/problems/requireRow.ts";
import { uniqueRow } from "../../platform/problems/uniqueRow.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import { holdRoom } from "../../work/atMost.ts";
import { inTransaction } from "../../work/unitOfWork.ts";
import type { Policy } from "./answer.ts";
import type { Rules } from "./rules.ts";
import { type Enforcement, type PolicyMode, policies } from "./schema.ts";
import { insertVersion } from "./versions.ts";

/** All of them are asked about each plan that they fit. */
const MOST = 50;

class PolicyNameTakenError extends ProblemError {
  constructor() {
    super({ status: 409, code: "conflict", detail: "There is already a policy of that name." });
  }
}

export type PolicySettings = {
  name: string;
  description: string;
  enforcement: Enforcement;
  selector: Record<string, string>;
  modes: PolicyMode[];
};
const SETTINGS = ["name", "description", "enforcement", "selector", "modes", "version"];

export const POLICY_LIST = {
  fields: {
    name: { value: sql`p.name`, type: "text" },
    created_at: { value: sql`p.created_at`, type: "timestamptz" },
  },
  byDefault: "name",
  id: sql`p.id`,
  idType: "uuid",
} as const satisfies ListRules<string>;

const COLUMNS = sql`p.id, p.org_id, p.name, p.description, p.enforcement, p.selector, p.modes, p.version, p.last_version,
  (select v.kind from policy_versions v where v.policy_id = p.id and v.version = p.version) as kind, p.created_at, p.updated_at`;

/** Needs (policy, read). @throws ForbiddenError, InvalidValueError */
export async function listPolicies(
  db: Db,
  subject: Subject,
  orgId: string,
  query: ListQuery,
): Promise<{ items: Policy[]; next_cursor: string | null }> {
  await requireOrg(db, subject, orgId, { type: "policy", action: "read" });
  const list = listPage(query, POLICY_LIST);
  const rows = await db.execute<Policy & { sort_value: string }>(sql`
    select ${COLUMNS}, ${list.sortValue} from policies p
    where p.org_id = ${orgId} and ${list.after} order by ${list.orderBy} limit ${list.limit}`);
  const { items, next_cursor } = list.cut(rows, ({ id }) => id);
  return { items: items.map(({ sort_value: _value, ...row }) => withTimes(row)), next_cursor };
}

/** Needs (policy, read). @throws ForbiddenError, NotFoundError */
export async function readPolicy(db: Db, subject: Subject, orgId: string, id: string): Promise<Policy> {
  await requireOrg(db, subject, orgId, { type: "policy", action: "read" });
  requireUuids(orgId, id);
  return read(db, orgId, id);
}

/** Needs (policy, create). With rules it counts from now on. @throws ForbiddenError, PolicyNameTakenError */
export async function createPolicy(
  db: Db,
  subject: Subject,
  orgId: string,
  { rules, ...settings }: PolicySettings & { rules: Rules | null },
): Promise<Policy> {
  await requireOrg(db, subject, orgId, { type: "policy", action: "create" });
  requireUuids(orgId);
  return uniqueRow(PolicyNameTakenError, () =>
    inTransaction(db, async (tx) => {
      const present = sql`select count(*) from policies where org_id = ${orgId}`;
      await holdRoom(tx, orgId, present, MOST, "policies in an organization");
      const [row] = await tx
        .insert(policies)
        .values({ orgId, ...settings })
        .returning({ id: policies.id });
      const { id } = row!;
      await recordAudit(tx, { orgId, actor: subject, action: "policy.create", resourceId: id, details: settings });
      if (rules !== null) {
        const { version } = await insertVersion(tx, subject, { orgId, policyId: id }, { kind: "rules", rules });
        await tx.update(policies).set({ version }).where(one(orgId, id));
      }
      return read(tx, orgId, id);
    }),
  );
}

/**
 * Needs (policy, update). `version` is the one that counts from now on; what was decided stays.
 * @throws ForbiddenError, NotFoundError, PolicyNameTakenError, InvalidValueError
 */
export async function replacePolicy(
  db: Db,
  subject: Subject,
  orgId: string,
  id: string,
  input: PolicySettings & { version: number | null },
): Promise<Policy> {
  await requireOrg(db, subject, orgId, { type: "policy", action: "update" });
  requireUuids(orgId, id);
  return uniqueRow(PolicyNameTakenError, () =>
    inTransaction(db, async (tx) => {
      const before = requireRow(await tx.select().from(policies).where(one(orgId, id)).for("no key update"));
      if (input.version !== null && input.version > before.lastVersion)
        throw new InvalidValueError([{ field: "version", message: "the policy has no such version" }]);
      const details = changedFields<PolicySettings & { version: number | null }>(before, input, SETTINGS);
      if (details === null) return read(tx, orgId, id);
      await tx
        .update(policies)
        .set({ ...input, updatedAt: sql`svc_now()` })
        .where(one(orgId, id));
      await recordAudit(tx, { orgId, actor: subject, action: "policy.update", resourceId: id, details });
      return read(tx, orgId, id);
    }),
  );
}

/** What it decided stays. Needs (policy, delete). @throws ForbiddenError, NotFoundError */
export async function deletePolicy(db: Db, subject: Subject, orgId: string, id: string): Promise<void> {
  await requireOrg(db, subject, orgId, { type: "policy", action: "delete" });
  requireUuids(orgId, id);
  await inTransaction(db, async (tx) => {
    const { name, enforcement, version } = requireRow(await tx.delete(policies).where(one(orgId, id)).returning());
    const details = { name, enforcement, version };
    await recordAudit(tx, { orgId, actor: subject, action: "policy.delete", resourceId: id, details });
  });
}

const one = (orgId: string, id: string) => and(eq(policies.id, id), eq(policies.orgId, orgId));

async function read(db: Queryable, orgId: string, id: string): Promise<Policy> {
  const rows = await db.execute<Policy>(sql`
    select ${COLUMNS} from policies p where p.org_id = ${orgId} and p.id = ${id}`);
  return withTimes(requireRow(rows));
}

function withTimes(row: Policy): Policy {
  return { ...row, created_at: rfc3339(row.created_at), updated_at: rfc3339(row.updated_at) };
}
