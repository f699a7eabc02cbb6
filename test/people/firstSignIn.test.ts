/** The first sign-in at an organization's own provider, a real one (docs/access.md#what-a-sign-in-does). */
import { createHash } from "node:crypto";
import { describe, expect } from "vitest";
import { atCallback, Browser } from "../support/browser.ts";
import { startIdentityProvider } from "../support/identityProvider.ts";
import { test } from "../support/signInTest.ts";
import { addBinding, addSource, entitlements, signInAt } from "../support/signInWorld.ts";

const hash = (issuer: string) => createHash("sha256").update(issuer).digest("hex").slice(0, 12);

test.afterEach(({ api }) => {
  api.logged.length = 0;
});

describe("the first sign-in", () => {
  test("ends signed in, as a user named after issuer, login and subject, with an organization of their own", async ({
    api,
    idp,
    world,
  }) => {
    const source = await addSource(api, idp);
    idp.users.set("s-1", { preferred_username: "ada", name: "Ada L.", email: "ada@corp.test", email_verified: true });
    const browser = new Browser();
    const ended = await signInAt(api, idp, source, "s-1", browser);
    expect([ended.status, new URL(ended.url).pathname]).toEqual([200, "/api/v1/auth/me"]);
    const shown = await world.me(browser);
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

  test("the cookies and states that the database holds are hashes; the log holds none of them", async ({
    api,
    idp,
  }) => {
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

  test("a colon or a percent sign in a name does not move the borders of the id", async ({ api, idp, world }) => {
    const source = await addSource(api, idp);
    idp.users.set("a:b%c", { preferred_username: "x:y%3A" });
    const browser = new Browser();
    await signInAt(api, idp, source, "a:b%c", browser);
    expect((await world.me(browser)).id).toBe(`oidc-${hash(idp.issuer)}:x%3Ay%253A:a%3Ab%25c`);
  });

  test("who signs in again is the same user, also under another login and e-mail", async ({ api, idp, world }) => {
    const source = await addSource(api, idp);
    idp.users.set("s-2", { preferred_username: "bob", email: "bob@corp.test" });
    const [first, second] = [new Browser(), new Browser()];
    await signInAt(api, idp, source, "s-2", first);
    idp.users.set("s-2", { preferred_username: "robert", email: "robert@corp.test" });
    await signInAt(api, idp, source, "s-2", second);
    expect((await world.me(second)).id).toBe((await world.me(first)).id);
    const rows = await api.database.sql`select login from users where subject = 's-2'`;
    expect(rows).toEqual([{ login: "robert" }]);
  });

  test("who signs in again in the same browser leaves no session behind that nobody could sign out of", async ({
    api,
    idp,
  }) => {
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

  test("the same e-mail from two issuers is two users", async ({ api, idp, world }) => {
    const other = await startIdentityProvider({ redirectUris: [`${api.baseUrl}/api/v1/auth/sso/callback`] });
    const ids: string[] = [];
    for (const provider of [idp, other]) {
      const source = await addSource(api, provider);
      provider.users.set("same", { preferred_username: "eve", email: "eve@corp.test", email_verified: true });
      const browser = new Browser();
      await signInAt(api, provider, source, "same", browser);
      ids.push((await world.me(browser)).id);
    }
    await other.close();
    expect(new Set(ids).size).toBe(2);
  });

  test("claims that only the user info endpoint gives count too", async ({ api, world }) => {
    const thin = await startIdentityProvider({
      redirectUris: [`${api.baseUrl}/api/v1/auth/sso/callback`],
      claimsInIdToken: false,
    });
    const source = await addSource(api, thin);
    await addBinding(api, source, "infra");
    thin.users.set("t-1", { preferred_username: "thin", groups: ["infra"] });
    const browser = new Browser();
    await signInAt(api, thin, source, "t-1", browser);
    const { id } = await world.me(browser);
    expect(id).toContain(":thin:");
    expect(await entitlements(api, id)).toEqual(["infra"]);
    await thin.close();
  });

  test("a disabled user is refused, and no session is made", async ({ api, idp, world }) => {
    const source = await addSource(api, idp);
    const browser = new Browser();
    await signInAt(api, idp, source, "s-3", browser);
    const { id } = await world.me(browser);
    await api.database.sql`update users set disabled_at = svc_now() where id = ${id}`;
    const again = new Browser();
    const ended = await signInAt(api, idp, source, "s-3", again);
    expect([ended.status, JSON.parse(ended.text).code]).toEqual([403, "sign_in_refused"]);
    expect(again.cookie(api.baseUrl, "svc_session")).toBeUndefined();
    expect((await browser.send(`${api.baseUrl}/api/v1/auth/me`)).status).toBe(401);
  });

  test("it ends where it was begun, and never on another site", async ({ api, idp }) => {
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
