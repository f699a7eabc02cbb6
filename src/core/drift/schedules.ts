/**
 * Schedules of an organization: which stacks are checked, by their labels. A family without single grants, as contexts
 * are.
 */
import { and, eq, type SQL, sql } from "drizzle-orm";
import { type ListQuery, type ListRules, listPage } from "../../http/listQuery.ts";
import type { Subject } from "../../http/principal.ts";
import { changedFields } from "../../people/audit/changedFields.ts";
import { recordAudit } from "../../people/audit/record.ts";
import { type Check, requireOrg } from "../../people/authorization/authorize.ts";
import type { Db } from "../../platform/db/client.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { requireRow, requireUuids } from "../../platform/problems/requireRow.ts";
import { uniqueRow } from "../../platform/problems/uniqueRow.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import { holdRoom } from "../../work/atMost.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork, type Work } from "../../work/unitOfWork.ts";
import { keyChecks } from "../labels/protectedKeys.ts";
import type { DriftSchedule } from "./answer.ts";
import { type DriftPolicy, needsOf, POLICY_FIELDS } from "./policy.ts";
import { type DriftScheduleRow, driftSchedules } from "./schema.ts";

/** All of them are compared for each stack whose labels change. */
const MOST = 200;

class ScheduleNameTakenError extends ProblemError {
  constructor() {
    super({ status: 409, code: "conflict", detail: "There is already a schedule of that name." });
  }
}

export type ScheduleInput = { name: string; selector: Record<string, string>; policy: DriftPolicy };

export const SCHEDULE_LIST = {
  fields: {
    name: { value: sql`c.name`, type: "text" },
    created_at: { value: sql`c.created_at`, type: "timestamptz" },
  },
  byDefault: "name",
  id: sql`c.id`,
  idType: "uuid",
} as const satisfies ListRules<string>;

/** Needs (drift_schedule, read). @throws ForbiddenError, InvalidValueError */
export async function listSchedules(
  db: Db,
  subject: Subject,
  orgId: string,
  query: ListQuery,
): Promise<{ items: DriftSchedule[]; next_cursor: string | null }> {
  await requireOrg(db, subject, orgId, { type: "drift_schedule", action: "read" });
  const list = listPage(query, SCHEDULE_LIST);
  const rows = await db.execute<DriftSchedule & { sort_value: string }>(sql`
    select c.id, c.org_id, c.name, c.selector, c.policy, c.created_at, c.updated_at, ${list.sortValue}
    from drift_schedules c where c.org_id = ${orgId} and ${list.after} order by ${list.orderBy} limit ${list.limit}`);
  const { items, next_cursor } = list.cut(rows, ({ id }) => id);
  return {
    items: items.map(({ sort_value: _value, created_at, updated_at, ...row }) => ({
      ...row,
      created_at: rfc3339(created_at),
      updated_at: rfc3339(updated_at),
    })),
    next_cursor,
  };
}

/** Needs (drift_schedule, read). @throws ForbiddenError, NotFoundError */
export async function readSchedule(db: Db, subject: Subject, orgId: string, id: string): Promise<DriftSchedule> {
  await requireOrg(db, subject, orgId, { type: "drift_schedule", action: "read" });
  requireUuids(id);
  return answer(requireRow(await db.select().from(driftSchedules).where(one(orgId, id))));
}

/**
 * Needs (drift_schedule, create), (label, update) on every key of the selector, and where drift is reconciled the
 * permission for that on stacks without a pattern.
 * @throws ForbiddenError, ScheduleNameTakenError
 */
export async function createSchedule(
  service: Service,
  subject: Subject,
  orgId: string,
  { name, selector, policy }: ScheduleInput,
): Promise<DriftSchedule> {
  const checks = [...keyChecks(Object.keys(selector)), ...policyChecks(policy)];
  await requireOrg(service.db, subject, orgId, { type: "drift_schedule", action: "create" }, ...checks);
  requireUuids(orgId);
  return uniqueRow(ScheduleNameTakenError, () =>
    unitOfWork(service, async (work) => {
      const present = sql`select count(*) from drift_schedules where org_id = ${orgId}`;
      await holdRoom(work.tx, orgId, present, MOST, "schedules for drift in an organization");
      const [row] = await work.tx.insert(driftSchedules).values({ orgId, name, selector, policy }).returning();
      await mark(work, orgId, [selector]);
      const details = { name, selector, policy };
      await recordAudit(work.tx, {
        orgId,
        actor: subject,
        action: "drift_schedule.create",
        resourceId: row!.id,
        details,
      });
      return answer(row!);
    }),
  );
}

/**
 * Needs (drift_schedule, update) and what creating it as it was and as it will be needs.
 * @throws ForbiddenError, NotFoundError, ScheduleNameTakenError
 */
export async function replaceSchedule(
  service: Service,
  subject: Subject,
  orgId: string,
  id: string,
  input: ScheduleInput,
): Promise<DriftSchedule> {
  const checks = [...keyChecks(Object.keys(input.selector)), ...policyChecks(input.policy)];
  await requireOrg(service.db, subject, orgId, { type: "drift_schedule", action: "update" }, ...checks);
  requireUuids(orgId, id);
  return uniqueRow(ScheduleNameTakenError, () =>
    unitOfWork(service, async (work) => {
      const { tx } = work;
      const before = requireRow(await tx.select().from(driftSchedules).where(one(orgId, id)).for("no key update"));
      await requireOrg(tx, subject, orgId, ...keyChecks(Object.keys(before.selector)));
      const details = changedFields(flat(before), flat(input), ["name", "selector", ...POLICY_FIELDS]);
      if (details === null) return answer(before);
      const [row] = await tx
        .update(driftSchedules)
        .set({ ...input, updatedAt: sql`svc_now()` })
        .where(one(orgId, id))
        .returning();
      await mark(work, orgId, [before.selector, input.selector]);
      await recordAudit(tx, { orgId, actor: subject, action: "drift_schedule.update", resourceId: id, details });
      return answer(row!);
    }),
  );
}

/** What was found stays. Needs (drift_schedule, delete). @throws ForbiddenError, NotFoundError */
export async function deleteSchedule(service: Service, subject: Subject, orgId: string, id: string): Promise<void> {
  await requireOrg(service.db, subject, orgId, { type: "drift_schedule", action: "delete" });
  requireUuids(orgId, id);
  await unitOfWork(service, async (work) => {
    const row = requireRow(await work.tx.delete(driftSchedules).where(one(orgId, id)).returning());
    const { name, selector, policy } = row;
    await mark(work, orgId, [selector]);
    const details = { name, selector, policy };
    await recordAudit(work.tx, { orgId, actor: subject, action: "drift_schedule.delete", resourceId: id, details });
  });
}

const flat = ({ name, selector, policy }: ScheduleInput) => ({ name, selector, ...policy });

const one = (orgId: string, id: string) => and(eq(driftSchedules.id, id), eq(driftSchedules.orgId, orgId));

function policyChecks(policy: DriftPolicy): Check[] {
  const action = needsOf(policy);
  return action === null ? [] : [{ type: "stack", action }];
}

/** Each stack that a selector fits is to find out anew what counts. */
async function mark({ tx, messages }: Work, orgId: string, selectors: readonly object[]): Promise<void> {
  const fits: SQL[] = selectors.map((selector) => sql`labels @> ${JSON.stringify(selector)}::jsonb`);
  await tx.execute(sql`
    insert into stack_drift (stack_key, org_id, stale) select stack_key, org_id, true from stacks
    where org_id = ${orgId} and deleted_at is null and (${sql.join(fits, sql` or `)}) order by stack_key
    on conflict (stack_key) do update set stale = true`);
  messages.push({ kind: "driftChanged", orgId });
}

function answer({ id, orgId, name, selector, policy, createdAt, updatedAt }: DriftScheduleRow): DriftSchedule {
  return { id, org_id: orgId, name, selector, policy, created_at: rfc3339(createdAt), updated_at: rfc3339(updatedAt) };
}
