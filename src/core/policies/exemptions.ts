/** Stacks that a policy does not count for, until an hour that is said beforehand. */
import { sql } from "drizzle-orm";
import { byCreation, type ListQuery, listPage } from "../../http/listQuery.ts";
import type { Subject } from "../../http/principal.ts";
import { recordAudit } from "../../people/audit/record.ts";
import type { Db } from "../../platform/db/client.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import { requireRow, requireUuids } from "../../platform/problems/requireRow.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import { holdRoom } from "../../work/atMost.ts";
import { inTransaction } from "../../work/unitOfWork.ts";
import { authorizeStack } from "../stacks/authorizeStack.ts";
import type { PolicyExemption } from "./answer.ts";
import { requireRead, requireUpdate } from "./versions.ts";

type Of = { orgId: string; policyId: string };
/** Longer than this it is no exemption, but another policy. */
const LONGEST_MS = 366 * 86_400_000;
/** Of one policy and stack, those that are over included: all of them are looked through for the last. */
const MOST = 100;

export const EXEMPTION_LIST = byCreation("x");

const COLUMNS = sql`x.id, x.policy_id, s.slug as stack_id, x.reason, x.ends_at, x.created_by, x.created_by_kind, x.created_at`;

/** Needs (policy, read). @throws ForbiddenError, NotFoundError */
export async function listExemptions(
  db: Db,
  subject: Subject,
  { orgId, policyId }: Of,
  query: ListQuery,
): Promise<{ items: PolicyExemption[]; next_cursor: string | null }> {
  await requireRead(db, subject, { orgId, policyId });
  const list = listPage(query, EXEMPTION_LIST);
  const rows = await db.execute<PolicyExemption & { sort_value: string }>(sql`
    select ${COLUMNS}, ${list.sortValue} from policies p join policy_exemptions x on x.policy_id = p.id
      join stacks s on s.stack_key = x.stack_key
    where p.id = ${policyId} and p.org_id = ${orgId} and ${list.after} order by ${list.orderBy} limit ${list.limit}`);
  const { items, next_cursor } = list.cut(rows, ({ id }) => id);
  return { items: items.map(({ sort_value: _value, ...row }) => withTimes(row)), next_cursor };
}

/** Needs (policy, update), and to read the stack. @throws ForbiddenError, NotFoundError, InvalidValueError */
export async function createExemption(
  db: Db,
  subject: Subject,
  of: Of,
  { stack_id, reason, ends_at }: { stack_id: string; reason: string; ends_at: string },
): Promise<PolicyExemption> {
  await requireUpdate(db, subject, of);
  const { stackKey } = await authorizeStack(db, subject, of.orgId, stack_id, "read");
  const ms = Date.parse(ends_at) - Date.now();
  if (ms <= 0 || ms > LONGEST_MS)
    throw new InvalidValueError([{ field: "ends_at", message: "must be within the next 366 days" }]);
  return inTransaction(db, async (tx) => {
    const present = sql`
      select count(*) from policy_exemptions where policy_id = ${of.policyId} and stack_key = ${stackKey}`;
    await holdRoom(tx, of.orgId, present, MOST, "exemptions of one stack from one policy");
    const rows = await tx.execute<PolicyExemption>(sql`
      with x as (
        insert into policy_exemptions (policy_id, stack_key, reason, ends_at, created_by, created_by_kind)
        select p.id, ${stackKey}::uuid, ${reason}, ${ends_at}::timestamptz, ${subject.id}, ${subject.kind}
        from policies p where p.id = ${of.policyId} and p.org_id = ${of.orgId} returning *
      )
      select ${COLUMNS} from x join stacks s on s.stack_key = x.stack_key`);
    const exemption = withTimes(requireRow(rows));
    const details = { exemption_id: exemption.id, stack_id, reason, ends_at };
    const entry = { orgId: of.orgId, actor: subject, resourceId: of.policyId, details };
    await recordAudit(tx, { ...entry, action: "policy_exemption.create" });
    return exemption;
  });
}

/** Needs (policy, update). @throws ForbiddenError, NotFoundError */
export async function deleteExemption(db: Db, subject: Subject, of: Of, id: string): Promise<void> {
  await requireUpdate(db, subject, of);
  requireUuids(id);
  await inTransaction(db, async (tx) => {
    const rows = await tx.execute<{ stack_id: string; reason: string; ends_at: string }>(sql`
      delete from policy_exemptions x using stacks s
      where x.id = ${id} and x.policy_id = ${of.policyId} and s.stack_key = x.stack_key
      returning s.slug as stack_id, x.reason, x.ends_at`);
    const details = { exemption_id: id, ...requireRow(rows) };
    const entry = { orgId: of.orgId, actor: subject, resourceId: of.policyId, details };
    await recordAudit(tx, { ...entry, action: "policy_exemption.delete" });
  });
}

function withTimes(row: PolicyExemption): PolicyExemption {
  return { ...row, ends_at: rfc3339(row.ends_at), created_at: rfc3339(row.created_at) };
}
