/** Identity sources over HTTP: made, changed, shown, and by whom (docs/access.md). */
import { describe, expect } from "vitest";
import { csrfToken } from "../../src/people/sessions/csrf.ts";
import { createSession } from "../../src/people/sessions/sessions.ts";
import type { Answer } from "../support/peopleApi.ts";
import { startScriptedIssuer } from "../support/scriptedIssuer.ts";
import { peopleTest } from "../support/test.ts";

const SECRET = "a very secret client secret";

let slugs = 0;

const fields = (answer: Answer) => [answer.status, answer.body.errors?.map((e: { field: string }) => e.field)];

const test = peopleTest({ env: { SVC_EGRESS_ALLOW: "127.0.0.1", SVC_SSO_REQUESTS_PER_MINUTE: "10000" } })
  .extend("issuer", { scope: "file" }, async ({}, { onCleanup }) => {
    const issuer = await startScriptedIssuer();
    onCleanup(() => issuer.close());
    return issuer;
  })
  .extend("world", { scope: "file" }, async ({ api, issuer }) => {
    const org = await api.makeOrg();
    const admin = (await api.makeAccount(org, [["identity_source", "*"]])).token;
    const oidc = (settings: object = {}) => ({
      provider_key: "oidc",
      source_slug: `s-${++slugs}`,
      display_name: "Corp",
      oidc_issuer: issuer.issuer,
      oidc_client_id: "c",
      client_secret: SECRET,
      ...settings,
    });
    const sources = (orgId = org) => `/api/v1/orgs/${orgId}/identity-sources`;
    const create = (body: object, token = admin) => api.call("POST", sources(), { token, body });
    const replace = (id: string, body: object) => api.call("PUT", `${sources()}/${id}`, { token: admin, body });
    const rows = async () => (await api.database.sql`select count(*)::int as n from identity_sources`)[0]?.n;

    return { oidc, sources, create, replace, rows, org, admin };
  });

test.beforeEach(({ issuer }) => {
  issuer.script = {};
});

describe("creating one", () => {
  test("answers with everything but the secret, which is stored sealed", async ({ api, issuer, world }) => {
    const created = await world.create(world.oidc({ source_slug: "corp", groups_scope: "groups roles" }));
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      org_id: world.org,
      provider_key: "oidc",
      source_slug: "corp",
      oidc_issuer: issuer.issuer,
      oidc_client_id: "c",
      oidc_groups_claim: "groups",
      groups_scope: "groups roles",
      has_client_secret: true,
      enabled: true,
    });
    const { id } = created.body;
    const read = await api.call("GET", `${world.sources()}/${id}`, { token: world.admin });
    const listed = await api.call("GET", world.sources(), { token: world.admin });
    expect([read.body, listed.body.items]).toEqual([created.body, [created.body]]);
    const [row] = await api.database.sql`
      select client_secret, (select jsonb_agg(a)::text from audit_log a where resource_id = ${id}) as audit from identity_sources where id = ${id}`;
    expect(row?.audit).toContain("identity_source.create");
    for (const text of [
      created.text,
      read.text,
      row?.audit,
      row?.client_secret.toString("latin1"),
      JSON.stringify(api.logged),
    ]) {
      expect(text).not.toContain(SECRET);
    }
  });

  test("an issuer that is wrong in any way is refused before a row is there", async ({ issuer, world }) => {
    const before = await world.rows();
    const wrong = async (settings: object) =>
      expect(fields(await world.create(world.oidc(settings)))).toEqual([422, ["oidc_issuer"]]);
    for (const metadata of [
      { issuer: "https://another.test" },
      { issuer: undefined },
      { token_endpoint: undefined },
      { authorization_endpoint: "javascript:alert(1)" },
      { authorization_endpoint: undefined },
      { jwks_uri: 7 },
      { response_types_supported: ["id_token"] },
    ]) {
      issuer.script = { metadata };
      await wrong({});
    }
    issuer.script = {};
    for (const oidc_issuer of [
      "http://corp.example.test",
      "ftp://x.test",
      "not a url",
      `${issuer.issuer}/missing`,
      `${issuer.issuer}?a=b`,
      `${issuer.issuer}#x`,
      issuer.issuer.replace("://", "://user:pw@"),
      "https://169.254.169.254",
      "https://[::ffff:10.0.0.1]/",
    ]) {
      await wrong({ oidc_issuer });
    }
    expect(await world.rows()).toBe(before);
  });

  test("what a provider must not have is refused, and no refusal repeats the secret", async ({ world }) => {
    for (const [body, wrong] of [
      [world.oidc({ oidc_issuer: undefined }), ["oidc_issuer"]],
      [world.oidc({ oidc_client_id: undefined, oidc_issuer: undefined }), ["oidc_issuer", "oidc_client_id"]],
      [{ ...world.oidc(), provider_key: "codehost" }, ["oidc_issuer", "oidc_client_id", "client_secret"]],
      [
        { provider_key: "workspace", source_slug: "w", display_name: "W", oidc_groups_claim: "x" },
        ["oidc_groups_claim"],
      ],
      [world.oidc({ provider_key: "saml" }), ["provider_key"]],
      [world.oidc({ source_slug: "Upper" }), ["source_slug"]],
      [world.oidc({ client_secret: `${SECRET}\u0000` }), ["client_secret"]],
      [world.oidc({ client_secret: SECRET.repeat(200) }), ["client_secret"]],
      [world.oidc({ client_secret: { value: SECRET } }), ["client_secret"]],
      [world.oidc({ secret: SECRET }), ["secret"]],
    ] as const) {
      const answer = await world.create(body);
      expect(fields(answer)).toEqual([422, wrong]);
      expect(answer.text).not.toContain(SECRET);
    }
  });

  test("a slug is taken once, and a platform-wide provider is there once; several OIDC sources are fine", async ({
    api,
    world,
  }) => {
    const fresh = await api.makeOrg();
    const token = (await api.makeAccount(fresh, [["identity_source", "manage"]])).token;
    const add = async (body: object) => (await api.call("POST", world.sources(fresh), { token, body })).status;
    expect(await add(world.oidc({ source_slug: "a" }))).toBe(201);
    expect(await add(world.oidc({ source_slug: "a" }))).toBe(409);
    expect(await add(world.oidc({ source_slug: "b" }))).toBe(201);
    expect(await add({ provider_key: "codehost", source_slug: "c", display_name: "C" })).toBe(201);
    expect(await add({ provider_key: "codehost", source_slug: "d", display_name: "D" })).toBe(409);
    expect(await add({ provider_key: "workspace", source_slug: "d", display_name: "D" })).toBe(201);
  });
});

describe("changing one", () => {
  test("absent settings become the default, an absent secret stays, and the issuer is asked again", async ({
    api,
    issuer,
    world,
  }) => {
    const { id } = (await world.create(world.oidc({ oidc_groups_claim: "roles", groups_scope: "x", enabled: false })))
      .body;
    const [before] = await api.database.sql`select client_secret from identity_sources where id = ${id}`;
    const asked = issuer.discovered;
    const changed = await world.replace(id, { display_name: "New", oidc_issuer: issuer.issuer, oidc_client_id: "d" });
    expect(changed.body).toMatchObject({
      display_name: "New",
      oidc_client_id: "d",
      oidc_groups_claim: "groups",
      groups_scope: null,
      enabled: true,
      has_client_secret: true,
    });
    expect(issuer.discovered).toBe(asked + 1);
    const [after] = await api.database.sql`select client_secret from identity_sources where id = ${id}`;
    expect(after?.client_secret).toEqual(before?.client_secret);
    issuer.script = { metadata: { issuer: "https://another.test" } };
    const refused = await world.replace(id, { display_name: "Newer", oidc_issuer: issuer.issuer, oidc_client_id: "d" });
    expect(fields(refused)).toEqual([422, ["oidc_issuer"]]);
    expect((await api.call("GET", `${world.sources()}/${id}`, { token: world.admin })).body.display_name).toBe("New");
  });

  test("a stored secret never goes to another issuer", async ({ world }) => {
    const other = await startScriptedIssuer();
    const { id } = (await world.create(world.oidc())).body;
    const settings = { display_name: "Corp", oidc_issuer: other.issuer, oidc_client_id: "c" };
    expect(fields(await world.replace(id, settings))).toEqual([422, ["client_secret"]]);
    expect((await world.replace(id, { ...settings, client_secret: "new" })).status).toBe(200);
    await other.close();
  });

  test("deleting one ends it with its rules and bindings", async ({ api, world }) => {
    const { id } = (await world.create(world.oidc())).body;
    await api.database
      .sql`insert into access_rules (identity_source_id, rule_type, rule) values (${id}, 'oidc_group', '{"group":"x"}')`;
    expect((await api.call("DELETE", `${world.sources()}/${id}`, { token: world.admin })).status).toBe(204);
    expect(await api.database.sql`select 1 from access_rules where identity_source_id = ${id}`).toEqual([]);
    expect((await api.call("DELETE", `${world.sources()}/${id}`, { token: world.admin })).status).toBe(404);
  });
});

describe("who may", () => {
  test("reading needs read, everything else manage; another organization's source is not there", async ({
    api,
    world,
  }) => {
    const { id } = (await world.create(world.oidc())).body;
    const reader = (await api.makeAccount(world.org, [["identity_source", "read"]])).token;
    const one = `${world.sources()}/${id}`;
    expect((await api.call("GET", one, { token: reader })).status).toBe(200);
    for (const [method, path, body] of [
      ["POST", world.sources(), world.oidc()],
      ["PUT", one, { display_name: "x" }],
      ["DELETE", one, undefined],
    ] as const) {
      expect((await api.call(method, path, { token: reader, ...(body && { body }) })).status).toBe(403);
    }
    const other = await api.makeOrg();
    const stranger = (await api.makeAccount(other, [["*", "*"]])).token;
    expect((await api.call("GET", one, { token: stranger })).status).toBe(403);
    expect((await api.call("GET", `${world.sources(other)}/${id}`, { token: stranger })).status).toBe(404);
    expect((await api.call("DELETE", `${world.sources(other)}/${id}`, { token: stranger })).status).toBe(404);
    expect((await api.call("GET", `${world.sources()}/x`, { token: world.admin })).status).toBe(404);
  });

  test("the test is by session only, asks the issuer whatever is cached, and says what is wrong", async ({
    api,
    issuer,
    world,
  }) => {
    const { id } = (await world.create(world.oidc())).body;
    const fixed = (await world.create({ provider_key: "codehost", source_slug: "fixed", display_name: "F" })).body.id;
    const path = (source: string) => `${world.sources()}/${source}/test`;
    const byToken = await api.call("POST", path(id), { token: world.admin });
    expect([byToken.status, byToken.body.code]).toEqual([403, "session_required"]);
    const { user } = await api.makeUser({ orgs: [world.org], grants: [["identity_source", "manage"]] });
    const session = await createSession(api.database.db, user);
    const headers = { cookie: `svc_session=${session}`, origin: api.baseUrl, "x-csrf-token": csrfToken(session) };
    const asked = issuer.discovered;
    expect((await api.call("POST", path(id), { headers })).status).toBe(204);
    expect((await api.call("POST", path(id), { headers })).status).toBe(204);
    expect(issuer.discovered).toBe(asked + 2);
    issuer.script = { metadata: { jwks_uri: undefined } };
    expect(fields(await api.call("POST", path(id), { headers }))).toEqual([422, ["oidc_issuer"]]);
    expect((await api.call("POST", path(fixed), { headers })).status).toBe(204);
    const { user: nobody } = await api.makeUser({ orgs: [world.org], grants: [["identity_source", "read"]] });
    expect((await api.call("POST", path(id), { user: nobody })).status).toBe(403);
  });
});

describe("the sign-in page of an organization", () => {
  test("shows its enabled sources by its handle, and nothing that tells organizations apart from none", async ({
    api,
    world,
  }) => {
    const fresh = await api.makeOrg();
    await api.database.sql`update organizations set login_handle = 'page' where id = ${fresh}`;
    const token = (await api.makeAccount(fresh, [["identity_source", "manage"]])).token;
    const add = async (body: object) => (await api.call("POST", world.sources(fresh), { token, body })).body.id;
    await add(world.oidc({ source_slug: "corp" }));
    await add(world.oidc({ source_slug: "off", enabled: false }));
    // Not configured by the operator, so there is nothing to begin.
    await add({ provider_key: "codehost", source_slug: "host", display_name: "H" });
    const page = await api.call("GET", "/api/v1/auth/sso/orgs/page/providers");
    expect(page.body).toEqual([
      {
        key: "oidc",
        source_slug: "corp",
        display_name: "Corp",
        start_path: "/api/v1/auth/sso/orgs/page/sources/corp/start",
      },
    ]);
    expect((await api.call("GET", "/api/v1/auth/sso/orgs/none/providers")).body).toEqual([]);
    for (const path of ["page/sources/off", "page/sources/host", "page/sources/none", "none/sources/corp"]) {
      expect((await api.call("GET", `/api/v1/auth/sso/orgs/${path}/start`)).status).toBe(404);
    }
    expect((await api.call("GET", "/api/v1/auth/sso/providers")).body).toEqual([]);
    expect((await api.call("GET", "/api/v1/auth/sso/codehost/start")).status).toBe(404);
    expect((await api.call("GET", "/api/v1/auth/sso/oidc/start")).status).toBe(404);
  });
});
