/** Integrations over HTTP: what may be written, what can never be read, who may. */
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { openAuth } from "../../src/exchange/scm/authConfig.ts";
import { peopleTest } from "../support/test.ts";

const key = generateKeyPairSync("rsa", { modulusLength: 2048 })
  .privateKey.export({ type: "pkcs8", format: "pem" })
  .toString();
const CANARY = "canary-webhook-secret-0123456789";

const valid = (changes: object = {}) => ({
  name: `host-${randomUUID().slice(0, 8)}`,
  url_pattern: "^https://github\\.com/acme/",
  ...changes,
});

const test = peopleTest().extend("world", async ({ api }) => {
  const orgId = await api.makeOrg();
  const { token } = await api.makeAccount(orgId, [["scm_integration", "*"]]);
  const path = (id = "", org = orgId) => `/api/v1/orgs/${org}/scm-integrations${id === "" ? "" : `/${id}`}`;
  const create = (body: object, as = token) => api.call("POST", path(), { token: as, body });
  const stored = async (id: string) => {
    const [row] = await api.database.sql`select id, auth_config as "authConfig" from scm_integrations where id = ${id}`;
    return openAuth(api.keyring, row as never);
  };

  return { path, create, stored, orgId, token };
});

test("is created with defaults, shows where hosts deliver, and never its secrets", async ({ api, world }) => {
  const auth_config = { kind: "app", app_id: "12", private_key: key, webhook_secret: CANARY };
  const { status, body, text } = await world.create(valid({ auth_config }));
  expect(status).toBe(201);
  expect(body).toMatchObject({
    priority: 100,
    api_base_url: null,
    auth_config_summary: {
      kind: "app",
      app_id: "12",
      has_private_key: true,
      has_token: false,
      has_webhook_secret: true,
    },
    webhook_url: `https://deploy.example/api/v1/orgs/${world.orgId}/scm-integrations/${body.id}/webhook`,
  });
  expect(body).not.toHaveProperty("auth_config");
  const [row] = await api.database.sql`select to_jsonb(i)::text as text from scm_integrations i where id = ${body.id}`;
  const audit = await api.database
    .sql`select details::text as text, action from audit_log where resource_id = ${body.id}`;
  expect(audit).toMatchObject([{ action: "scm_integration.create" }]);
  const everything = `${text}${row?.text}${audit[0]?.text}${JSON.stringify(api.logged)}`;
  expect(everything).not.toContain(CANARY);
  expect(everything).not.toContain("PRIVATE KEY");
  expect(await world.stored(body.id)).toEqual(auth_config);
});

test("PUT keeps the secrets it does not send, removes those that are null, and drops those of another kind", async ({
  api,
  world,
}) => {
  const { body } = await world.create(valid({ auth_config: { kind: "token", token: "t-1", webhook_secret: CANARY } }));
  const put = (changes: object) =>
    api.call("PUT", world.path(body.id), { token: world.token, body: valid({ name: body.name, ...changes }) });
  expect((await put({ priority: 5 })).body).toMatchObject({
    priority: 5,
    auth_config_summary: { has_token: true, has_webhook_secret: true },
  });
  expect((await put({ auth_config: { kind: "token" } })).body.auth_config_summary).toMatchObject({ has_token: true });
  expect((await put({ auth_config: { kind: "token", webhook_secret: null } })).body.auth_config_summary).toMatchObject({
    has_token: true,
    has_webhook_secret: false,
  });
  expect(
    (await put({ auth_config: { kind: "app", app_id: "1", private_key: key } })).body.auth_config_summary,
  ).toMatchObject({ kind: "app", has_token: false });
  expect(await world.stored(body.id)).toEqual({ kind: "app", app_id: "1", private_key: key });
  expect((await put({ auth_config: { kind: "token" } })).status).toBe(422);
});

test("gives no stored credential to another host: it has to be sent again, the webhook's secret need not", async ({
  api,
  world,
}) => {
  const base = { api_base_url: "https://git.corp.example/api/v3" };
  const kinds = [
    ["token", { kind: "token" }, { token: "t-1" }, "auth_config.token"],
    ["app", { kind: "app", app_id: "1" }, { private_key: key }, "auth_config.private_key"],
  ] as const;
  for (const [, kind, credential, field] of kinds) {
    const auth_config = { ...kind, ...credential, webhook_secret: CANARY };
    const { body } = await world.create(valid({ ...base, auth_config }));
    const put = (changes: object) =>
      api.call("PUT", world.path(body.id), { token: world.token, body: valid({ name: body.name, ...changes }) });
    for (const elsewhere of [
      { api_base_url: "https://evil.example/api/v3" },
      {},
      { ...base, host_names: ["evil.example"] },
    ]) {
      for (const sent of [{}, { auth_config: kind }]) {
        const refused = await put({ ...elsewhere, ...sent });
        expect(refused).toMatchObject({ status: 422, body: { errors: [{ field }] } });
      }
    }
    expect(await put({ ...base, priority: 7 })).toMatchObject({ status: 200, body: { priority: 7 } });
    const moved = await put({ api_base_url: "https://evil.example/api/v3", auth_config: { ...kind, ...credential } });
    expect(moved).toMatchObject({ status: 200, body: { auth_config_summary: { has_webhook_secret: true } } });
    expect(await world.stored(body.id)).toEqual(auth_config);
  }
});

test("the audit trail has what a PUT changed, before and after, and of secrets which ones", async ({ api, world }) => {
  const { body } = await world.create(valid({ auth_config: { kind: "token", token: "t-1", webhook_secret: CANARY } }));
  const put = async (changes: object) => {
    const answer = await api.call("PUT", world.path(body.id), {
      token: world.token,
      body: valid({ name: body.name, ...changes }),
    });
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
  };
  await put({ priority: 7 });
  await put({ auth_config: { kind: "token", token: "t-2" } });
  await put({ auth_config: { kind: "none" } });
  const trail = await api.database.sql`
    select details from audit_log where resource_id = ${body.id} and action = 'scm_integration.update' order by id`;
  expect(trail.map(({ details }) => [details.before?.priority, details.after?.priority, details.auth_changed])).toEqual(
    [
      [100, 7, undefined],
      [7, 100, ["token"]],
      [undefined, undefined, ["token"]],
    ],
  );
  expect(JSON.stringify(trail)).not.toContain(CANARY);
  // What no key opens any more is repaired by sending all of it again.
  await api.database.sql`
    update scm_integrations set auth_config = substring(auth_config for 40) where id = ${body.id}`;
  await put({ auth_config: { kind: "token", token: "t-3" } });
  expect(await world.stored(body.id)).toEqual({ kind: "token", token: "t-3" });
});

describe("422", () => {
  test.for<[string, object, string]>([
    ["an invalid expression", { url_pattern: "(" }, "url_pattern"],
    ["look-around", { url_pattern: "(?=x)" }, "url_pattern"],
    ["a back-reference", { url_pattern: "(a)\\1" }, "url_pattern"],
    ["an empty expression", { url_pattern: "" }, "url_pattern"],
    [
      "an expression that is huge once its repetitions are written out",
      { url_pattern: "(a?){500}".repeat(50) },
      "url_pattern",
    ],
    ["a host name with a port", { host_names: ["ssh.corp.example:22"] }, "host_names.0"],
    ["a host name in capitals", { host_names: ["SSH.corp.example"] }, "host_names.0"],
    ["too many host names", { host_names: Array.from({ length: 11 }, (_, i) => `h${i}.example`) }, "host_names"],
    ["an address with a password", { api_base_url: `https://u:${CANARY}@host.example/api` }, "api_base_url"],
    ["an address of another kind", { api_base_url: "file:///etc/passwd" }, "api_base_url"],
    ["an address with a query", { api_base_url: "https://host.example/api?x=1" }, "api_base_url"],
    ["an address with an empty query", { api_base_url: "https://host.example?" }, "api_base_url"],
    ["an address with an empty fragment", { api_base_url: "https://host.example#" }, "api_base_url"],
    ["an address with an empty user name", { api_base_url: "https://@host.example" }, "api_base_url"],
    ["an address that is a template", { api_base_url: "https://host.example/{owner}" }, "api_base_url"],
    ["an address that climbs", { api_base_url: "https://host.example/api/../admin" }, "api_base_url"],
    ["an address with a backslash", { api_base_url: "https://host.example\\@other.example" }, "api_base_url"],
    ["a priority that is no integer", { priority: 1.5 }, "priority"],
    ["an app without a key", { auth_config: { kind: "app", app_id: "1" } }, "auth_config.private_key"],
    [
      "a key that is none",
      { auth_config: { kind: "app", app_id: "1", private_key: CANARY } },
      "auth_config.private_key",
    ],
    [
      "an app's id that is no number",
      { auth_config: { kind: "app", app_id: CANARY, private_key: key } },
      "auth_config.app_id",
    ],
    ["a token that is missing", { auth_config: { kind: "token" } }, "auth_config.token"],
    ["a token with a line end", { auth_config: { kind: "token", token: `${CANARY}\n` } }, "auth_config.token"],
    [
      "a secret that can be guessed",
      { auth_config: { kind: "none", webhook_secret: CANARY.slice(0, 15) } },
      "auth_config.webhook_secret",
    ],
    ["a misspelt field", { urlpattern: "x" }, "urlpattern"],
  ])("for %s, naming the field and never repeating a secret", async ([_, changes, field], { world }) => {
    const { status, body, text } = await world.create(valid(changes));
    expect(status).toBe(422);
    expect(body.errors.map((error: { field: string }) => error.field)).toContain(field);
    expect(text).not.toContain(CANARY.slice(0, 15));
  });
});

test("the expression that stalls others is taken, and costs nothing", async ({ world }) => {
  expect((await world.create(valid({ url_pattern: "^(a+)+$" }))).status).toBe(201);
});

test("names are unique in an organization", async ({ world }) => {
  const { body } = await world.create(valid());
  expect((await world.create(valid({ name: body.name }))).status).toBe(409);
});

test("DELETE and single reads are the uniform 404 to strangers, holders of other names, and for what is not there", async ({
  api,
  world,
}) => {
  const { body } = await world.create(valid());
  const stranger = (await api.makeAccount(await api.makeOrg(), [["*", "*"]])).token;
  const elsewhere = (await api.makeAccount(world.orgId, [["scm_integration", "*", { pattern: "other" }]])).token;
  const reader = (await api.makeAccount(world.orgId, [["scm_integration", "read"]])).token;
  const answers = [
    await api.call("DELETE", world.path(body.id), { token: stranger }),
    await api.call("GET", world.path(body.id), { token: elsewhere }),
    await api.call("DELETE", world.path(body.id), { token: reader }),
    await api.call("GET", world.path(randomUUID()), { token: world.token }),
    await api.call("GET", world.path("x"), { token: world.token }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect((await world.create(valid(), reader)).status).toBe(403);
  expect((await api.call("GET", world.path(), { token: stranger })).status).toBe(403);
  expect((await api.call("GET", world.path(), { token: reader })).body.items).toHaveLength(1);
  expect((await api.call("DELETE", world.path(body.id), { token: world.token })).status).toBe(204);
  expect((await api.call("GET", world.path(body.id), { token: world.token })).status).toBe(404);
});

test("its inbox is listed, and only what failed can be tried again", async ({ api, world }) => {
  const { body } = await world.create(valid());
  const [event] = await api.database.sql`
    insert into scm_events (org_id, integration_id, external_event_id, kind, repository_key, branch, status, attempts, last_error, processed_at)
    values (${world.orgId}, ${body.id}, 'd', 'push_branch_changed', 'github.com/acme/infra', 'main', 'dead', 8, 'why', svc_now()) returning id`;
  const events = `${world.path(body.id)}/scm-events`;
  expect((await api.call("GET", `${events}?status=dead`, { token: world.token })).body.items).toMatchObject([
    { id: event?.id, last_error: "why", attempts: 8 },
  ]);
  expect((await api.call("GET", `${events}?status=pending`, { token: world.token })).body.items).toEqual([]);
  const reader = (await api.makeAccount(world.orgId, [["scm_integration", "read"]])).token;
  expect((await api.call("POST", `${events}/${event?.id}/retry`, { token: reader })).status).toBe(404);
  const retried = await api.call("POST", `${events}/${event?.id}/retry`, { token: world.token });
  expect([retried.status, retried.body.status, retried.body.attempts]).toEqual([202, "pending", 0]);
  expect(api.service.sent.at(-1)).toMatchObject({ kind: "scmEventArrived" });
  expect((await api.call("POST", `${events}/${event?.id}/retry`, { token: world.token })).status).toBe(409);
  expect((await api.call("POST", `${events}/${randomUUID()}/retry`, { token: world.token })).status).toBe(404);
});
