import type { Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { listFields } from "../../http/listQuery.ts";
import type { Hosts } from "./host/hosts.ts";
import {
  Integration,
  IntegrationBody,
  IntegrationPage,
  integrationAnswer,
  TestAnswer,
  TestBody,
} from "./integrationFields.ts";
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

const MANY = "/api/v1/orgs/:org_id/scm-integrations";
const ONE = "/api/v1/orgs/:org_id/scm-integrations/:integration_id";
const tag = "source control";

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
      body: IntegrationBody,
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
      body: IntegrationBody,
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
