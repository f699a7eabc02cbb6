/** Signing in at the platform's providers: code host and workspace (docs/rules/sign-in.md#providers). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { atCallback, Browser } from "../support/browser.ts";
import { type IdentityProvider, startIdentityProvider } from "../support/identityProvider.ts";
import { type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";
import { type ScriptedCodehost, startScriptedCodehost } from "../support/scriptedCodehost.ts";
import { startScriptedIssuer } from "../support/scriptedIssuer.ts";
import { entitlements, linkAt } from "../support/signInWorld.ts";

const PERSON = {
  id: 583231,
  login: "octocat",
  name: "The Octocat",
  orgs: ["acme"],
  teams: [{ org: "acme", slug: "platform", name: "Platform Team" }],
  emails: [{ email: "octo@corp.test", primary: true, verified: true }],
};

let api: PeopleApi;
let host: ScriptedCodehost;
let workspace: IdentityProvider;
beforeAll(async () => {
  host = await startScriptedCodehost();
  // Its address must be known before the service starts, and the service's before its client is registered.
  const redirectUris: string[] = [];
  workspace = await startIdentityProvider({ redirectUris, clientId: "workspace-client" });
  api = await startPeopleApi({
    workspaceIssuer: workspace.issuer,
    env: {
      SVC_EGRESS_ALLOW: "127.0.0.1",
      SVC_SSO_REQUESTS_PER_MINUTE: "10000",
      SVC_SSO_CODEHOST_BASE_URL: `${host.url}/`,
      SVC_SSO_CODEHOST_CLIENT_ID: host.clientId,
      SVC_SSO_CODEHOST_CLIENT_SECRET: host.clientSecret,
      SVC_SSO_WORKSPACE_CLIENT_ID: workspace.clientId,
      SVC_SSO_WORKSPACE_CLIENT_SECRET: workspace.clientSecret,
      SVC_SSO_WORKSPACE_HOSTED_DOMAIN: "corp.test",
    },
  });
  redirectUris.push(`${api.baseUrl}/api/v1/auth/sso/callback`);
});
afterAll(async () => {
  await Promise.all([host.close(), workspace.close()]);
  await api.close();
});
beforeEach(() => {
  host.person = structuredClone(PERSON);
  host.broken.clear();
  host.nextPageAt = undefined;
  host.asked.length = 0;
  api.logged.length = 0;
});

const start = (key: string) => `${api.baseUrl}/api/v1/auth/sso/${key}/start`;
const me = async (browser: Browser) => JSON.parse((await browser.send(`${api.baseUrl}/api/v1/auth/me`)).text);

/** An organization with a source of this provider, a rule and bindings of the viewer role. */
async function makeOrg(key: string, ruleType: string, rule: object, groups: string[] = []): Promise<string> {
  const { sql } = api.database;
  const org = await api.makeOrg();
  await sql`update organizations set max_users = 100 where id = ${org}`;
  const [source] = await sql`
    insert into identity_sources (org_id, provider_key, source_slug, display_name) values (${org}, ${key}, 's', 'S') returning id`;
  await sql`insert into access_rules (identity_source_id, rule_type, rule) values (${source?.id}, ${ruleType}, ${sql.json(rule as never)})`;
  const { org: name, domains = [] } = rule as { org?: string; domains?: string[] };
  await prove(org, name === undefined ? "domain" : "codehost_org", name === undefined ? domains : [name]);
  for (const group of groups) {
    await sql`
      with b as (insert into group_role_bindings (identity_source_id, group_key) values (${source?.id}, ${group}) returning id)
      insert into group_role_binding_roles select b.id, r.id from b, roles r where r.name = 'viewer'`;
  }
  return org;
}

async function prove(org: string, kind: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await api.database.sql`insert into organization_proofs (org_id, kind, name, token, proven_at, proven_by)
      values (${org}, ${kind}, ${name}, 't', svc_now(), 'operator') on conflict do nothing`;
  }
}

async function memberOf(userId: string): Promise<string[]> {
  const rows = await api.database.sql`
    select org_id from memberships m join organizations o on o.id = m.org_id where m.user_id = ${userId} and not o.is_personal order by 1`;
  return rows.map((row) => row.org_id);
}

test("the platform's providers are listed", async () => {
  expect((await api.call("GET", "/api/v1/auth/sso/providers")).body).toEqual([
    { key: "codehost", display_name: "Code host" },
    { key: "workspace", display_name: "Workspace" },
  ]);
});

describe("the code host", () => {
  test("a person is login and number; its address is the issuer of the identity", async () => {
    const browser = new Browser();
    const ended = await browser.visit(start("codehost"));
    expect(ended.status).toBe(200);
    expect(await me(browser)).toMatchObject({ id: "codehost:octocat:583231", name: "The Octocat" });
    const [identity] = await api.database
      .sql`select issuer, subject from user_identities where user_id = 'codehost:octocat:583231'`;
    expect(identity).toEqual({ issuer: host.url, subject: "583231" });
    // Renamed there, the same here; and who takes the old name is somebody else.
    host.person = { ...PERSON, login: "renamed" };
    const renamed = new Browser();
    await renamed.visit(start("codehost"));
    expect((await me(renamed)).id).toBe("codehost:octocat:583231");
    host.person = { ...PERSON, id: 2 };
    const squatter = new Browser();
    await squatter.visit(start("codehost"));
    expect((await me(squatter)).id).toBe("codehost:octocat:2");
  });

  test("organizations and teams make members, by slug and exactly", async () => {
    const expected = [
      await makeOrg("codehost", "codehost_org", { org: "acme" }),
      await makeOrg("codehost", "codehost_team", { org: "acme", team: "platform" }),
    ];
    for (const [type, rule] of [
      ["codehost_org", { org: "Acme" }],
      ["codehost_org", { org: "acm" }],
      ["codehost_team", { org: "acme", team: "Platform Team" }],
      ["codehost_team", { org: "other", team: "platform" }],
      ["oidc_group", { group: "acme" }],
      ["workspace_hd", { domains: ["acme"] }],
    ] as const) {
      await makeOrg("codehost", type, rule);
    }
    const browser = new Browser();
    await browser.visit(start("codehost"));
    expect(await memberOf((await me(browser)).id)).toEqual(expected.sort());
  });

  test("every page counts; groups are `org` and `org/team`", async () => {
    host.person = {
      ...PERSON,
      id: 7,
      orgs: Array.from({ length: 230 }, (_, n) => `org-${n}`),
      teams: Array.from({ length: 101 }, (_, n) => ({ org: "acme", slug: `t-${n}`, name: "x" })),
    };
    await makeOrg("codehost", "codehost_org", { org: "nobody" }, ["org-229", "acme/t-100", "acme/x"]);
    const browser = new Browser();
    await browser.visit(start("codehost"));
    const { id } = await me(browser);
    expect(await entitlements(api, id)).toEqual(["acme/t-100", "org-229"]);
    expect(host.asked.filter((path) => path.endsWith("/orgs"))).toHaveLength(3);
  });

  test("half an answer is none: what is stored stays, and it is said", async () => {
    host.person = { ...PERSON, id: 8 };
    await makeOrg("codehost", "codehost_org", { org: "nobody" }, ["acme", "acme/platform"]);
    const browser = new Browser();
    await browser.visit(start("codehost"));
    const { id } = await me(browser);
    expect(await entitlements(api, id)).toEqual(["acme", "acme/platform"]);
    const breakages = [
      () => host.broken.set("/api/v3/user/teams", 403),
      () => host.broken.set("/api/v3/user/orgs", 502),
      () => {
        // The access token must not follow a page to another host.
        host.nextPageAt = "http://127.0.0.1:1";
        host.person = { ...PERSON, id: 8, orgs: Array.from({ length: 150 }, (_, n) => `o-${n}`) };
      },
      () => {
        host.person = { ...PERSON, id: 8, orgs: Array.from({ length: 2_500 }, (_, n) => `o-${n}`) };
      },
    ];
    for (const breakIt of breakages) {
      host.broken.clear();
      host.nextPageAt = undefined;
      api.logged.length = 0;
      breakIt();
      expect((await new Browser().visit(start("codehost"))).status).toBe(200);
      expect(await entitlements(api, id)).toEqual(["acme", "acme/platform"]);
      expect(api.logged.filter((line) => line.level === "warn")).toHaveLength(1);
    }
  });

  test("an invitation by login or by verified address is consumed", async () => {
    const { sql } = api.database;
    const org = await makeOrg("codehost", "codehost_org", { org: "nobody" });
    const invite = (login: string) =>
      sql`insert into invitations (org_id, provider_key, login, expires_at) values (${org}, 'codehost', ${login}, svc_now() + interval '1 day')`;
    for (const login of ["hubot", "primary@corp.test", "unverified@corp.test", "second@corp.test"]) await invite(login);
    host.person = {
      ...PERSON,
      id: 9,
      login: "Hubot",
      orgs: [],
      teams: [],
      emails: [
        { email: "unverified@corp.test", primary: false, verified: false },
        { email: "second@corp.test", primary: false, verified: true },
        { email: "Primary@corp.test", primary: true, verified: true },
      ],
    };
    const browser = new Browser();
    await browser.visit(start("codehost"));
    expect(await memberOf((await me(browser)).id)).toEqual([org]);
    const left = await sql`select login from invitations where org_id = ${org} order by 1`;
    expect(left.map((row) => row.login)).toEqual(["second@corp.test", "unverified@corp.test"]);
  });

  test("when it is away, or refuses, nobody is signed in", async () => {
    for (const [path, status] of [
      ["/api/v3/user", 502],
      ["/api/v3/user", 401],
      ["/login/oauth/access_token", 500],
    ] as const) {
      host.broken.clear();
      host.broken.set(path, status);
      const browser = new Browser();
      const ended = await browser.visit(start("codehost"));
      expect([403, 502]).toContain(ended.status);
      expect(browser.cookie(api.baseUrl, "svc_session")).toBeUndefined();
    }
    host.broken.clear();
    const browser = new Browser();
    const stopped = await browser.visit(start("codehost"), { stopAt: atCallback });
    const wrong = new URL(stopped.url);
    wrong.searchParams.set("code", "0123456789");
    const ended = await browser.send(wrong.href);
    expect([ended.status, JSON.parse(ended.text).code]).toEqual([403, "sign_in_refused"]);
  });
});

describe("the workspace provider", () => {
  test("a person is address and subject; the hosted domain in the signed token decides, the hint does not", async () => {
    const org = await makeOrg("workspace", "workspace_hd", { domains: ["other.test", "corp.test"] }, ["corp.test"]);
    workspace.users.set("w1", { email: "ann@corp.test", email_verified: true, name: "Ann", hd: "corp.test" });
    workspace.users.set("w2", { email: "private@mail.test", email_verified: true });
    const stopped = await new Browser().visit(start("workspace"), { stopAt: (url) => url.origin === workspace.issuer });
    expect(new URL(stopped.url).searchParams.get("hd")).toBe("corp.test");
    const [ann, someone] = [new Browser(), new Browser()];
    workspace.next = "w1";
    await ann.visit(start("workspace"));
    workspace.next = "w2";
    await someone.visit(start("workspace"));
    expect((await me(ann)).id).toBe("workspace:ann@corp.test:w1");
    expect(await memberOf((await me(ann)).id)).toEqual([org]);
    expect(await entitlements(api, (await me(ann)).id)).toEqual(["corp.test"]);
    expect((await me(someone)).id).toBe("workspace:private@mail.test:w2");
    expect(await memberOf((await me(someone)).id)).toEqual([]);
  });

  test("whose discovery fails at boot is not offered, and the service starts", async () => {
    const liar = await startScriptedIssuer();
    liar.script.metadata = { issuer: "https://another.test" };
    const without = await startPeopleApi({
      workspaceIssuer: liar.issuer,
      env: { SVC_EGRESS_ALLOW: "127.0.0.1", SVC_SSO_WORKSPACE_CLIENT_ID: "c", SVC_SSO_WORKSPACE_CLIENT_SECRET: "s" },
    });
    expect((await without.call("GET", "/api/v1/auth/sso/providers")).body).toEqual([]);
    expect((await without.call("GET", "/api/v1/auth/sso/workspace/start")).status).toBe(404);
    expect(without.logged.filter((line) => line.level === "warn")).toHaveLength(1);
    await Promise.all([without.close(), liar.close()]);
  });
});

describe("linking across providers", () => {
  test("one person, two identities, and what each says of groups side by side", async () => {
    await makeOrg("codehost", "codehost_org", { org: "nobody" }, ["acme"]);
    const browser = new Browser();
    host.person = { ...PERSON, id: 20, login: "linker", teams: [] };
    await browser.visit(start("codehost"));
    workspace.users.set("w20", { email: "linker@corp.test", email_verified: true, hd: "corp.test" });
    workspace.next = "w20";
    const linked = await linkAt(api, browser, { key: "workspace" });
    expect(linked.status).toBe(200);
    const fresh = new Browser();
    await fresh.visit(start("workspace"));
    expect((await me(fresh)).id).toBe("codehost:linker:20");
    expect(await entitlements(api, "codehost:linker:20")).toEqual(["acme", "corp.test"]);
  });
});
