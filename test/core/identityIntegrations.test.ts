/** Integrations of identities over HTTP: what each takes, who may, and what a cloud has to trust (docs/cloud.md). */
import { describe, expect } from "vitest";
import { PHASES } from "../../src/core/identity/claims.ts";
import { makeStack } from "../support/fixtures.ts";
import { peopleTest } from "../support/test.ts";

const ARN = "arn:aws:iam::123456789012:role/deploy";
const PROVIDER = "projects/123456789012/locations/global/workloadIdentityPools/pool/providers/prov";
const [TENANT, CLIENT] = ["22222222-2222-4222-8222-222222222222", "11111111-1111-4111-8111-111111111111"];

const test = peopleTest().extend("world", async ({ api }) => {
  const org = await api.makeOrg();
  const admin = (await api.makeAccount(org, [["*", "*"]])).token;
  const key = await makeStack(api.database, org);
  const [row] = await api.database.sql`select slug, name from stacks where stack_key = ${key}`;
  const at = (type = "") => `/api/v1/orgs/${org}/stacks/${row?.slug}/cloud-integrations${type && `/${type}`}`;
  const call = (method: string, type: string, body?: unknown, token = admin) =>
    api.call(method, at(type), { token, body });
  const put = (type: string, config: unknown, token = admin) =>
    call("PUT", type, { provider_type: type, config }, token);
  return { api, org, key, name: row?.name as string, call, put };
});

describe("each kind", () => {
  test.for<[string, object, object]>([
    [
      "aws_identity",
      {
        roles: [
          { name: "b", role_arn: ARN, use_in_previews: false },
          { name: "a", role_arn: ARN },
        ],
      },
      {
        audience: "sts.amazonaws.com",
        roles: [
          { name: "a", role_arn: ARN, use_in_previews: true },
          { name: "b", role_arn: ARN, use_in_previews: false },
        ],
      },
    ],
    [
      "google_identity",
      { workload_identity_provider: PROVIDER },
      { workload_identity_provider: PROVIDER, use_in_previews: true },
    ],
    [
      "azure_identity",
      { tenant_id: TENANT.toUpperCase(), client_id: CLIENT },
      { tenant_id: TENANT, client_id: CLIENT, audience: "api://AzureADTokenExchange", use_in_previews: true },
    ],
    [
      "vault_identity",
      { address: "https://vault.example:8200/v", use_in_previews: false },
      { address: "https://vault.example:8200/v", audience: "vault", use_in_previews: false },
    ],
    [
      "identity_files",
      { files: [{ name: "k", audience: "https://k.example", variable: "TF_VAR_k_token_file" }] },
      { files: [{ name: "k", audience: "https://k.example", variable: "TF_VAR_k_token_file", use_in_previews: true }] },
    ],
  ])(
    "%s is normalized, given back with what is to be trusted, audited, and goes",
    async ([type, sent, stored], { world }) => {
      const written = await world.put(type, sent);
      const subject = (phase: string) => `org:${world.org}:stack:${world.key}:phase:${phase}`;
      expect([written.status, written.body]).toEqual([
        200,
        {
          provider_type: type,
          config: stored,
          trust: {
            issuer: world.api.baseUrl,
            subjects: Object.fromEntries(PHASES.map((phase) => [phase, subject(phase)])),
          },
        },
      ]);
      expect((await world.call("GET", type)).body).toEqual(written.body);
      expect((await world.call("GET", "")).body.items).toEqual([written.body]);
      // Nothing changed, nothing to tell.
      await world.put(type, stored);
      expect((await world.call("DELETE", type)).status).toBe(204);
      expect((await world.call("GET", type)).status).toBe(404);
      const trail = await world.api.database.sql`
      select action, resource_id from audit_log where org_id = ${world.org} and resource_type = 'cloud_integration' order by id`;
      expect(trail.map(({ action, resource_id }) => [action, resource_id])).toEqual([
        ["cloud_integration.update", `${world.name}:${type}`],
        ["cloud_integration.delete", `${world.name}:${type}`],
      ]);
    },
  );

  test.for<[string, object, string]>([
    ["aws_identity", { roles: [] }, "config.roles"],
    ["aws_identity", { roles: [{ name: "a", role_arn: "arn:aws:iam::1:role/x" }] }, "config.roles.0.role_arn"],
    ["aws_identity", { roles: [{ name: "a\n", role_arn: ARN }] }, "config.roles.0.name"],
    ["aws_identity", { audience: "a b", roles: [{ name: "a", role_arn: ARN }] }, "config.audience"],
    [
      "google_identity",
      { workload_identity_provider: `//iam.googleapis.com/${PROVIDER}` },
      "config.workload_identity_provider",
    ],
    ["azure_identity", { tenant_id: "common", client_id: CLIENT }, "config.tenant_id"],
    ["vault_identity", { address: "https://me:pw@vault.example" }, "config.address"],
    ["identity_files", { files: [{ name: "k", audience: "a", variable: "LD_PRELOAD" }] }, "config.files.0.variable"],
    ["identity_files", { files: [{ name: "../k", audience: "a", variable: "A_FILE" }] }, "config.files.0.name"],
    ["identity_files", { files: [], subject: "org:other" }, "config.subject"],
  ])("%s refuses %j by its field", async ([type, config, field], { world }) => {
    const refused = await world.put(type, config);
    expect([refused.status, refused.body.errors.map((each: { field: string }) => each.field)]).toEqual([
      422,
      expect.arrayContaining([field]),
    ]);
  });
});

test("a stack has one of each pair that tools could not tell apart", async ({ world }) => {
  const roles = { roles: [{ name: "default", role_arn: ARN }] };
  expect((await world.put("aws_identity", roles)).status).toBe(200);
  expect(await world.put("cloud_a", roles)).toMatchObject({ status: 409, body: { code: "conflict" } });
  expect((await world.call("DELETE", "aws_identity")).status).toBe(204);
  expect((await world.put("cloud_a", roles)).status).toBe(200);
  expect((await world.put("aws_identity", roles)).status).toBe(409);
  expect((await world.call("GET", "cloud_a")).body).not.toHaveProperty("trust");
});

test("it needs (cloud_integration, update) on the stack's name and the kind", async ({ world }) => {
  const { api, org, name } = world;
  const config = { address: "https://vault.example" };
  const other = (await api.makeAccount(org, [["cloud_integration", "update", { pattern: `${name}:aws_identity` }]]))
    .token;
  const own = (await api.makeAccount(org, [["cloud_integration", "update", { pattern: `${name}:vault_identity` }]]))
    .token;
  expect((await world.put("vault_identity", config, other)).status).toBe(404);
  expect((await world.put("vault_identity", config, own)).status).toBe(200);
  expect((await world.call("DELETE", "vault_identity", undefined, own)).status).toBe(404);
});
