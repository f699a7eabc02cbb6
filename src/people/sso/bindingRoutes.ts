import type { Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { listFields } from "../../http/listQuery.ts";
import type { Service } from "../../work/service.ts";
import { AccessRuleAnswer, AccessRuleBody, AccessRulePage } from "./accessRuleFields.ts";
import { createRule, deleteRule, listRules, RULE_LIST } from "./accessRules.ts";
import { Binding, BindingBody, BindingPage } from "./bindingFields.ts";
import { createBinding, deleteBinding, replaceBinding } from "./bindings.ts";
import { BINDING_LIST, listBindings, readBinding } from "./readBindings.ts";

const BINDINGS = "/api/v1/orgs/:org_id/identity-sources/:source_id/bindings";
const BINDING = "/api/v1/orgs/:org_id/identity-sources/:source_id/bindings/:binding_id";
const RULES = "/api/v1/orgs/:org_id/identity-sources/:source_id/access-rules";
const RULE = "/api/v1/orgs/:org_id/identity-sources/:source_id/access-rules/:rule_id";
const tag = "identity sources";
const listed = [403, 404] as const;
const written = [403, 404, 409] as const;

/** What a source's groups confer, and whom it admits. */
export function bindingRoutes(app: Hono<AppEnv>, service: Service): void {
  const covered = "One to five roles, only within what the caller holds. Takes effect at each person's next sign-in.";
  endpoint(
    app,
    "get",
    BINDINGS,
    {
      id: "listGroupRoleBindings",
      tag,
      summary: "List what a source's groups confer",
      query: v.strictObject(listFields(Object.keys(BINDING_LIST.fields))),
      answer: BindingPage,
      problems: listed,
    },
    async ({ principal, params, query }) =>
      listBindings(service.db, principal, params.org_id, params.source_id, query()),
  );
  endpoint(
    app,
    "post",
    BINDINGS,
    {
      id: "createGroupRoleBinding",
      tag,
      summary: "Let a group of a source confer roles",
      description: covered,
      body: BindingBody,
      answer: Binding,
      status: 201,
      problems: written,
    },
    async ({ principal, params, body }) =>
      createBinding(service, principal, params.org_id, params.source_id, await body()),
  );
  endpoint(
    app,
    "get",
    BINDING,
    { id: "getGroupRoleBinding", tag, summary: "Read a binding", answer: Binding, problems: [403, 404] },
    async ({ principal, params }) =>
      readBinding(service.db, principal, params.org_id, params.source_id, params.binding_id),
  );
  endpoint(
    app,
    "put",
    BINDING,
    {
      id: "replaceGroupRoleBinding",
      tag,
      summary: "Replace a binding's group and roles",
      description: covered,
      body: BindingBody,
      answer: Binding,
      problems: written,
    },
    async ({ principal, params, body }) =>
      replaceBinding(service, principal, params.org_id, params.source_id, params.binding_id, await body()),
  );
  endpoint(
    app,
    "delete",
    BINDING,
    {
      id: "deleteGroupRoleBinding",
      tag,
      summary: "Delete a binding; what it conferred ends at once",
      problems: [403, 404, 409],
    },
    async ({ principal, params }) =>
      deleteBinding(service, principal, params.org_id, params.source_id, params.binding_id),
  );
  accessRuleRoutes(app, service);
}

function accessRuleRoutes(app: Hono<AppEnv>, service: Service): void {
  endpoint(
    app,
    "get",
    RULES,
    {
      id: "listAccessRules",
      tag,
      summary: "List the rules by which signing in makes a member",
      query: v.strictObject(listFields(Object.keys(RULE_LIST.fields))),
      answer: AccessRulePage,
      problems: listed,
    },
    async ({ principal, params, query }) => listRules(service.db, principal, params.org_id, params.source_id, query()),
  );
  endpoint(
    app,
    "post",
    RULES,
    {
      id: "createAccessRule",
      tag,
      summary: "Admit people who sign in at this source and match",
      body: AccessRuleBody,
      answer: AccessRuleAnswer,
      status: 201,
      problems: written,
    },
    async ({ principal, params, body }) =>
      createRule(service, principal, params.org_id, params.source_id, await body()),
  );
  endpoint(
    app,
    "delete",
    RULE,
    { id: "deleteAccessRule", tag, summary: "Delete an access rule", problems: [403, 404] },
    async ({ principal, params }) => deleteRule(service, principal, params.org_id, params.source_id, params.rule_id),
  );
}
