/**
 * What an organization has shown to be its own: domains and organizations of the code host
 * (docs/rules/sign-in.md#rules-need-proof).
 */
import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import * as v from "valibot";
import { Id, pageOf, Time } from "../../http/answerFields.ts";
import { byCreation, type ListQuery, listPage } from "../../http/listQuery.ts";
import type { Subject } from "../../http/principal.ts";
import type { Db, Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { requireRow, requireUuids } from "../../platform/problems/requireRow.ts";
import { uniqueRow } from "../../platform/problems/uniqueRow.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import { inTransaction } from "../../work/unitOfWork.ts";
import { recordAudit } from "../audit/record.ts";
import { requireOrg } from "../authorization/authorize.ts";
import { assertShared } from "./personalOrgs.ts";
import type { organizationProofs, ProofKind } from "./schema.ts";

/** The TXT record of this name below the domain. */
const RECORD = "_deployment-orchestrator";
const MANAGE = { type: "identity_source", action: "manage" } as const;

/** Whether an organization here holds the key of the app of that organization of the code host. */
export type OwnsThroughApp = (orgId: string, name: string) => Promise<boolean>;

/** The TXT records of a name, each in one piece; empty when there are none, or nobody answers. */
export type TxtRecords = (name: string) => Promise<string[]>;

export const Proof = v.pipe(
  v.object({
    id: Id,
    kind: v.picklist(["domain", "codehost_org"]),
    name: v.string(),
    txt_record: v.pipe(
      v.nullable(v.object({ name: v.string(), value: v.string() })),
      v.metadata({ description: "What proves a domain; an organization of the code host is proven by its own app" }),
    ),
    proven_at: v.nullable(Time),
    proven_by: v.nullable(v.picklist(["dns", "operator", "app"])),
    created_at: Time,
  }),
  v.metadata({ ref: "OrganizationProof" }),
);
export const ProofPage = v.pipe(pageOf(Proof), v.metadata({ ref: "OrganizationProofPage" }));
type Proof = v.InferInput<typeof Proof>;

class ProofExistsError extends ProblemError {
  constructor() {
    super({ status: 409, code: "conflict", detail: "This organization names it already." });
  }
}

class RecordNotFoundError extends ProblemError {
  constructor(name: string) {
    super({ status: 409, code: "conflict", detail: `There is no TXT record at ${name} with the value of this proof.` });
  }
}

class NoOwnAppError extends ProblemError {
  constructor(name: string) {
    const detail = `No source control integration of this organization has an app that belongs to ${name} and is installed there.`;
    super({ status: 409, code: "conflict", detail });
  }
}

type Row = SqlRow<
  typeof organizationProofs,
  "id" | "kind" | "name" | "token" | "proven_at" | "proven_by" | "created_at"
>;
const COLUMNS = sql`p.id, p.kind, p.name, p.token, p.proven_at, p.proven_by, p.created_at`;

function answer({ token, ...row }: Row): Proof {
  return {
    ...row,
    txt_record: row.kind === "domain" ? { name: `${RECORD}.${row.name}`, value: recordValue(token) } : null,
    proven_at: rfc3339(row.proven_at),
    created_at: rfc3339(row.created_at),
  };
}

function recordValue(token: string): string {
  return `organization-proof=${token}`;
}

export const PROOF_LIST = byCreation("p");

/** Needs (identity_source, manage), as every call here. @throws ForbiddenError, InvalidValueError */
export async function listProofs(
  db: Db,
  subject: Subject,
  orgId: string,
  query: ListQuery,
): Promise<{ items: Proof[]; next_cursor: string | null }> {
  await requireOrg(db, subject, orgId, MANAGE);
  const list = listPage(query, PROOF_LIST);
  const rows = await db.execute<Row & { sort_value: string }>(sql`
    select ${COLUMNS}, ${list.sortValue} from organization_proofs p
    where p.org_id = ${orgId} and ${list.after} order by ${list.orderBy} limit ${list.limit}`);
  const { items, next_cursor } = list.cut(rows, (row) => row.id);
  return { items: items.map(({ sort_value, ...row }) => answer(row)), next_cursor };
}

/** Name what is to be proven. @throws ForbiddenError, NotFoundError, PersonalOrgError, ProofExistsError */
export async function createProof(
  db: Db,
  subject: Subject,
  orgId: string,
  { kind, name }: { kind: ProofKind; name: string },
): Promise<Proof> {
  await requireOrg(db, subject, orgId, MANAGE);
  return uniqueRow(ProofExistsError, () =>
    inTransaction(db, async (tx) => {
      await assertShared(tx, orgId);
      const token = randomBytes(24).toString("base64url");
      const [row] = await tx.execute<Row>(sql`
        insert into organization_proofs as p (org_id, kind, name, token) values (${orgId}, ${kind}, ${name}, ${token})
        returning ${COLUMNS}`);
      const details = { kind, name };
      await recordAudit(tx, { orgId, actor: subject, action: "proof.create", resourceId: row!.id, details });
      return answer(row!);
    }),
  );
}

export type Witnesses = { txt: TxtRecords; ownsThroughApp: OwnsThroughApp };

/**
 * Look for the TXT record, or ask the app, now.
 * @throws ForbiddenError, NotFoundError, RecordNotFoundError, NoOwnAppError
 */
export async function checkProof(
  db: Db,
  witnesses: Witnesses,
  subject: Subject,
  orgId: string,
  id: string,
): Promise<Proof> {
  await requireOrg(db, subject, orgId, MANAGE);
  requireUuids(id);
  const waiting = requireRow(
    await db.execute<Row>(sql`
      select ${COLUMNS} from organization_proofs p where p.id = ${id} and p.org_id = ${orgId}`),
  );
  const by = await (waiting.kind === "domain" ? byRecord(witnesses, waiting) : byApp(witnesses, orgId, waiting));
  return inTransaction(db, async (tx) => {
    const row = await prove(tx, sql`p.id = ${id} and p.token = ${waiting.token}`, by);
    const details = { kind: row.kind, name: row.name, by };
    await recordAudit(tx, { orgId, actor: subject, action: "proof.confirm", resourceId: id, details });
    return answer(row);
  });
}

async function byRecord({ txt }: Witnesses, { name, token }: Row): Promise<"dns"> {
  const place = `${RECORD}.${name}`;
  if (!(await txt(place)).includes(recordValue(token))) throw new RecordNotFoundError(place);
  return "dns";
}

async function byApp({ ownsThroughApp }: Witnesses, orgId: string, { name }: Row): Promise<"app"> {
  if (!(await ownsThroughApp(orgId, name))) throw new NoOwnAppError(name);
  return "app";
}

async function prove(tx: Queryable, which: ReturnType<typeof sql>, by: "dns" | "app"): Promise<Row> {
  const rows = await tx.execute<Row>(sql`
    update organization_proofs p set proven_at = coalesce(proven_at, svc_now()), proven_by = coalesce(proven_by, ${by})
    where ${which} returning ${COLUMNS}`);
  return requireRow(rows);
}

/** Rules that lean on it invite from now on; members stay. @throws ForbiddenError, NotFoundError */
export async function deleteProof(db: Db, subject: Subject, orgId: string, id: string): Promise<void> {
  await requireOrg(db, subject, orgId, MANAGE);
  requireUuids(id);
  await inTransaction(db, async (tx) => {
    const rows = await tx.execute<Row>(sql`
      delete from organization_proofs p where p.id = ${id} and p.org_id = ${orgId} returning ${COLUMNS}`);
    const { kind, name } = requireRow(rows);
    await recordAudit(tx, { orgId, actor: subject, action: "proof.delete", resourceId: id, details: { kind, name } });
  });
}
