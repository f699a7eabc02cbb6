/**
 * What every people's route asks for, written down apart from the code that enforces it (docs/rules/permissions.md).
 * A denial is 404 on routes below one resource, 403 on a family or an organization, and an empty page on the scoped
 * lists.
 */
import type { World } from "./accessWorld.ts";

export type Entry = {
  denial: "404" | "403" | "empty page" | "any person" | "super-admins" | "no credential asked";
  /** `type:action` that opens the route. */
  needs?: string;
  /** Each of these opens the route too, for some bodies: the check for the body's own permission comes after. */
  or?: string[];
  /** More that the sample body asks for. */
  also?: string[];
  /** Valid where the body is read before the check. */
  body?: (world: World, nth: number) => unknown;
  /** Refused to every token, whatever it may do. */
  sessionOnly?: boolean;
  /** What it answers for what is not there, if not 404. */
  missing?: 403;
  /** What the sample resource answers although the caller may: it has no plan, no such pull request. */
  own?: number[];
};

const one = (needs: string, own: number[] = []): Entry => ({ denial: "404", needs, own });
const family = (needs: string, body?: Entry["body"], also: string[] = []): Entry => ({
  denial: "403",
  needs,
  also,
  ...(body && { body }),
});
const list = (needs: string): Entry => ({ denial: "empty page", needs });
const person: Entry = { denial: "any person" };
const engine: Pick<Entry, "denial" | "missing"> = { denial: "403", missing: 403 };
const open: Entry = { denial: "no credential asked" };
const operator: Entry = { denial: "super-admins" };

const ORG = "/api/v1/orgs/:org_id";
const SOURCE = `${ORG}/identity-sources/:source_id`;
const STACK = `${ORG}/stacks/:stack_id`;
const NOTIFICATIONS = `${ORG}/notification-integrations/:notification_integration_id`;
const STATE_VERSION = `${STACK}/state/versions/:version_id`;
const POLICY = `${ORG}/policies/:policy_id`;
const DEPLOYMENT = `${STACK}/deployments/:id`;
/** Cancelling needs what creating such a deployment needs, or (stack, confirm). */
const cancel: Entry = {
  ...one("stack:confirm"),
  or: ["stack:deploy", "stack:preview", "stack:run_command", "stack:local_deploy"],
};
const name = (_: World, nth: number) => ({ name: `n${nth}` });
const context = (_: World, nth: number) => ({ name: `n${nth}`, selector: {}, variables: [] });
const schedule = (_: World, nth: number) => ({ name: `n${nth}`, selector: {}, policy: { interval: "P1D" } });
const policy = (_: World, nth: number) => ({ name: `n${nth}`, enforcement: "shadow" });
const comes = (_: World, nth: number) => ({ name: `n${nth}`, mode: "plan", cron: "0 3 * * *" });
const selected = (_: World, nth: number) => ({ ...comes(_, nth), selector: {} });
const until = () => ({ expires_at: "2099-01-01T00:00:00Z", reason: "r" });
const rule = (_: World, nth: number) => ({ name: `n${nth}`, selector: { never: "matched" }, count: 1, approvers: {} });
const role = (_: World, nth: number) => ({ name: `n${nth}`, permissions: [] });
const binding = ({ own }: World, nth: number) => ({ group_key: `g${nth}`, role_ids: [own.role_id] });
const source = { display_name: "s", groups_scope: null };

export const ACCESS: Record<string, Entry> = {
  "GET /api/v1/auth/me": person,
  "GET /api/v1/cloud-providers": person,
  "GET /api/v1/auth/sso/providers": open,
  "GET /api/v1/auth/sso/orgs/:handle/providers": open,
  "GET /api/v1/auth/sso/:provider_key/start": open,
  "GET /api/v1/auth/sso/orgs/:handle/sources/:slug/start": open,
  "GET /api/v1/auth/sso/callback": open,
  "GET /api/v1/auth/sso/confirm": open,
  "POST /api/v1/auth/sso/:provider_key/link/start": { ...person, own: [404] },
  "GET /api/v1/me/sign-in-confirmations/:confirmation_id": { ...person, own: [404] },
  "POST /api/v1/me/sign-in-confirmations/:confirmation_id": { ...person, own: [404] },
  "DELETE /api/v1/me/sign-in-confirmations/:confirmation_id": { ...person, own: [404] },
  "POST /api/v1/auth/logout": person,
  "POST /api/v1/auth/device": open,
  "POST /api/v1/auth/device/token": open,
  "GET /api/v1/auth/device": open,
  "GET /api/v1/me/device-logins/:user_code": { ...person, own: [404] },
  "POST /api/v1/me/device-logins/:user_code": {
    ...person,
    body: ({ own }) => ({ org_id: own.org_id }),
    own: [403, 404],
  },
  "DELETE /api/v1/me/device-logins/:user_code": { ...person, own: [404] },
  "POST /api/v1/me/tokens": {
    ...person,
    body: ({ own }, nth) => ({ name: `t${nth}`, org_id: own.org_id }),
    own: [403, 422],
  },
  "GET /api/v1/me/tokens": person,
  "DELETE /api/v1/me/tokens/:token_id": { ...person, own: [404] },
  "GET /api/v1/me/sessions": person,
  "DELETE /api/v1/me/sessions": person,
  "DELETE /api/v1/me/sessions/:session_id": { ...person, own: [404] },
  "GET /api/v1/me/membership-offers": person,
  "POST /api/v1/me/membership-offers/:offer_id/accept": { ...person, own: [404] },
  "DELETE /api/v1/me/membership-offers/:offer_id": { ...person, own: [404] },
  [`GET ${ORG}/proofs`]: family("identity_source:manage"),
  [`POST ${ORG}/proofs`]: family("identity_source:manage", (_, nth) => ({ kind: "domain", name: `n${nth}.example` })),
  [`POST ${ORG}/proofs/:proof_id/check`]: family("identity_source:manage"),
  [`DELETE ${ORG}/proofs/:proof_id`]: family("identity_source:manage"),
  "GET /api/v1/me/identities": person,
  "DELETE /api/v1/me/identities/:identity_id": { ...person, own: [404] },
  "GET /api/v1/users": operator,
  "GET /api/v1/users/:user_id": operator,
  "POST /api/v1/users/:user_id/disable": operator,
  "POST /api/v1/users/:user_id/enable": operator,
  "POST /api/v1/users/:user_id/force-logout": operator,
  "POST /api/operator/v1/orgs/:org_id/rebuild-metadata": operator,
  "GET /api/operator/v1/audit-log": operator,
  "POST /api/v1/orgs": { ...person, body: name },
  "GET /api/v1/orgs": person,
  [`GET ${ORG}`]: family("org:read"),
  [`PATCH ${ORG}`]: family("org:update", name),
  [`GET ${ORG}/audit-log`]: family("org:update"),
  [`GET ${ORG}/dispatch-budget`]: family("org:read"),
  [`GET ${ORG}/drift`]: list("stack:read"),
  [`GET ${ORG}/approval-rules`]: family("approval_rule:read"),
  [`POST ${ORG}/approval-rules`]: family("approval_rule:create", rule),
  [`GET ${ORG}/approval-rules/:approval_rule_id`]: family("approval_rule:read"),
  [`PUT ${ORG}/approval-rules/:approval_rule_id`]: family("approval_rule:update", rule),
  [`DELETE ${ORG}/approval-rules/:approval_rule_id`]: family("approval_rule:delete"),
  [`GET ${ORG}/drift-schedules`]: family("drift_schedule:read"),
  [`POST ${ORG}/drift-schedules`]: family("drift_schedule:create", schedule),
  [`GET ${ORG}/drift-schedules/:schedule_id`]: family("drift_schedule:read"),
  [`PUT ${ORG}/drift-schedules/:schedule_id`]: family("drift_schedule:update", schedule),
  [`DELETE ${ORG}/drift-schedules/:schedule_id`]: family("drift_schedule:delete"),
  [`GET ${ORG}/policies`]: family("policy:read"),
  [`POST ${ORG}/policies`]: family("policy:create", policy),
  [`GET ${POLICY}`]: family("policy:read"),
  [`PUT ${POLICY}`]: family("policy:update", (world, nth) => ({ ...policy(world, nth), version: null })),
  [`DELETE ${POLICY}`]: family("policy:delete"),
  [`POST ${POLICY}/test`]: {
    ...family("policy:read", ({ own }) => ({ stack_id: own.stack_id, deployment_id: own.id }), ["stack:read"]),
    own: [404],
  },
  [`GET ${POLICY}/versions`]: family("policy:read"),
  [`POST ${POLICY}/versions`]: family("policy:update", () => ({ rules: { max_destroys: 0 } })),
  [`POST ${POLICY}/versions/rego`]: { ...family("policy:update"), own: [415] },
  [`POST ${POLICY}/versions/bundle`]: { ...family("policy:update"), own: [415] },
  [`GET ${POLICY}/versions/:version`]: family("policy:read"),
  [`GET ${POLICY}/exemptions`]: family("policy:read"),
  [`POST ${POLICY}/exemptions`]: family(
    "policy:update",
    ({ own }) => ({ stack_id: own.stack_id, reason: "r", ends_at: new Date(Date.now() + 3_600_000).toISOString() }),
    ["stack:read"],
  ),
  [`DELETE ${POLICY}/exemptions/:exemption_id`]: family("policy:update"),
  [`GET ${DEPLOYMENT}/policy-evaluations`]: one("stack:read"),
  [`POST ${DEPLOYMENT}/policy-evaluations`]: one("stack:confirm", [409]),
  [`POST ${DEPLOYMENT}/policy-override`]: {
    ...one("stack:read", [409]),
    also: ["policy:override"],
    body: () => ({ plan_run_id: "01a1f77a-0000-7000-8000-00000000dead", reason: "r" }),
  },
  [`GET ${ORG}/schedules`]: list("stack:read"),
  [`POST ${ORG}/schedules`]: family("stack:update", selected, ["stack:deploy"]),
  [`GET ${ORG}/schedules/:selector_schedule_id`]: family("stack:read"),
  [`PATCH ${ORG}/schedules/:selector_schedule_id`]: family("stack:update", () => ({ paused: true })),
  [`DELETE ${ORG}/schedules/:selector_schedule_id`]: family("stack:update"),
  [`GET ${STACK}/schedules`]: one("stack:read"),
  [`POST ${STACK}/schedules`]: { ...one("stack:update"), also: ["stack:deploy"], body: comes },
  [`GET ${STACK}/schedules/:stack_schedule_id`]: one("stack:read"),
  [`PATCH ${STACK}/schedules/:stack_schedule_id`]: { ...one("stack:update"), body: () => ({ paused: true }) },
  [`DELETE ${STACK}/schedules/:stack_schedule_id`]: one("stack:update"),
  [`GET ${STACK}/lifetime`]: one("stack:read"),
  [`PUT ${STACK}/lifetime`]: {
    ...one("stack:update"),
    also: ["stack:deploy", "stack:confirm", "stack:delete"],
    body: until,
  },
  [`PATCH ${STACK}/lifetime`]: { ...one("stack:update", [409]), body: until },
  [`DELETE ${STACK}/lifetime`]: one("stack:update"),
  [`GET ${STACK}/drift`]: one("stack:read"),
  [`PUT ${STACK}/drift`]: { ...one("stack:update"), body: () => ({ interval: "P1D" }) },
  [`DELETE ${STACK}/drift`]: one("stack:update"),
  [`POST ${STACK}/drift/check`]: one("stack:deploy", [409]),
  [`GET ${ORG}/members`]: family("member:read"),
  [`POST ${ORG}/members`]: family("member:create", ({ own }) => ({ user_id: own.user_id })),
  [`DELETE ${ORG}/members/:user_id`]: family("member:delete"),
  [`GET ${ORG}/invitations`]: family("member:read"),
  [`POST ${ORG}/invitations`]: family("member:create", (_, nth) => ({ provider_key: "codehost", login: `l${nth}` })),
  [`GET ${ORG}/invitations/:invitation_id`]: family("member:read"),
  [`PUT ${ORG}/invitations/:invitation_id`]: family("member:create", () => ({})),
  [`DELETE ${ORG}/invitations/:invitation_id`]: family("member:create"),
  [`GET ${ORG}/permissions`]: family("org:read"),
  [`GET ${ORG}/roles`]: family("role:read"),
  [`POST ${ORG}/roles`]: family("role:create", role),
  [`GET ${ORG}/roles/:role_id`]: family("role:read"),
  [`PUT ${ORG}/roles/:role_id`]: family("role:update", role),
  [`DELETE ${ORG}/roles/:role_id`]: family("role:delete"),
  [`GET ${ORG}/role-assignments`]: family("role:read"),
  [`POST ${ORG}/role-assignments`]: family("role:assign", ({ own }) => ({
    role_id: own.role_id,
    user_id: own.user_id,
  })),
  [`DELETE ${ORG}/role-assignments/:assignment_id`]: family("role:assign"),
  [`GET ${ORG}/identity-sources`]: family("identity_source:read"),
  [`POST ${ORG}/identity-sources`]: family("identity_source:manage", (_, nth) => ({
    provider_key: "workspace",
    source_slug: `s${nth}`,
    ...source,
  })),
  [`GET ${SOURCE}`]: family("identity_source:read"),
  [`PUT ${SOURCE}`]: family("identity_source:manage", () => source),
  [`DELETE ${SOURCE}`]: family("identity_source:manage"),
  [`POST ${SOURCE}/test`]: { ...family("identity_source:manage"), sessionOnly: true },
  [`GET ${SOURCE}/bindings`]: family("identity_source:manage"),
  [`POST ${SOURCE}/bindings`]: family("identity_source:manage", binding),
  [`GET ${SOURCE}/bindings/:binding_id`]: family("identity_source:manage"),
  [`PUT ${SOURCE}/bindings/:binding_id`]: family("identity_source:manage", binding),
  [`DELETE ${SOURCE}/bindings/:binding_id`]: family("identity_source:manage"),
  [`GET ${SOURCE}/access-rules`]: family("identity_source:manage"),
  [`POST ${SOURCE}/access-rules`]: family("identity_source:manage", (_, nth) => ({
    rule_type: "codehost_org",
    org: `o${nth}`,
  })),
  [`DELETE ${SOURCE}/access-rules/:rule_id`]: family("identity_source:manage"),
  [`POST ${ORG}/service-accounts`]: family("service_account:create", name),
  [`GET ${ORG}/service-accounts`]: family("service_account:read"),
  [`GET ${ORG}/service-accounts/:account_id`]: family("service_account:read"),
  [`PATCH ${ORG}/service-accounts/:account_id`]: family("service_account:update", name),
  [`POST ${ORG}/service-accounts/:account_id/disable`]: family("service_account:update"),
  [`POST ${ORG}/service-accounts/:account_id/enable`]: family("service_account:update"),
  [`DELETE ${ORG}/service-accounts/:account_id`]: family("service_account:delete"),
  [`POST ${ORG}/service-accounts/:account_id/tokens`]: family("service_account:update", name),
  [`GET ${ORG}/service-accounts/:account_id/tokens`]: family("service_account:read"),
  [`GET ${ORG}/service-account-tokens`]: family("service_account:read"),
  [`DELETE ${ORG}/service-accounts/:account_id/tokens/:token_id`]: family("service_account:update"),
  [`GET ${ORG}/config/protected-labels`]: family("label:read"),
  [`PUT ${ORG}/config/protected-labels`]: family("label:create", () => ({ keys: [] })),
  [`GET ${ORG}/contexts`]: family("context:read"),
  [`POST ${ORG}/contexts`]: family("context:create", context),
  [`GET ${ORG}/contexts/:context_id`]: family("context:read"),
  [`PUT ${ORG}/contexts/:context_id`]: family("context:update", context, ["context:read"]),
  [`DELETE ${ORG}/contexts/:context_id`]: family("context:delete"),
  [`POST ${ORG}/stacks`]: family("stack:create", (_, nth) => ({
    name: `n${nth}`,
    repository_url: "https://git.example/r",
    branch: "main",
  })),
  [`GET ${ORG}/stacks`]: list("stack:read"),
  [`GET ${ORG}/deployments`]: list("stack:read"),
  [`GET ${ORG}/overview`]: list("stack:read"),
  [`GET ${ORG}/live`]: list("stack:read"),
  [`GET ${ORG}/labels`]: list("stack:read"),
  [`GET ${ORG}/dependencies`]: list("stack:read"),
  [`GET ${ORG}/explore/resources`]: list("stack:read"),
  [`GET ${ORG}/explore/findings`]: list("stack:read"),
  [`GET ${STACK}`]: one("stack:read"),
  [`PUT ${STACK}`]: one("stack:update"),
  [`PATCH ${STACK}`]: one("stack:update"),
  [`DELETE ${STACK}`]: one("stack:delete"),
  [`POST ${STACK}/hold`]: one("stack:confirm"),
  [`POST ${STACK}/release`]: one("stack:confirm"),
  [`GET ${STACK}/queue`]: one("stack:read"),
  [`GET ${STACK}/variables`]: { ...one("stack:read"), also: ["context:read"] },
  [`GET ${STACK}/cloud-integrations`]: one("cloud_integration:read"),
  [`GET ${STACK}/cloud-integrations/:provider_type`]: one("cloud_integration:read"),
  [`PUT ${STACK}/cloud-integrations/:provider_type`]: one("cloud_integration:update"),
  [`DELETE ${STACK}/cloud-integrations/:provider_type`]: one("cloud_integration:delete"),
  [`GET ${STACK}/dependencies`]: one("stack:read"),
  [`GET ${STACK}/dependency-cycles`]: one("stack:read"),
  [`POST ${STACK}/deployments`]: { ...one("stack:deploy"), or: ["stack:preview"] },
  [`GET ${STACK}/deployments`]: one("stack:read"),
  [`POST ${STACK}/deployments/skip`]: one("stack:confirm"),
  [`POST ${STACK}/deployments/cancel`]: cancel,
  [`POST ${STACK}/deployments/run-command`]: one("stack:run_command"),
  [`POST ${STACK}/deployments/local`]: one("stack:local_deploy"),
  [`POST ${STACK}/local-sources`]: one("stack:local_deploy"),
  [`GET ${DEPLOYMENT}`]: one("stack:read"),
  [`GET ${DEPLOYMENT}/approvals`]: one("stack:read"),
  [`GET ${DEPLOYMENT}/events`]: one("stack:read"),
  [`GET ${DEPLOYMENT}/logs`]: one("stack:read"),
  [`GET ${DEPLOYMENT}/plan`]: one("stack:read", [404]),
  [`GET ${DEPLOYMENT}/plan/changes`]: one("stack:read", [404]),
  [`GET ${DEPLOYMENT}/plan/text`]: one("stack:read", [404]),
  [`GET ${DEPLOYMENT}/dependents`]: one("stack:read"),
  // Declared never: whoever may deploy it learns that it cannot be.
  [`POST ${DEPLOYMENT}/dependents/:dependent_stack_id/deploy`]: {
    ...one("stack:deploy", [409]),
    also: ["stack:read"],
  },
  [`POST ${DEPLOYMENT}/retry`]: one("stack:deploy"),
  [`POST ${DEPLOYMENT}/confirm`]: one("stack:confirm"),
  [`POST ${DEPLOYMENT}/confirm-preview`]: one("stack:preview"),
  [`POST ${DEPLOYMENT}/reviews`]: one("stack:review"),
  [`POST ${DEPLOYMENT}/skip`]: one("stack:confirm"),
  [`POST ${DEPLOYMENT}/prioritize`]: one("stack:prioritize"),
  [`POST ${DEPLOYMENT}/deprioritize`]: one("stack:prioritize"),
  [`POST ${DEPLOYMENT}/cancel`]: cancel,
  [`GET ${STACK}/pull-requests`]: one("stack:read"),
  [`POST ${STACK}/pull-requests/refresh`]: one("stack:preview"),
  [`GET ${STACK}/pull-requests/refresh`]: one("stack:preview", [404]),
  [`POST ${STACK}/pull-requests/:number/promote`]: one("stack:deploy", [404]),
  // What an engine calls: it takes 404 for a state that was never written.
  [`GET ${STACK}/state`]: { ...engine, needs: "stack:read_state" },
  [`POST ${STACK}/state`]: { ...engine, needs: "stack:write_state", own: [409, 415] },
  [`DELETE ${STACK}/state`]: { ...engine, needs: "stack:write_state" },
  [`PUT ${STACK}/state/lock`]: { ...engine, needs: "stack:write_state", own: [400] },
  [`LOCK ${STACK}/state/lock`]: { ...engine, needs: "stack:write_state", own: [400] },
  [`UNLOCK ${STACK}/state/lock`]: { ...engine, needs: "stack:write_state", own: [400] },
  [`DELETE ${STACK}/state/lock`]: { ...engine, needs: "stack:write_state", own: [400] },
  [`GET ${STACK}/state/lock`]: one("stack:read_state"),
  [`POST ${STACK}/state/force-unlock`]: one("stack:write_state", [409, 422]),
  [`GET ${STACK}/state/versions`]: one("stack:read_state"),
  [`GET ${STATE_VERSION}`]: one("stack:read_state", [404]),
  [`GET ${STATE_VERSION}/body`]: one("stack:read_state", [404]),
  [`GET ${STATE_VERSION}/changes`]: one("stack:read_state", [404]),
  [`POST ${STATE_VERSION}/restore`]: one("stack:write_state", [404, 422]),
  [`GET ${STACK}/outputs`]: one("stack:read_outputs"),
  [`GET ${STACK}/outputs/:name`]: one("stack:read_outputs", [404]),
  [`GET ${STACK}/output-readers`]: one("stack:read_outputs"),
  [`PUT ${STACK}/output-readers/:dependent_stack_id`]: { ...one("stack:read_outputs", [422]), also: ["stack:update"] },
  [`DELETE ${STACK}/output-readers/:dependent_stack_id`]: one("stack:update", [404]),
  [`POST ${ORG}/runner-groups`]: family("runner_group:create", name),
  [`GET ${ORG}/runner-groups`]: list("runner_group:read"),
  [`GET ${ORG}/runner-groups/:group_id`]: one("runner_group:read"),
  [`GET ${ORG}/runner-groups/:group_id/queue`]: one("runner_group:read"),
  [`PUT ${ORG}/runner-groups/:group_id`]: one("runner_group:update"),
  [`PATCH ${ORG}/runner-groups/:group_id`]: one("runner_group:update"),
  [`DELETE ${ORG}/runner-groups/:group_id`]: one("runner_group:delete"),
  [`POST ${ORG}/runner-groups/:group_id/rotate-key`]: one("runner_group:update"),
  [`GET ${ORG}/runners`]: list("runner:read"),
  [`DELETE ${ORG}/runners/:runner_id`]: one("runner:delete"),
  [`POST ${ORG}/scm-integrations`]: family("scm_integration:create", (_, nth) => ({
    name: `n${nth}`,
    url_pattern: "^x",
  })),
  [`GET ${ORG}/scm-integrations`]: family("scm_integration:read"),
  [`GET ${ORG}/scm-integrations/:integration_id`]: one("scm_integration:read"),
  [`PUT ${ORG}/scm-integrations/:integration_id`]: one("scm_integration:update"),
  [`DELETE ${ORG}/scm-integrations/:integration_id`]: one("scm_integration:delete"),
  [`POST ${ORG}/scm-integrations/:integration_id/test`]: one("scm_integration:update"),
  [`GET ${ORG}/scm-integrations/:integration_id/scm-events`]: one("scm_integration:read"),
  [`POST ${ORG}/scm-integrations/:integration_id/scm-events/:event_id/retry`]: one("scm_integration:update"),
  [`POST ${ORG}/scm-integrations/:integration_id/webhook`]: open,
  [`POST ${ORG}/notification-integrations`]: family("notification_integration:create", (_, nth) => ({
    name: `n${nth}`,
    events: [],
    auth_config: { url: "https://hooks.example/x" },
  })),
  [`GET ${ORG}/notification-integrations`]: family("notification_integration:read"),
  [`GET ${NOTIFICATIONS}`]: one("notification_integration:read"),
  [`PUT ${NOTIFICATIONS}`]: one("notification_integration:update"),
  [`DELETE ${NOTIFICATIONS}`]: one("notification_integration:delete"),
  [`POST ${NOTIFICATIONS}/test`]: one("notification_integration:update"),
  [`GET ${ORG}/notification-deliveries`]: family("notification_integration:read"),
  [`POST ${ORG}/notification-deliveries/:delivery_id/retry`]: one("notification_integration:update"),
};
