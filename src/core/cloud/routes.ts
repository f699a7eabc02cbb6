/** `.../stacks/{stack_id}/cloud-integrations` and `GET /cloud-providers`. */
import type { Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { requireSession } from "../../people/authorization/requireSession.ts";
import { mapOf } from "../../platform/json/mapOf.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import { PHASES, subjectOf } from "../identity/claims.ts";
import type { IdentityIssuer } from "../identity/issuer.ts";
import {
  authorizeCloud,
  type CloudDeps,
  type CloudIntegration,
  deleteCloudIntegration,
  listCloudIntegrations,
  putCloudIntegration,
  readCloudIntegration,
} from "./integrations.ts";
import { IDENTITY_TYPES } from "./providerType.ts";

const MANY = "/api/v1/orgs/:org_id/stacks/:stack_id/cloud-integrations";
const ONE = "/api/v1/orgs/:org_id/stacks/:stack_id/cloud-integrations/:provider_type";
const tag = "cloud";

const CloudIntegrationAnswer = v.pipe(
  v.object({
    provider_type: v.string(),
    config: v.pipe(
      mapOf(v.string(), v.unknown()),
      v.metadata({
        description:
          "cloud_a: roles, sorted by name; cloud_b: service_account_email, use_in_previews; others as the manual has them",
      }),
    ),
    trust: v.optional(
      v.pipe(
        v.object({ issuer: v.string(), subjects: mapOf(v.string(), v.string()) }),
        v.metadata({ description: "Of an identity: what the cloud has to trust, and `sub` by what a run does" }),
      ),
    ),
  }),
  v.metadata({ ref: "CloudIntegration" }),
);
const CloudIntegrations = v.object({ items: v.array(CloudIntegrationAnswer) });
const CloudProviders = v.array(v.object({ provider_type: v.string() }));
/** The config is the provider's to read. */
const Body = v.strictObject({ provider_type: v.string(), config: v.unknown() });

const pathOf = (params: { org_id: string; stack_id: string }) => ({ orgId: params.org_id, stackId: params.stack_id });

export function cloudRoutes(app: Hono<AppEnv>, deps: CloudDeps & { issuer: Pick<IdentityIssuer, "url"> | null }): void {
  const { service, providers, issuer } = deps;
  const shown = (orgId: string, { provider_type, stack_key, config }: CloudIntegration) => {
    const isIdentity = (IDENTITY_TYPES as readonly string[]).includes(provider_type);
    if (issuer === null || !isIdentity) return { provider_type, config };
    const subjects = PHASES.map((phase) => [phase, subjectOf({ orgId, stackKey: stack_key }, phase)]);
    return { provider_type, config, trust: { issuer: issuer.url, subjects: Object.fromEntries(subjects) } };
  };
  endpoint(
    app,
    "get",
    "/api/v1/cloud-providers",
    {
      id: "listCloudProviders",
      tag,
      summary: "The cloud providers of this installation",
      description: "By session only.",
      answer: CloudProviders,
      problems: [403],
    },
    async ({ principal }) => {
      requireSession(principal);
      return [...providers.keys()].map((provider_type) => ({ provider_type }));
    },
  );
  endpoint(
    app,
    "get",
    MANY,
    {
      id: "listCloudIntegrations",
      tag,
      summary: "A stack's cloud integrations, at most one per provider",
      description:
        "Needs (cloud_integration, read) on `stackName:providerType` of some provider; lists those it covers.",
      answer: CloudIntegrations,
      problems: [404],
    },
    async ({ principal, params }) => ({
      items: (await listCloudIntegrations(service.db, principal, pathOf(params))).map((one) =>
        shown(params.org_id, one),
      ),
    }),
  );
  endpoint(
    app,
    "get",
    ONE,
    {
      id: "getCloudIntegration",
      tag,
      summary: "One cloud integration",
      description: "Needs (cloud_integration, read) on `stackName:providerType`.",
      answer: CloudIntegrationAnswer,
      problems: [404],
    },
    async ({ principal, params }) =>
      shown(params.org_id, await readCloudIntegration(service.db, principal, pathOf(params), params.provider_type)),
  );
  endpoint(
    app,
    "put",
    ONE,
    {
      id: "putCloudIntegration",
      tag,
      summary: "Create or replace a cloud integration as a whole",
      description:
        "The roles sent are the complete set. 409 when the stack has the other one of cloud_a and aws_identity, or of cloud_b and google_identity. Needs (cloud_integration, update) on `stackName:providerType`.",
      body: Body,
      answer: CloudIntegrationAnswer,
      problems: [404, 409],
    },
    async ({ principal, params, body }) => {
      const type = params.provider_type;
      const stack = await authorizeCloud(service.db, principal, pathOf(params), [type], "update");
      const { provider_type, config } = await body();
      if (provider_type !== type) {
        throw new InvalidValueError([{ field: "provider_type", message: "must be the path's" }]);
      }
      return shown(params.org_id, await putCloudIntegration(deps, principal, stack, type, config));
    },
  );
  endpoint(
    app,
    "delete",
    ONE,
    {
      id: "deleteCloudIntegration",
      tag,
      summary: "Delete a cloud integration; runs that were accepted keep what they got",
      description: "Needs (cloud_integration, delete) on `stackName:providerType`.",
      problems: [404],
    },
    async ({ principal, params }) => {
      const type = params.provider_type;
      const stack = await authorizeCloud(service.db, principal, pathOf(params), [type], "delete");
      await deleteCloudIntegration(service, principal, stack, type);
    },
  );
}
