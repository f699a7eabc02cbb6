/** An issuer that could vouch for people who are invited is a source of those who hold what they are given. */
import { describe, expect } from "vitest";
import { startScriptedIssuer } from "../support/scriptedIssuer.ts";
import { peopleTest } from "../support/test.ts";

const SECRET = "a very secret client secret";

let slugs = 0;

const test = peopleTest({ env: { SVC_EGRESS_ALLOW: "127.0.0.1", SVC_SSO_REQUESTS_PER_MINUTE: "10000" } })
  .extend("issuer", { scope: "file" }, async ({}, { onCleanup }) => {
    const issuer = await startScriptedIssuer();
    onCleanup(() => issuer.close());
    return issuer;
  })
  .extend("world", async ({ api, issuer }) => {
    const of = await api.makeOrg();
    const all = ["identity_source", "member", "service_account"].map((type): [string, string] => [type, "*"]);
    const some: [string, string][] = [
      ["org", "read"],
      ["role", "assign"],
      ["role", "read"],
    ];
    const iam = (await api.makeAccount(of, [...all, ...some])).token;
    const owner = (await api.makeAccount(of, [["*", "*"]])).token;
    const oidc = (settings: object = {}) => ({
      provider_key: "oidc",
      source_slug: `s-${++slugs}`,
      display_name: "Corp",
      oidc_issuer: issuer.issuer,
      oidc_client_id: "c",
      client_secret: SECRET,
      ...settings,
    });
    const sources = `/api/v1/orgs/${of}/identity-sources`;
    const make = (body: object, token = iam) => api.call("POST", sources, { token, body });
    const invite = async (provider_key: string, roles: readonly ("admin" | "iam-admin")[]) => {
      const ids = await api.database
        .sql`select id from roles where org_id is null and name in ${api.database.sql(roles)}`;
      const body = { provider_key, login: `bob-${++slugs}`, role_ids: ids.map(({ id }) => id) };
      const { status, body: made } = await api.call("POST", `/api/v1/orgs/${of}/invitations`, { token: owner, body });
      expect(status).toBe(201);
      return made.id as string;
    };

    return { oidc, sources, make, invite, of, iam, owner };
  });

test.beforeEach(({ issuer }) => {
  issuer.script = {};
});

describe("an issuer that could vouch for people who are invited", () => {
  const REFUSED =
    "An issuer could vouch for people whose invitations confer permissions that you do not hold yourself.";

  test("is trusted only by who holds all that the invitations confer", async ({ api, world }) => {
    const waiting = await world.invite("oidc", ["admin"]);
    expect(await world.make(world.oidc())).toMatchObject({ status: 403, body: { detail: REFUSED } });
    expect((await world.make(world.oidc({ enabled: false }))).status).toBe(201);
    expect((await world.make(world.oidc(), world.owner)).status).toBe(201);
    await api.database.sql`update invitations set expires_at = svc_now() where id = ${waiting}`;
    expect((await world.make(world.oidc())).status).toBe(201);
  });

  test("the same when a source gets another issuer or is enabled; another change of it is free", async ({
    api,
    issuer,
    world,
  }) => {
    const other = await startScriptedIssuer();
    const { id } = (await world.make(world.oidc())).body;
    const off = (await world.make(world.oidc({ enabled: false }))).body.id;
    await world.invite("oidc", ["admin"]);
    const put = (source: string, changes: object, token = world.iam) => {
      const body = { display_name: "Corp", oidc_issuer: issuer.issuer, oidc_client_id: "c", ...changes };
      return api.call("PUT", `${world.sources}/${source}`, { token, body });
    };
    const moved = { oidc_issuer: other.issuer, client_secret: SECRET };
    expect(await put(id, moved)).toMatchObject({ status: 403, body: { detail: REFUSED } });
    expect(await put(off, { enabled: true })).toMatchObject({ status: 403, body: { detail: REFUSED } });
    expect((await put(id, { oidc_client_id: "d" })).status).toBe(200);
    expect((await put(id, { enabled: false })).status).toBe(200);
    expect((await put(off, { enabled: true }, world.owner)).status).toBe(200);
    await other.close();
  });

  test("invitations that confer no more than one holds, or name another provider, hinder nobody", async ({ world }) => {
    await world.invite("oidc", []);
    await world.invite("oidc", ["iam-admin"]);
    await world.invite("codehost", ["admin"]);
    expect((await world.make(world.oidc())).status).toBe(201);
  });
});
