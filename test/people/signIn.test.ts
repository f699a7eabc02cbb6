/** Signing in at an organization's own provider, a real one (docs/access.md#what-a-sign-in-does). */
import { createHash } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { atCallback, Browser } from "../support/browser.ts";
import { type IdentityProvider, startIdentityProvider } from "../support/identityProvider.ts";
import { type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";
import { addBinding, addRule, addSource, entitlements, signInAt } from "../support/signInWorld.ts";

let api: PeopleApi;
let idp: IdentityProvider;
beforeAll(async () => {
  api = await startPeopleApi({ env: { SVC_EGRESS_ALLOW: "127.0.0.1", SVC_SSO_REQUESTS_PER_MINUTE: "10000" } });
  idp = await startIdentityProvider({ redirectUris: [`${api.baseUrl}/api/v1/auth/sso/callback`] });
});
afterAll(async () => {
  await idp.close();
  await api.close();
});
afterEach(() => {
  api.logged.length = 0;
});

const me = async (browser: Browser) => JSON.parse((await browser.send(`${api.baseUrl}/api/v1/auth/me`)).text);
const hash = (issuer: string) => createHash("sha256").update(issuer).digest("hex").slice(0, 12);

describe("the first sign-in", () => {
  test("ends signed in, as a user named after issuer, login and subject, with an organization of their own", async () => {
    const source = await addSource(api, idp);
    idp.users.set("s-1", { preferred_username: "ada", name: "Ada L.", email: "ada@corp.test", email_verified: true });
    const browser = new Browser();
    const ended = await signInAt(api, idp, source, "s-1", browser);
    expect([ended.status, new URL(ended.url).pathname]).toEqual([200, "/api/v1/auth/me"]);
    const shown = await me(browser);
    expect(shown).toMatchObject({
      id: `oidc-${hash(idp.issuer)}:ada:s-1`,
      kind: "user",
      name: "Ada L.",
      is_super_admin: false,
    });
    expect(shown.csrf_token).toMatch(/^[\w-]{43}$/);
    expect(Object.keys(shown).filter((key) => key.startsWith("pat_"))).toEqual([]);
    const orgs = await api.database.sql`
      select o.name, o.is_personal, r.name as role from organizations o join memberships m on m.org_id = o.id
      join role_assignments ra on ra.org_id = o.id and ra.user_id = m.user_id join roles r on r.id = ra.role_id
      where m.user_id = ${shown.id}`;
    expect(orgs).toEqual([{ name: "ada", is_personal: true, role: "admin" }]);
  });

  test("the cookies and states that the database holds are hashes; the log holds none of them", async () => {
    const source = await addSource(api, idp);
    const browser = new Browser();
    idp.next = "s-1";
    const stopped = await browser.visit(api.baseUrl + source.startPath, { stopAt: atCallback });
    const { searchParams } = new URL(stopped.url);
    await browser.visit(stopped.url);
    const secrets = [searchParams.get("state"), searchParams.get("code"), browser.cookie(api.baseUrl, "svc_session")];
    expect(secrets.every((secret) => (secret ?? "").length >= 40)).toBe(true);
    const dump = await api.database.sql`
      select (select jsonb_agg(s) from sessions s)::text || coalesce((select jsonb_agg(a) from auth_states a)::text, '')
        || (select jsonb_agg(c) from used_sign_in_codes c)::text as text`;
    for (const secret of secrets) {
      expect(dump[0]?.text).not.toContain(secret);
      expect(JSON.stringify(api.logged)).not.toContain(secret);
    }
  });

  test("a colon or a percent sign in a name does not move the borders of the id", async () => {
    const source = await addSource(api, idp);
    idp.users.set("a:b%c", { preferred_username: "x:y%3A" });
    const browser = new Browser();
    await signInAt(api, idp, source, "a:b%c", browser);
    expect((await me(browser)).id).toBe(`oidc-${hash(idp.issuer)}:x%3Ay%253A:a%3Ab%25c`);
  });

  test("who signs in again is the same user, also under another login and e-mail", async () => {
    const source = await addSource(api, idp);
    idp.users.set("s-2", { preferred_username: "bob", email: "bob@corp.test" });
    const [first, second] = [new Browser(), new Browser()];
    await signInAt(api, idp, source, "s-2", first);
    idp.users.set("s-2", { preferred_username: "robert", email: "robert@corp.test" });
    await signInAt(api, idp, source, "s-2", second);
    expect((await me(second)).id).toBe((await me(first)).id);
    const rows = await api.database.sql`select login from users where subject = 's-2'`;
    expect(rows).toEqual([{ login: "robert" }]);
  });

  test("who signs in again in the same browser leaves no session behind that nobody could sign out of", async () => {
    const source = await addSource(api, idp);
    const [browser, elsewhere] = [new Browser(), new Browser()];
    for (const one of [browser, elsewhere]) await signInAt(api, idp, source, "s-again", one);
    const left = new Browser();
    left.setCookie(api.baseUrl, "svc_session", browser.cookie(api.baseUrl, "svc_session") ?? "");
    expect((await left.send(`${api.baseUrl}/api/v1/auth/me`)).status).toBe(200);
    await signInAt(api, idp, source, "s-again", browser);
    expect((await left.send(`${api.baseUrl}/api/v1/auth/me`)).status).toBe(401);
    for (const one of [browser, elsewhere]) {
      expect((await one.send(`${api.baseUrl}/api/v1/auth/me`)).status).toBe(200);
    }
  });

  test("the same e-mail from two issuers is two users", async () => {
    const other = await startIdentityProvider({ redirectUris: [`${api.baseUrl}/api/v1/auth/sso/callback`] });
    const ids: string[] = [];
    for (const provider of [idp, other]) {
      const source = await addSource(api, provider);
      provider.users.set("same", { preferred_username: "eve", email: "eve@corp.test", email_verified: true });
      const browser = new Browser();
      await signInAt(api, provider, source, "same", browser);
      ids.push((await me(browser)).id);
    }
    await other.close();
    expect(new Set(ids).size).toBe(2);
  });

  test("claims that only the user info endpoint gives count too", async () => {
    const thin = await startIdentityProvider({
      redirectUris: [`${api.baseUrl}/api/v1/auth/sso/callback`],
      claimsInIdToken: false,
    });
    const source = await addSource(api, thin);
    await addBinding(api, source, "infra");
    thin.users.set("t-1", { preferred_username: "thin", groups: ["infra"] });
    const browser = new Browser();
    await signInAt(api, thin, source, "t-1", browser);
    const { id } = await me(browser);
    expect(id).toContain(":thin:");
    expect(await entitlements(api, id)).toEqual(["infra"]);
    await thin.close();
  });

  test("a disabled user is refused, and no session is made", async () => {
    const source = await addSource(api, idp);
    const browser = new Browser();
    await signInAt(api, idp, source, "s-3", browser);
    const { id } = await me(browser);
    await api.database.sql`update users set disabled_at = svc_now() where id = ${id}`;
    const again = new Browser();
    const ended = await signInAt(api, idp, source, "s-3", again);
    expect([ended.status, JSON.parse(ended.text).code]).toEqual([403, "sign_in_refused"]);
    expect(again.cookie(api.baseUrl, "svc_session")).toBeUndefined();
    expect((await browser.send(`${api.baseUrl}/api/v1/auth/me`)).status).toBe(401);
  });

  test("it ends where it was begun, and never on another site", async () => {
    const source = await addSource(api, idp);
    const browser = new Browser();
    idp.next = "s-1";
    const to = encodeURIComponent("/api/v1/orgs/x?a=b#c");
    const ended = await browser.visit(`${api.baseUrl}${source.startPath}?return_to=${to}`);
    expect(ended.url).toBe(`${api.baseUrl}/api/v1/orgs/x?a=b#c`);
    for (const hostile of ["//evil.test", "https://evil.test/", "/\\evil.test", "evil", "/\t/evil.test"]) {
      const refused = await browser.send(`${api.baseUrl}${source.startPath}?return_to=${encodeURIComponent(hostile)}`);
      expect([hostile, refused.status]).toEqual([hostile, 422]);
    }
  });
});

describe("groups", () => {
  const expectEntitled = async (claims: object, expected: string[], bound: string[]) => {
    const source = await addSource(api, idp, { clientId: idp.clientId });
    for (const group of bound) await addBinding(api, source, group);
    const subject = `g-${Math.random().toString(36).slice(2)}`;
    idp.users.set(subject, { preferred_username: "g", ...claims });
    const browser = new Browser();
    await signInAt(api, idp, source, subject, browser);
    const { id } = await me(browser);
    expect(await entitlements(api, id)).toEqual(expected);
    return { id, source, subject };
  };

  test("a claim that is one string is a list of one, and its binding is active", async () => {
    const { id, source } = await expectEntitled({ groups: "infra" }, ["infra"], ["infra"]);
    await api.database.sql`insert into memberships (org_id, user_id) values (${source.orgId}, ${id})`;
    // The binding's role reads organizations.
    expect((await api.call("GET", `/api/v1/orgs/${source.orgId}`, { user: id })).status).toBe(200);
  });

  test("text that looks like JSON is taken literally", async () => {
    await expectEntitled(
      { groups: '["admins","infra"]' },
      ['["admins","infra"]'],
      ["admins", "infra", '["admins","infra"]'],
    );
    await expectEntitled(
      { groups: ['["admins"]', "infra"] },
      ['["admins"]', "infra"],
      ["admins", '["admins"]', "infra"],
    );
  });

  test("only groups that are bound are kept, compared exactly", async () => {
    await expectEntitled({ groups: ["Infra", "infra ", "x"] }, [], ["infra"]);
    await expectEntitled({ groups: [1, null, { a: 1 }, ["infra"], "infra"] }, ["infra"], ["infra"]);
    await expectEntitled({}, [], ["infra"]);
  });

  test("an overage reference keeps what is stored, and says so", async () => {
    const { id, source, subject } = await expectEntitled({ groups: ["infra"] }, ["infra"], ["infra"]);
    idp.users.set(subject, {
      preferred_username: "g",
      _claim_names: { groups: "src1" },
      _claim_sources: { src1: { endpoint: "https://graph.example.test/groups" } },
    });
    expect((await signInAt(api, idp, source, subject)).status).toBe(200);
    expect(await entitlements(api, id)).toEqual(["infra"]);
    const warnings = api.logged.filter((line) => line.level === "warn");
    expect(warnings).toEqual([expect.objectContaining({ provider_key: "oidc", groups_claim: "groups" })]);
    // An answer that says there are none is an answer.
    idp.users.set(subject, { preferred_username: "g", groups: [] });
    await signInAt(api, idp, source, subject);
    expect(await entitlements(api, id)).toEqual([]);
  });

  test("a sign-in rewrites exactly the rows of its question", async () => {
    const { id, source, subject } = await expectEntitled({ groups: ["a", "b"] }, ["a", "b"], ["a", "b", "c"]);
    const { sql } = api.database;
    const others = [
      ["codehost", "", "", ""],
      ["oidc", "https://other.test", idp.clientId, "groups"],
      ["oidc", idp.issuer, "another-client", "groups"],
      ["oidc", idp.issuer, idp.clientId, "another-claim"],
    ];
    for (const [provider, issuer, client, claim] of others) {
      await sql`insert into external_entitlements values (${id}, ${provider!}, ${issuer!}, ${client!}, ${claim!}, 'kept', svc_now() + interval '1 hour')`;
    }
    const [role] = await sql`select id from roles where name = 'viewer'`;
    await sql`insert into role_assignments (org_id, role_id, user_id) values (${source.orgId}, ${role?.id}, ${id})`;
    idp.users.set(subject, { preferred_username: "g", groups: ["c"] });
    await signInAt(api, idp, source, subject);
    expect(await entitlements(api, id)).toEqual(["c", "kept", "kept", "kept", "kept"]);
    expect(await sql`select 1 from role_assignments where user_id = ${id} and org_id = ${source.orgId}`).toHaveLength(
      1,
    );
  });

  test("entitlements and memberships by rule last as long as the setting says, and are absent afterwards", async () => {
    const source = await addSource(api, idp);
    await addRule(api, source, "oidc_group", { group: "staff" });
    await addBinding(api, source, "staff");
    idp.users.set("r-1", { preferred_username: "r", groups: ["staff"] });
    const browser = new Browser();
    await signInAt(api, idp, source, "r-1", browser);
    const { id } = await me(browser);
    const [row] = await api.database.sql`
      select m.source, extract(epoch from m.expires_at - svc_now()) / 86400 as days,
        (select extract(epoch from e.expires_at - svc_now()) / 86400 from external_entitlements e where e.user_id = ${id}) as held
      from memberships m where m.user_id = ${id} and m.org_id = ${source.orgId}`;
    expect(row?.source).toBe("identity_source");
    for (const days of [row?.days, row?.held]) expect(Number(days)).toBeCloseTo(7, 2);
    expect((await api.call("GET", `/api/v1/orgs/${source.orgId}`, { user: id })).status).toBe(200);
    await api.database
      .sql`update memberships set expires_at = svc_now() where user_id = ${id} and org_id = ${source.orgId}`;
    expect((await api.call("GET", `/api/v1/orgs/${source.orgId}`, { user: id })).status).toBe(403);
  });
});

describe("who becomes a member", () => {
  test("an organization without a seat withholds the membership, and the sign-in goes on", async () => {
    const source = await addSource(api, idp);
    const { sql } = api.database;
    await sql`update organizations set max_users = 1 where id = ${source.orgId}`;
    await api.makeUser({ orgs: [source.orgId] });
    await addRule(api, source, "oidc_group", { group: "staff" });
    idp.users.set("w-1", { preferred_username: "w", groups: ["staff"] });
    const browser = new Browser();
    expect((await signInAt(api, idp, source, "w-1", browser)).status).toBe(200);
    const { id } = await me(browser);
    expect(await sql`select 1 from memberships where user_id = ${id} and org_id = ${source.orgId}`).toEqual([]);
    expect(await api.metrics.registry.metrics()).toContain(
      `svc_org_seat_denials{org="${source.orgId}",source="sso"} 1`,
    );
  });

  test("rules of a source with another issuer, client or claim, or a disabled one, are not looked at", async () => {
    const source = await addSource(api, idp);
    const strangers = [
      await addSource(api, { ...idp, issuer: "https://other.test" }),
      await addSource(api, idp, { clientId: "another" }),
      await addSource(api, idp, { groupsClaim: "roles" }),
      await addSource(api, idp, { enabled: false }),
    ];
    for (const one of [source, ...strangers]) await addRule(api, one, "oidc_group", { group: "staff" });
    idp.users.set("q-1", { preferred_username: "q", groups: ["staff"] });
    const browser = new Browser();
    await signInAt(api, idp, source, "q-1", browser);
    const { id } = await me(browser);
    const rows = await api.database.sql`
      select org_id from memberships m join organizations o on o.id = m.org_id where m.user_id = ${id} and not o.is_personal`;
    expect(rows.map((row) => row.org_id)).toEqual(expect.arrayContaining([source.orgId]));
    for (const { orgId } of strangers) expect(rows.map((row) => row.org_id)).not.toContain(orgId);
  });

  test("another organization that names the same issuer and client gets nobody who signs in elsewhere", async () => {
    const source = await addSource(api, idp);
    const spy = await addSource(api, idp);
    for (const one of [source, spy]) await addRule(api, one, "oidc_group", { group: "staff" });
    idp.users.set("spied-on", { preferred_username: "spied-on", groups: ["staff"] });
    const browser = new Browser();
    await signInAt(api, idp, source, "spied-on", browser);
    const { id } = await me(browser);
    const orgs = async () => {
      const rows = await api.database.sql`
        select org_id from memberships m join organizations o on o.id = m.org_id where m.user_id = ${id} and not o.is_personal`;
      return rows.map((row) => row.org_id);
    };
    expect(await orgs()).toEqual([source.orgId]);
    // By signing in there they become a member there.
    await signInAt(api, idp, spy, "spied-on", browser);
    expect((await orgs()).sort()).toEqual([source.orgId, spy.orgId].sort());
  });

  test("an invitation is not for whoever has a name that only looks the same in lower case", async () => {
    const source = await addSource(api, idp);
    await api.database.sql`update organizations set max_users = 5 where id = ${source.orgId}`;
    await api.database.sql`
      insert into invitations (org_id, provider_key, login, expires_at) values (${source.orgId}, 'oidc', 'kate', svc_now() + interval '1 day')`;
    const joins = async (subject: string, preferred_username: string) => {
      idp.users.set(subject, { preferred_username });
      const browser = new Browser();
      await signInAt(api, idp, source, subject, browser);
      const { id } = await me(browser);
      return (await api.database.sql`select 1 from memberships where org_id = ${source.orgId} and user_id = ${id}`)
        .length;
    };
    expect(await joins("k-1", "\u212aate")).toBe(0);
    expect(await joins("k-2", "Kate")).toBe(1);
  });

  test("an invitation is consumed by the sign-in it waits for", async () => {
    const source = await addSource(api, idp);
    const { sql } = api.database;
    await sql`update organizations set max_users = 5 where id = ${source.orgId}`;
    const [role] = await sql`select id from roles where name = 'deployer'`;
    const invite = (login: string) => sql`
      insert into invitations (org_id, provider_key, login, role_ids, expires_at)
      values (${source.orgId}, 'oidc', ${login}, ${sql.array([role?.id], 2950)}, svc_now() + interval '1 day')`;
    await invite("ivy@corp.test");
    await invite("mallory@corp.test");
    idp.users.set("i-1", { preferred_username: "ivy", email: "Ivy@corp.test", email_verified: true });
    idp.users.set("i-2", {
      preferred_username: "mallory@corp.test",
      email: "mallory@corp.test",
      email_verified: false,
    });
    const [ivy, mallory] = [new Browser(), new Browser()];
    await signInAt(api, idp, source, "i-1", ivy);
    await signInAt(api, idp, source, "i-2", mallory);
    const members = await sql`select user_id from memberships where org_id = ${source.orgId}`;
    expect(members.map((row) => row.user_id)).toEqual([(await me(ivy)).id]);
    expect(await sql`select login from invitations where org_id = ${source.orgId}`).toEqual([
      { login: "mallory@corp.test" },
    ]);
  });
});

describe("linking", () => {
  test("a further identity is the same user afterwards, and one that belongs to another is refused", async () => {
    const other = await startIdentityProvider({ redirectUris: [`${api.baseUrl}/api/v1/auth/sso/callback`] });
    const [source, second] = [await addSource(api, idp), await addSource(api, other)];
    const browser = new Browser();
    await signInAt(api, idp, source, "l-1", browser);
    const { id } = await me(browser);
    other.next = "l-2";
    const linkPath = `/api/v1/auth/sso/oidc/link/start?org=${second.handle}&source=${second.slug}`;
    expect((await browser.visit(api.baseUrl + linkPath)).status).toBe(200);
    expect((await me(browser)).id).toBe(id);
    const fresh = new Browser();
    await signInAt(api, other, second, "l-2", fresh);
    expect((await me(fresh)).id).toBe(id);

    const stranger = new Browser();
    await signInAt(api, idp, source, "l-3", stranger);
    other.next = "l-2";
    const refused = await stranger.visit(api.baseUrl + linkPath);
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([409, "conflict"]);
    await other.close();
  });

  test("it needs a session, and a page of this service", async () => {
    const source = await addSource(api, idp);
    const path = `/api/v1/auth/sso/oidc/link/start?org=${source.handle}&source=${source.slug}`;
    expect((await new Browser().send(api.baseUrl + path)).status).toBe(401);
    const { token } = await api.makeAccount(source.orgId, []);
    const byToken = await api.call("GET", path, { token });
    expect([byToken.status, byToken.body.code]).toEqual([403, "session_required"]);
    const browser = new Browser();
    await signInAt(api, idp, source, "l-1", browser);
    for (const [from, status] of [
      ["cross-site", 403],
      ["same-site", 403],
      ["same-origin", 302],
      ["none", 302],
    ] as const) {
      const answer = await browser.send(api.baseUrl + path, { headers: { "sec-fetch-site": from } });
      expect([from, answer.status]).toEqual([from, status]);
    }
  });
});
