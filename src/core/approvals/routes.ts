import type { Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { listFields } from "../../http/listQuery.ts";
import type { Service } from "../../work/service.ts";
import { ApprovalRule, ApprovalRulePage, RuleBody } from "./ruleFields.ts";
import { createRule, deleteRule, listRules, RULE_LIST, readRule, replaceRule } from "./rules.ts";

const MANY = "/api/v1/orgs/:org_id/approval-rules";
const ONE = `${MANY}/:approval_rule_id` as const;
const tag = "approvals";

/** Which plans need whose approval. */
export function approvalRoutes(app: Hono<AppEnv>, service: Service): void {
  endpoint(
    app,
    "get",
    MANY,
    {
      id: "listApprovalRules",
      tag,
      summary: "List the rules that say whose approval a plan needs",
      query: v.strictObject(listFields(Object.keys(RULE_LIST.fields))),
      answer: ApprovalRulePage,
      problems: [403],
    },
    ({ principal, params, query }) => listRules(service.db, principal, params.org_id, query()),
  );
  endpoint(
    app,
    "post",
    MANY,
    {
      id: "createApprovalRule",
      tag,
      summary: "Have plans wait for approvals; plans that wait already need them too",
      description: "Every rule that fits a plan has to be met. An automatic approval never overrides one.",
      body: RuleBody,
      answer: ApprovalRule,
      status: 201,
      problems: [403, 404, 409],
    },
    async ({ principal, params, body }) => createRule(service, principal, params.org_id, await body()),
  );
  endpoint(
    app,
    "get",
    ONE,
    { id: "getApprovalRule", tag, summary: "Read a rule", answer: ApprovalRule, problems: [403, 404] },
    ({ principal, params }) => readRule(service.db, principal, params.org_id, params.approval_rule_id),
  );
  endpoint(
    app,
    "put",
    ONE,
    {
      id: "replaceApprovalRule",
      tag,
      summary: "Replace a rule; it counts at once",
      body: RuleBody,
      answer: ApprovalRule,
      problems: [403, 404, 409],
    },
    async ({ principal, params, body }) =>
      replaceRule(service, principal, params.org_id, params.approval_rule_id, await body()),
  );
  endpoint(
    app,
    "delete",
    ONE,
    {
      id: "deleteApprovalRule",
      tag,
      summary: "Delete a rule; what waited for it alone waits for a person's confirmation",
      problems: [403, 404],
    },
    ({ principal, params }) => deleteRule(service, principal, params.org_id, params.approval_rule_id),
  );
}
