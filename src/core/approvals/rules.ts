/**
 * Rules of an organization: which plans need whose approval. A family without single grants, as contexts are
 * (docs/approvals.md#rules).
 */
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
import { holdRoom } from "../../work/atMost.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import { type ApprovalRule, columnsOf, RULE_FIELDS, type RuleBody, ruleAnswer } from "./ruleFields.ts";
import { type ApprovalRuleRow, type Approvers, approvalRules } from "./schema.ts";
import { wakeWaiting } from "./wakeWaiting.ts";

/** All of them are asked about each plan that waits. */
const MOST = 100;

class RuleNameTakenError extends ProblemError {
  constructor() {
    super({ status: 409, code: "conflict", detail: "There is already a rule of that name." });
  }
}

export const RULE_LIST = {
  fields: {
    name: { value: sql`c.name`, type: "text" },
    created_at: { value: sql`c.created_at`, type: "timestamptz" },
  },
  byDefault: "name",
  id: sql`c.id`,
  idType: "uuid",
} as const satisfies ListRules<string>;

/** Needs (approval_rule, read). @throws ForbiddenError, InvalidValueError */
export async function listRules(
  db: Db,
  subject: Subject,
  orgId: string,
  query: ListQuery,
): Promise<{ items: ApprovalRule[]; next_cursor: string | null }> {
  await requireOrg(db, subject, orgId, { type: "approval_rule", action: "read" });
  const list = listPage(query, RULE_LIST);
  const rows = await db.execute<ApprovalRuleRow & { sort_value: string }>(sql`
    select c.id, c.org_id as "orgId", c.name, c.selector, c.modes, c.previews, c.destructive, c.count, c.approvers,
      c.deadline_ms::float8 as "deadlineMs", c.remind_ms::float8 as "remindMs", c.created_at as "createdAt",
      c.updated_at as "updatedAt", ${list.sortValue}
    from approval_rules c where c.org_id = ${orgId} and ${list.after} order by ${list.orderBy} limit ${list.limit}`);
  const { items, next_cursor } = list.cut(rows, ({ id }) => id);
  return { items: items.map(ruleAnswer), next_cursor };
}

/** Needs (approval_rule, read). @throws ForbiddenError, NotFoundError */
export async function readRule(db: Db, subject: Subject, orgId: string, id: string): Promise<ApprovalRule> {
  await requireOrg(db, subject, orgId, { type: "approval_rule", action: "read" });
  requireUuids(id);
  return ruleAnswer(requireRow(await db.select().from(approvalRules).where(one(orgId, id))));
}

/** Needs (approval_rule, create). @throws ForbiddenError, InvalidValueError, RuleNameTakenError */
export async function createRule(
  service: Service,
  subject: Subject,
  orgId: string,
  body: RuleBody,
): Promise<ApprovalRule> {
  await requireOrg(service.db, subject, orgId, { type: "approval_rule", action: "create" });
  requireUuids(orgId);
  return uniqueRow(RuleNameTakenError, () =>
    unitOfWork(service, async ({ tx, messages }) => {
      const present = sql`select count(*) from approval_rules where org_id = ${orgId}`;
      await holdRoom(tx, orgId, present, MOST, "approval rules in an organization");
      await assertKnown(tx, orgId, body.approvers);
      const [row] = await tx
        .insert(approvalRules)
        .values({ orgId, ...columnsOf(body) })
        .returning();
      messages.push(...(await wakeWaiting(tx, orgId, [row!])));
      const rule = ruleAnswer(row!);
      await recordAudit(tx, {
        orgId,
        actor: subject,
        action: "approval_rule.create",
        resourceId: rule.id,
        details: picked(rule),
      });
      return rule;
    }),
  );
}

/** Needs (approval_rule, update). @throws ForbiddenError, NotFoundError, InvalidValueError, RuleNameTakenError */
export async function replaceRule(
  service: Service,
  subject: Subject,
  orgId: string,
  id: string,
  body: RuleBody,
): Promise<ApprovalRule> {
  await requireOrg(service.db, subject, orgId, { type: "approval_rule", action: "update" });
  requireUuids(orgId, id);
  return uniqueRow(RuleNameTakenError, () =>
    unitOfWork(service, async ({ tx, messages }) => {
      const before = requireRow(await tx.select().from(approvalRules).where(one(orgId, id)).for("no key update"));
      await assertKnown(tx, orgId, body.approvers);
      const next = { ...before, ...columnsOf(body) };
      const details = changedFields(ruleAnswer(before), ruleAnswer(next), RULE_FIELDS);
      if (details === null) return ruleAnswer(before);
      const [row] = await tx
        .update(approvalRules)
        .set({ ...columnsOf(body), updatedAt: sql`svc_now()` })
        .where(one(orgId, id))
        .returning();
      messages.push(...(await wakeWaiting(tx, orgId, [before, row!])));
      await recordAudit(tx, { orgId, actor: subject, action: "approval_rule.update", resourceId: id, details });
      return ruleAnswer(row!);
    }),
  );
}

/** Needs (approval_rule, delete). @throws ForbiddenError, NotFoundError */
export async function deleteRule(service: Service, subject: Subject, orgId: string, id: string): Promise<void> {
  await requireOrg(service.db, subject, orgId, { type: "approval_rule", action: "delete" });
  requireUuids(orgId, id);
  await unitOfWork(service, async ({ tx }) => {
    const row = requireRow(await tx.delete(approvalRules).where(one(orgId, id)).returning());
    const details = picked(ruleAnswer(row));
    await recordAudit(tx, { orgId, actor: subject, action: "approval_rule.delete", resourceId: id, details });
  });
}

const one = (orgId: string, id: string) => and(eq(approvalRules.id, id), eq(approvalRules.orgId, orgId));

const picked = (rule: ApprovalRule) =>
  Object.fromEntries(RULE_FIELDS.map((field) => [field, rule[field as keyof ApprovalRule]]));

/** @throws InvalidValueError for a role, source or account that is not the organization's */
async function assertKnown(tx: Queryable, orgId: string, approvers: Approvers): Promise<void> {
  const sources = approvers.groups.map(({ identity_source_id }) => identity_source_id);
  const list = (values: readonly string[]) => sql`${sql.param([...values])}::uuid[]`;
  const [row] = await tx.execute<{ roles: number; groups: number; service_accounts: number }>(sql`
    select
      (select count(*)::int from unnest(${list(approvers.roles)}) t (id)
        where not exists (select from roles r where r.id = t.id and (r.org_id is null or r.org_id = ${orgId}::uuid))) as roles,
      (select count(*)::int from unnest(${list(sources)}) t (id)
        where not exists (select from identity_sources s where s.id = t.id and s.org_id = ${orgId}::uuid)) as groups,
      (select count(*)::int from unnest(${list(approvers.service_accounts)}) t (id)
        where not exists (select from service_accounts a where a.id = t.id and a.org_id = ${orgId}::uuid)) as service_accounts`);
  const unknown = (["roles", "groups", "service_accounts"] as const).filter((field) => (row?.[field] ?? 0) > 0);
  if (unknown.length === 0) return;
  throw new InvalidValueError(
    unknown.map((field) => ({ field: `approvers.${field}`, message: "has one that is not of this organization" })),
  );
}
