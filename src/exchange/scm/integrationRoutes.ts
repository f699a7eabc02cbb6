import type { Hono } from "hono";
import * as v from "valibot";
import { Id, pageOf, Time } from "../../http/answerFields.ts";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { listFields } from "../../http/listQuery.ts";
import { displayName } from "../../http/textFields.ts";
import { withoutEndSlash } from "../../platform/settings/endSlash.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import { AuthConfigBody } from "./authConfig.ts";
import type { Hosts } from "./host/hosts.ts";
import {
  authorizeIntegration,
  createIntegration,
  deleteIntegration,
  INTEGRATION_LIST,
  type IntegrationDeps,
  listIntegrations,
  updateIntegration,
} from "./integrations.ts";
import type { IntegrationRow } from "./schema.ts";
import { testCall } from "./testCall.ts";
import { compilePattern } from "./urlPattern.ts";

const MANY = "/api/v1/orgs/:org_id/scm-integrations";
const ONE = "/api/v1/orgs/:org_id/scm-integrations/:integration_id";
const tag = "source control";

const UrlPattern = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(500),
  v.check(
    (text) => compilePattern(text) !== null,
    "is not a regular expression of RE2, or too large a one: no look-around, no back-references, few repetitions",
  ),
);
const ApiBaseUrl = v.pipe(
  v.string(),
  v.maxLength(500),
  v.check(isBase, "expected an https address without user name, query and fragment"),
  v.transform(withoutEndSlash),
);

/** Nothing that reads differently as an address and as a template of calls. */
function isBase(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^https?:\/\/[^\s/\\{}]+[A-Za-z0-9._~/-]*$/.test(text) || /\/\.{1,2}(\/|$)/.test(text))
    return false;
  return url.username === "" && url.password === "" && url.search === "" && url.hash === "";
}

const HostName = v.pipe(
  v.string(),
  v.maxLength(253),
  v.regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/, "expected a host's name in lower case"),
);

const Body = v.strictObject({
  name: displayName(100),
  url_pattern: UrlPattern,
  priority: v.optional(v.pipe(v.number(), v.integer(), v.minValue(-1_000_000), v.maxValue(1_000_000)), 100),
  api_base_url: v.optional(v.nullable(ApiBaseUrl), null),
  host_names: v.pipe(
    v.optional(v.pipe(v.array(HostName), v.maxLength(10)), []),
    v.metadata({ description: "Other names of the code host, as its own for SSH" }),
  ),
  auth_config: v.optional(AuthConfigBody),
});

const Summary = v.object({
  kind: v.picklist(["app", "token", "none"]),
  app_id: v.optional(v.string()),
  installation_id: v.optional(v.string()),
  has_private_key: v.boolean(),
  has_token: v.boolean(),
  has_webhook_secret: v.boolean(),
});
const Integration = v.pipe(
  v.object({
    id: Id,
    org_id: Id,
    name: v.string(),
    url_pattern: v.string(),
    priority: v.number(),
    api_base_url: v.nullable(v.string()),
    host_names: v.array(v.string()),
    auth_config_summary: Summary,
    webhook_url: v.optional(v.string()),
    last_success_at: v.pipe(
      v.nullable(Time),
      v.metadata({ description: "When its host answered last; to the minute" }),
    ),
    last_failure: v.pipe(
      v.nullable(v.object({ at: Time, reason: v.string() })),
      v.metadata({ description: "When and why its host did not; an older one than last_success_at is over" }),
    ),
    created_at: Time,
    updated_at: Time,
  }),
  v.metadata({ ref: "ScmIntegration" }),
);
const IntegrationPage = v.pipe(pageOf(Integration), v.metadata({ ref: "ScmIntegrationPage" }));

const TestBody = v.strictObject({
  repository_url: v.pipe(
    v.optional(v.pipe(v.string(), v.maxLength(1_000))),
    v.metadata({ description: "A repository that the integration serves; one of a stack when left out" }),
  ),
});
const TestAnswer = v.object({ ok: v.boolean(), repository: v.string(), reason: v.nullable(v.string()) });

export type IntegrationRoutesDeps = IntegrationDeps & { publicBaseUrl: string | undefined; hosts: Hosts };

/** Integrations with code hosts: their routes. */
export function integrationRoutes(app: Hono<AppEnv>, deps: IntegrationRoutesDeps): void {
  const { service, publicBaseUrl } = deps;
  const answer = (row: IntegrationRow) => integrationAnswer(row, publicBaseUrl);
  endpoint(
    app,
    "post",
    MANY,
    {
      id: "createScmIntegration",
      tag,
      summary: "Create an integration with a code host",
      description: "Secrets in auth_config can be written and never read.",
      body: Body,
      answer: Integration,
      status: 201,
      problems: [403, 404, 409],
    },
    async ({ principal, params, body }) =>
      answer(await createIntegration(deps, principal, params.org_id, await body())),
  );
  endpoint(
    app,
    "get",
    MANY,
    {
      id: "listScmIntegrations",
      tag,
      summary: "List the integrations",
      query: v.strictObject(listFields(Object.keys(INTEGRATION_LIST.fields))),
      answer: IntegrationPage,
      problems: [403],
    },
    async ({ principal, params, query }) => {
      const { items, next_cursor } = await listIntegrations(service.db, principal, params.org_id, query());
      return { items: items.map(answer), next_cursor };
    },
  );
  endpoint(
    app,
    "get",
    ONE,
    { id: "getScmIntegration", tag, summary: "Read an integration", answer: Integration, problems: [404] },
    async ({ principal, params }) =>
      answer(await authorizeIntegration(service.db, principal, params.org_id, params.integration_id, "read")),
  );
  endpoint(
    app,
    "put",
    ONE,
    {
      id: "replaceScmIntegration",
      tag,
      summary: "Replace an integration's settings; secrets left out stay",
      body: Body,
      answer: Integration,
      problems: [404, 409, 503],
    },
    async ({ principal, params, body }) => {
      const { org_id, integration_id } = params;
      const row = await authorizeIntegration(service.db, principal, org_id, integration_id, "update");
      return answer(await updateIntegration(deps, principal, row, await body()));
    },
  );
  endpoint(
    app,
    "delete",
    ONE,
    { id: "deleteScmIntegration", tag, summary: "Delete an integration and its inbox", problems: [404] },
    async ({ principal, params }) => {
      const { org_id, integration_id } = params;
      const row = await authorizeIntegration(service.db, principal, org_id, integration_id, "delete");
      await deleteIntegration(service, principal, row);
    },
  );
  testRoute(app, deps);
}

/** One call to the integration's host, whose outcome is the answer. */
function testRoute(app: Hono<AppEnv>, { service, hosts }: IntegrationRoutesDeps): void {
  endpoint(
    app,
    "post",
    `${ONE}/test`,
    {
      id: "testScmIntegration",
      tag,
      summary: "Ask the integration's host for a repository now",
      description: "Needs (scm_integration, update). What the host does not allow is an answer with the reason.",
      body: TestBody,
      answer: TestAnswer,
      problems: [404, 503],
    },
    async ({ principal, params, body }) => {
      const { org_id, integration_id } = params;
      const row = await authorizeIntegration(service.db, principal, org_id, integration_id, "update");
      return testCall(service.db, hosts, principal, row, (await body()).repository_url);
    },
  );
}

function integrationAnswer(row: IntegrationRow, base: string | undefined): v.InferInput<typeof Integration> {
  const url = `${base}/api/v1/orgs/${row.orgId}/scm-integrations/${row.id}/webhook`;
  return {
    id: row.id,
    org_id: row.orgId,
    name: row.name,
    url_pattern: row.urlPattern,
    priority: row.priority,
    api_base_url: row.apiBaseUrl,
    host_names: row.hostNames,
    auth_config_summary: row.authConfigSummary,
    ...(base !== undefined && { webhook_url: url }),
    last_success_at: row.lastSuccessAt && rfc3339(row.lastSuccessAt),
    last_failure: row.lastFailureAt === null ? null : { at: rfc3339(row.lastFailureAt), reason: row.lastFailure ?? "" },
    created_at: rfc3339(row.createdAt),
    updated_at: rfc3339(row.updatedAt),
  };
}
