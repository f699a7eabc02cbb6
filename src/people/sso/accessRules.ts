/**
 * Who becomes a member by signing in at a source: the stored rules (docs/rules/sign-in.md#access-rules). What matches
 * is decided at sign-in.
 */
import { sql } from "drizzle-orm";
import { byCreation, type ListQuery, listPage } from "../../http/listQuery.ts";
import type { Subject } from "../../http/principal.ts";
import type { Db } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import { requireRow, requireUuids } from "../../platform/problems/requireRow.ts";
import { uniqueRow } from "../../platform/problems/uniqueRow.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import { recordAudit } from "../audit/record.ts";
import { requireOrg } from "../authorization/authorize.ts";
import { type AccessRuleAnswer, type AccessRuleInput, PROVIDER_OF_RULE } from "./accessRuleFields.ts";
import { assertShared } from "./personalOrgs.ts";
import type { accessRules, RuleType } from "./schema.ts";
import { assertSourceOf, holdSourceOf } from "./sourceOf.ts";

class RuleExistsError extends ProblemError {
  constructor() {
    super({ status: 409, code: "conflict", detail: "This source has exactly this rule already." });
  }
}

const MANAGE = { type: "identity_source", action: "manage" } as const;

type Row = SqlRow<typeof accessRules, "id" | "rule_type" | "rule" | "created_at">;

function answer({ id, rule_type, rule, created_at }: Row): AccessRuleAnswer {
  return { id, rule_type, ...rule, created_at: rfc3339(created_at) } as AccessRuleAnswer;
}

export const RULE_LIST = byCreation("r");

/** Needs (identity_source, manage), as every call here. @throws ForbiddenError, NotFoundError, InvalidValueError */
export async function listRules(
  db: Db,
  subject: Subject,
  orgId: string,
  sourceId: string,
  query: ListQuery,
): Promise<{ items: AccessRuleAnswer[]; next_cursor: string | null }> {
  await requireOrg(db, subject, orgId, MANAGE);
  const list = listPage(query, RULE_LIST);
  await assertSourceOf(db, orgId, sourceId);
  const rows = await db.execute<Row & { sort_value: string }>(sql`
    select r.id, r.rule_type, r.rule, r.created_at, ${list.sortValue} from access_rules r
    where r.identity_source_id = ${sourceId} and ${list.after}
    order by ${list.orderBy} limit ${list.limit}`);
  const { items, next_cursor } = list.cut(rows, (row) => row.id);
  return { items: items.map(answer), next_cursor };
}

/**
 * @throws ForbiddenError, NotFoundError, InvalidValueError for a rule of another provider, RuleExistsError,
 *   PersonalOrgError
 */
export async function createRule(
  service: Service,
  subject: Subject,
  orgId: string,
  sourceId: string,
  { rule_type, ...rule }: AccessRuleInput,
): Promise<AccessRuleAnswer> {
  await requireOrg(service.db, subject, orgId, MANAGE);
  return uniqueRow(RuleExistsError, () =>
    unitOfWork(service, async ({ tx }) => {
      await assertShared(tx, orgId);
      const provider = await holdSourceOf(tx, orgId, sourceId);
      if (PROVIDER_OF_RULE[rule_type] !== provider) throw new InvalidValueError([wrongProvider(provider)]);
      const [row] = await tx.execute<Row>(sql`
        insert into access_rules (identity_source_id, rule_type, rule)
        values (${sourceId}, ${rule_type}, ${JSON.stringify(rule)}::jsonb)
        returning id, rule_type, rule, created_at`);
      const details = { identity_source_id: sourceId, rule_type, ...rule };
      await recordAudit(tx, { orgId, actor: subject, action: "access_rule.create", resourceId: row!.id, details });
      return answer(row!);
    }),
  );
}

function wrongProvider(provider: string) {
  const allowed = (Object.keys(PROVIDER_OF_RULE) as RuleType[]).filter((type) => PROVIDER_OF_RULE[type] === provider);
  return { field: "rule_type", message: `is not for a source of ${provider}`, allowed };
}

/** Members whom it admitted stay until their membership ends. @throws ForbiddenError, NotFoundError */
export async function deleteRule(
  service: Service,
  subject: Subject,
  orgId: string,
  sourceId: string,
  ruleId: string,
): Promise<void> {
  await requireOrg(service.db, subject, orgId, MANAGE);
  await unitOfWork(service, async ({ tx }) => {
    await assertSourceOf(tx, orgId, sourceId);
    requireUuids(ruleId);
    const rows = await tx.execute<Row>(sql`
      delete from access_rules where id = ${ruleId} and identity_source_id = ${sourceId}
      returning id, rule_type, rule, created_at`);
    const row = requireRow(rows);
    const details = { identity_source_id: sourceId, rule_type: row.rule_type, ...row.rule };
    await recordAudit(tx, { orgId, actor: subject, action: "access_rule.delete", resourceId: ruleId, details });
  });
}
