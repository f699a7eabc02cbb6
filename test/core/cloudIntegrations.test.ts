/**
 * Cloud integrations over HTTP: the set as a whole, what is refused and how it is named, who may, and what a
 * deployment's creation says (docs/rules/cloud.md).
 */
import { createHash } from "node:crypto";
import { describe, expect, vi } from "vitest";
import { preflightOf } from "../../src/core/cloud/preflight.ts";
import type { CloudConfig, RuntimeProvider } from "../../src/core/cloud/provider.ts";
import { PROVIDER_TYPES, type ProviderType } from "../../src/core/cloud/providerType.ts";
import { COMMIT, makeStack } from "../support/fixtures.ts";
import type { Grant } from "../support/peopleApi.ts";
import { peopleTest } from "../support/test.ts";

const arn = (name: string) => `arn:aws:iam::123456789012:role/${name}`;

const roles = (...list: object[]) => ({ roles: list });
const POLICY = `{ "Version": "2012-10-17",\n "Statement": [{"Effect": "Allow", "Action": "s3:Get*", "Resource": "*"}] }`;

// No credentials of the machine, so that nothing is asked of a cloud.
vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");

const test = peopleTest().extend("world", async ({ api }) => {
  const org = await api.makeOrg();
  const admin = (await api.makeAccount(org, [["*", "*"]])).token;
  const key = await makeStack(api.database, org);
  const [row] = await api.database.sql`select slug from stacks where stack_key = ${key}`;
  const stack = row?.slug;
  const at = (type = "", of = stack) => `/api/v1/orgs/${org}/stacks/${of}/cloud-integrations${type && `/${type}`}`;
  const call = (method: string, path: string, body?: unknown, token = admin) => api.call(method, path, { token, body });
  const put = (config: unknown, type = "cloud_a", token = admin) =>
    call("PUT", at(type), { provider_type: type, config }, token);

  async function audited() {
    const { body } = await call("GET", `/api/v1/orgs/${org}/audit-log`);
    return body.items
      .filter((entry: { resource_type: string }) => entry.resource_type === "cloud_integration")
      .map(({ action, resource_id, details }: Record<string, unknown>) => ({ action, resource_id, details }));
  }
  const holder = async (...grants: Grant[]) => (await api.makeAccount(org, grants)).token;
  const create = () =>
    call("POST", `/api/v1/orgs/${org}/stacks/${stack}/deployments`, { mode: "plan", commit_sha: COMMIT });
  const check = (providers: [ProviderType, RuntimeProvider<CloudConfig>][]) => {
    api.service.preflight = preflightOf(api.database.db, new Map(providers));
  };

  return { at, call, put, audited, holder, create, check, org, stack };
});

describe("the set of roles", () => {
  test("is replaced as a whole, normalized, sorted, and given back verbatim", async ({ world }) => {
    const first = await world.put(
      roles(
        { name: "write", role_arn: arn("write"), use_in_previews: false },
        { name: "default", role_arn: arn("read"), inline_policy: POLICY },
        { name: "Old", role_arn: arn("old") },
      ),
    );
    expect([first.status, first.body]).toEqual([
      200,
      {
        provider_type: "cloud_a",
        config: {
          roles: [
            { name: "Old", role_arn: arn("old"), use_in_previews: true },
            {
              name: "default",
              role_arn: arn("read"),
              inline_policy: JSON.stringify(JSON.parse(POLICY)),
              use_in_previews: true,
            },
            { name: "write", role_arn: arn("write"), use_in_previews: false },
          ],
        },
      },
    ]);
    const next = roles({ name: "write", role_arn: arn("other"), use_in_previews: false });
    const narrowed = roles({ ...next.roles[0], inline_policy: JSON.stringify(JSON.parse(POLICY)) });
    expect((await world.put(next)).body.config).toEqual(next);
    expect((await world.call("GET", world.at("cloud_a"))).body.config).toEqual(next);
    expect((await world.put(next)).body.config).toEqual(next);
    expect(await world.audited()).toEqual([
      {
        action: "cloud_integration.update",
        resource_id: `${world.stack}:cloud_a`,
        details: {
          stack: world.stack,
          provider_type: "cloud_a",
          roles: {
            added: [],
            removed: [
              { name: "Old", role_arn: arn("old") },
              { name: "default", role_arn: arn("read") },
            ],
            changed: [{ name: "write", before: { role_arn: arn("write") }, after: { role_arn: arn("other") } }],
          },
        },
      },
      expect.objectContaining({ action: "cloud_integration.update" }),
    ]);
    await world.put(narrowed);
    const digest = createHash("sha256")
      .update(JSON.stringify(JSON.parse(POLICY)))
      .digest("hex");
    expect((await world.audited())[0]?.details.roles.changed).toEqual([
      { name: "write", before: { inline_policy_sha256: null }, after: { inline_policy_sha256: digest } },
    ]);
  });

  test("names accounts of projects that the operator opened to the organization, and of no other", async ({
    world,
  }) => {
    const refused = await world.put({ service_account_email: "deploy@victim.iam.gserviceaccount.com" }, "cloud_b");
    expect(refused.body).toMatchObject({
      status: 422,
      errors: [{ field: "config.service_account_email", message: expect.stringContaining("SVC_CLOUD_B_PROJECTS") }],
    });
    expect((await world.call("GET", world.at("cloud_b"))).status).toBe(404);
  });

  test("has its list, and goes when it is deleted and with its stack", async ({ api, world }) => {
    const email = "deploy@acme.iam.gserviceaccount.com";
    await world.put(roles({ name: "default", role_arn: arn("a") }));
    const kept = { service_account_email: email, use_in_previews: false };
    expect((await world.put(kept, "cloud_b")).body).toMatchObject({ config: kept });
    expect((await world.put({ service_account_email: email }, "cloud_b")).body).toMatchObject({
      config: { service_account_email: email, use_in_previews: true },
    });
    expect((await world.audited())[0]).toMatchObject({
      details: { use_in_previews: { before: false, after: true } },
    });
    expect(
      (await world.call("GET", world.at())).body.items.map((one: { provider_type: string }) => one.provider_type),
    ).toEqual(["cloud_a", "cloud_b"]);
    expect((await world.call("DELETE", world.at("cloud_b"))).status).toBe(204);
    expect((await world.call("DELETE", world.at("cloud_b"))).status).toBe(404);
    expect((await world.call("GET", world.at("cloud_b"))).status).toBe(404);
    expect((await world.call("DELETE", `/api/v1/orgs/${world.org}/stacks/${world.stack}`)).status).toBe(204);
    expect((await world.call("GET", world.at())).status).toBe(404);
    expect(await api.database.sql`select 1 from cloud_integration_roles where role_arn = ${arn("a")}`).toHaveLength(0);
    expect((await world.audited())[0]).toMatchObject({ details: { service_account_email: email } });
  });

  test.for<[string, unknown, string]>([
    ["no roles", { roles: [] }, "config.roles"],
    [
      "51 roles",
      { roles: Array.from({ length: 51 }, (_, i) => ({ name: `r${i}`, role_arn: arn("a") })) },
      "config.roles",
    ],
    ["a name twice", roles({ name: "a", role_arn: arn("a") }, { name: "a", role_arn: arn("b") }), "config.roles"],
    ["a name with a bracket", roles({ name: "a]", role_arn: arn("a") }), "config.roles.0.name"],
    ["a name of two lines", roles({ name: "a\nb", role_arn: arn("a") }), "config.roles.0.name"],
    ["no name", roles({ role_arn: arn("a") }), "config.roles.0.name"],
    [
      "the ARN of a user",
      roles({ name: "a", role_arn: "arn:aws:iam::123456789012:user/a" }),
      "config.roles.0.role_arn",
    ],
    ["an ARN with a blank", roles({ name: "a", role_arn: arn("a b") }), "config.roles.0.role_arn"],
    ["a field nobody knows", roles({ name: "a", role_arn: arn("a"), external_id: "x" }), "config.roles.0.external_id"],
    ["a list as config", [], "config.roles"],
    ["no config", undefined, "config"],
    ...[
      "no json",
      "[]",
      "{}",
      `{"Statement": []}`,
      `{"Statement": [3]}`,
      `{"Statement": [{"Effect": "allow", "Action": "*"}]}`,
      `{"Statement": [{"Effect": "Allow"}]}`,
      `{"Statement": [{"Effect": "Allow", "Action": []}]}`,
      `{"Statement": [{"Effect": "Allow", "Action": "*", "Sid": "${"x".repeat(2_048)}"}]}`,
      `{"Statement": [{"Effect": "Allow", "Action": "*", "Sid": "\u4e2d"}]}`,
    ].map((text): [string, unknown, string] => [
      `the policy ${text.slice(0, 60)}`,
      roles({ name: "a", role_arn: arn("a"), inline_policy: text }),
      "config.roles.0.inline_policy",
    ]),
  ])("is refused with %s, and the field is named", async ([_, config, field], { world }) => {
    const answer = await world.put(config);
    expect([answer.status, answer.body.code, answer.body.errors?.[0]?.field]).toEqual([422, "invalid_value", field]);
  });

  test("takes a policy that is short once minified, and one statement without a list", async ({ world }) => {
    const inline_policy = `{${" ".repeat(3_000)}"Statement": {"Effect": "Deny", "NotAction": ["s3:*"]}}`;
    const { body } = await world.put(roles({ name: "a", role_arn: arn("path/to/a"), inline_policy }));
    expect(body.config.roles[0].inline_policy).toBe(`{"Statement":{"Effect":"Deny","NotAction":["s3:*"]}}`);
  });

  test("writers at the same time leave one of their sets, whole", async ({ world }) => {
    const sets = Array.from({ length: 8 }, (_, i) =>
      roles(...["a", "b", "c"].map((name) => ({ name, role_arn: arn(`r${i}`), use_in_previews: true }))),
    );
    const answers = await Promise.all(sets.map((set) => world.put(set)));
    expect(answers.map(({ status }) => status)).toEqual(sets.map(() => 200));
    expect(sets).toContainEqual((await world.call("GET", world.at("cloud_a"))).body.config);
  });
});

test.for(["not-an-account", "a@example.com", "a@b.iam.gserviceaccount.com/../x", "A@b.iam.gserviceaccount.com"])(
  "cloud_b refuses the account %s",
  async (service_account_email, { world }) => {
    const answer = await world.put({ service_account_email }, "cloud_b");
    expect([answer.status, answer.body.errors[0].field]).toEqual([422, "config.service_account_email"]);
  },
);

describe("who may", () => {
  test("a pattern counts on `stackName:providerType`, a group through the stack, and every denial is the same 404", async ({
    api,
    world,
  }) => {
    await world.put(roles({ name: "a", role_arn: arn("a") }));
    await world.put({ service_account_email: "deploy@acme.iam.gserviceaccount.com" }, "cloud_b");
    await api.database
      .sql`update stacks set authz_groups = '{prod}' where slug = ${world.stack} and org_id = ${world.org}`;
    const onlyA = await world.holder(["cloud_integration", "*", { pattern: `${world.stack}:cloud\\_a` }]);
    const ofGroup = await world.holder(["cloud_integration", "read", { group: "prod" }]);
    const ofStacks = await world.holder(["stack", "*"]);
    const listed = async (token: string) => (await world.call("GET", world.at(), undefined, token)).body.items?.length;
    expect([await listed(onlyA), await listed(ofGroup), await listed(ofStacks)]).toEqual([1, 2, undefined]);
    const denied = [
      await world.call("GET", world.at("cloud_b"), undefined, onlyA),
      await world.put({ service_account_email: "x" }, "cloud_b", onlyA),
      await world.call("DELETE", world.at("cloud_a"), undefined, ofGroup),
      await world.call("GET", world.at("cloud_a", "nowhere"), undefined, onlyA),
      await world.call("GET", world.at(), undefined, ofStacks),
    ];
    expect(new Set(denied.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(denied[0]?.status).toBe(404);
    expect((await world.call("DELETE", world.at("cloud_a"), undefined, onlyA)).status).toBe(204);
  });

  test("the providers are told to a session and to no token", async ({ world }) => {
    expect((await world.call("GET", "/api/v1/cloud-providers")).body.code).toBe("session_required");
  });
});

describe("what this installation does not offer", () => {
  test("is 422 on a write, whether the type exists or not; a path and body that differ are refused", async ({
    world,
  }) => {
    const unknown = await world.put({}, "cloud_c");
    expect([unknown.status, unknown.body.code]).toEqual([422, "unsupported_runtime_provider"]);
    expect(unknown.body.errors[0].allowed).toEqual([...PROVIDER_TYPES]);
    const differs = await world.call("PUT", world.at("cloud_a"), { provider_type: "cloud_b", config: {} });
    expect([differs.status, differs.body.errors[0].field]).toEqual([422, "provider_type"]);
  });
});

describe("before a deployment is made", () => {
  const provider = (authenticate: () => Promise<void>) => ({ authenticate }) as unknown as RuntimeProvider<CloudConfig>;

  test("a stack without integrations asks nobody; one with them needs each registered and able to authenticate", async ({
    api,
    world,
  }) => {
    let asked = 0;
    let failing = false;
    const cloud = provider(async () => {
      asked += 1;
      if (failing) throw new Error("InvalidClientTokenId");
    });
    world.check([["cloud_a", cloud]]);
    expect((await world.create()).status).toBe(201);
    expect(asked).toBe(0);
    await world.put(roles({ name: "a", role_arn: arn("a") }));
    failing = true;
    const unavailable = await world.create();
    expect([unavailable.status, unavailable.body.code, unavailable.text.includes("InvalidClient")]).toEqual([
      503,
      "runtime_credentials_unavailable",
      false,
    ]);
    expect(unavailable.headers.get("retry-after")).toBe("10");
    failing = false;
    expect([(await world.create()).status, (await world.create()).status]).toEqual([201, 201]);
    // A failure is asked about again, a success is good for a minute.
    expect(asked).toBe(2);
    world.check([]);
    const unsupported = await world.create();
    expect([unsupported.status, unsupported.body.code]).toEqual([422, "unsupported_runtime_provider"]);
    const made = await api.database.sql`
      select count(*)::int as n from deployments d join stacks s using (stack_key) where s.slug = ${world.stack}`;
    expect(made[0]?.n).toBe(3);
  });
});
