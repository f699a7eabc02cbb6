/** Sessions of browsers: cookies, lifetimes, and one's own list (docs/rules/credentials.md#sessions). */
import { describe, expect } from "vitest";
import { csrfToken } from "../../src/people/sessions/csrf.ts";
import { createSession } from "../../src/people/sessions/sessions.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { Browser } from "../support/browser.ts";
import { startPeopleApi } from "../support/peopleApi.ts";
import { ME, SESSIONS, test } from "../support/sessionsTest.ts";
import { addSource } from "../support/signInWorld.ts";

const HOUR_MS = 3_600_000;

describe("the cookie", () => {
  test("is for this host alone, for no script and no other site; on a developer's plain HTTP it has a plain name", async ({
    api,
    idp,
  }) => {
    const source = await addSource(api, idp);
    const set: string[] = [];
    const secure = await startPeopleApi({ env: { SVC_BACKEND_PUBLIC_BASE_URL: "https://deploy.example.test" } });
    const { user } = await secure.makeUser();
    const token = await createSession(secure.database.db, user);
    const signedIn = new Browser();
    signedIn.setCookie(secure.baseUrl, "__Host-svc_session", token);
    expect((await signedIn.send(secure.baseUrl + ME)).status).toBe(200);
    const plain = new Browser();
    plain.setCookie(secure.baseUrl, "svc_session", token);
    expect((await plain.send(secure.baseUrl + ME)).status).toBe(401);
    const out = await signedIn.send(`${secure.baseUrl}/api/v1/auth/logout`, {
      method: "POST",
      headers: { origin: "https://deploy.example.test", "x-csrf-token": csrfToken(token) },
    });
    expect(out.headers.getSetCookie()).toEqual([
      "__Host-svc_session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax",
    ]);
    await secure.close();

    idp.next = "c";
    const browser = new Browser();
    const stopped = await browser.visit(api.baseUrl + source.startPath, {
      stopAt: (url) => url.pathname.endsWith("/callback"),
    });
    const answer = await browser.send(stopped.url);
    set.push(...answer.headers.getSetCookie());
    expect(set).toEqual([
      expect.stringMatching(/^svc_session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
  });

  test("ends with the sign-out, on the server too", async ({ api, world }) => {
    const { cookie, csrf } = await world.person();
    const headers = { cookie, origin: api.baseUrl, "x-csrf-token": csrf };
    expect((await api.call("POST", "/api/v1/auth/logout", { headers })).status).toBe(204);
    expect((await api.call("GET", ME, { headers: { cookie } })).status).toBe(401);
  });

  test("a token cannot sign out, and one that is sent wins over the cookie", async ({ api, world }) => {
    const { token } = await api.makeAccount(await api.makeOrg(), []);
    const byToken = await api.call("POST", "/api/v1/auth/logout", { token });
    expect([byToken.status, byToken.body.code]).toEqual([403, "session_required"]);
    const { cookie } = await world.person();
    expect((await api.call("GET", ME, { token, headers: { cookie } })).body.kind).toBe("service_account");
    const broken = `svc_sa_${"0".repeat(33)}`;
    expect((await api.call("GET", ME, { token: broken, headers: { cookie } })).status).toBe(401);
  });
});

describe("a session's life", () => {
  test("12 hours after its last use it is over; 7 days after its beginning in any case", async ({ api, world }) => {
    const idle = await world.person();
    const busy = await world.person();
    const works = async ({ cookie }: { cookie: string }) =>
      (await api.call("GET", ME, { headers: { cookie } })).status === 200;
    await api.database.advanceClock(11 * HOUR_MS);
    expect(await works(busy)).toBe(true);
    await api.database.advanceClock(1.5 * HOUR_MS);
    expect([await works(idle), await works(busy)]).toEqual([false, true]);
    for (let hours = 12.5; hours + 11 < 7 * 24; hours += 11) {
      await api.database.advanceClock(11 * HOUR_MS);
      expect(await works(busy)).toBe(true);
    }
    await api.database.advanceClock(11 * HOUR_MS);
    expect(await works(busy)).toBe(false);
  });

  test("costs one statement per request, and no write while nothing is due", async ({ api, world }) => {
    const { cookie, token } = await world.person();
    const { sql } = api.database;
    const row = () => sql`select xmin, expires_at from sessions where token_sha256 = sha256(${Buffer.from(token)})`;
    const before = await row();
    const { statements } = await countStatements(async () => api.app.request(ME, { headers: { cookie } }));
    // The second one is the route's own.
    expect(statements).toEqual([expect.stringContaining("sessions"), expect.stringContaining("from users")]);
    expect(await row()).toEqual(before);
  });
});

describe("one's own sessions", () => {
  test("are listed while they last, without what could be used as one", async ({ api, world }) => {
    const { here, there } = await world.places();
    const answer = await api.call("GET", SESSIONS, { headers: world.headersOf(here) });
    expect(answer.body.items.map((item: { this_session: boolean }) => item.this_session)).toEqual([false, true]);
    for (const secret of [here.token, here.csrf, there.csrf]) expect(answer.text).not.toContain(secret);
    const page = await api.call("GET", `${SESSIONS}?limit=1`, { headers: world.headersOf(here) });
    const next = await api.call("GET", `${SESSIONS}?limit=1&cursor=${page.body.next_cursor}`, {
      headers: world.headersOf(here),
    });
    expect([page.body.items[0].id, next.body.items[0].id]).toEqual(
      answer.body.items.map(({ id }: { id: string }) => id),
    );
    const { token } = await api.makeAccount(await api.makeOrg(), [["*", "*"]]);
    expect((await api.call("GET", SESSIONS, { token })).status).toBe(403);
  });

  test("one of them is ended, and nobody else's", async ({ api, world }) => {
    const { here, there } = await world.places();
    const stranger = await world.person();
    const other = (await world.listed(here)).find(({ this_session }) => !this_session)!;
    const end = (id: string, by: { cookie: string; csrf: string }) =>
      api.call("DELETE", `${SESSIONS}/${id}`, { headers: world.headersOf(by) });
    for (const id of [other.id, "x"]) expect((await end(id, stranger)).status).toBe(404);
    expect((await end(other.id, here)).status).toBe(204);
    expect([await world.works(here), await world.works(there), await world.works(stranger)]).toEqual([
      true,
      false,
      true,
    ]);
    const own = await end((await world.listed(here))[0]!.id, here);
    expect([own.status, own.headers.getSetCookie()]).toEqual([204, [expect.stringContaining("Max-Age=0")]]);
    expect(await world.works(here)).toBe(false);
  });

  test("all end together, and tokens do not", async ({ api, world }) => {
    const { here, there } = await world.places();
    const org = await api.makeOrg();
    await api.database.sql`insert into memberships (org_id, user_id) values (${org}, ${here.user})`;
    const body = { org_id: org, name: "t" };
    const { token } = (await api.call("POST", "/api/v1/me/tokens", { headers: world.headersOf(here), body })).body;
    const byToken = await api.call("DELETE", SESSIONS, { token });
    expect([byToken.status, byToken.body.code]).toEqual([403, "session_required"]);
    const ended = await api.call("DELETE", SESSIONS, { headers: world.headersOf(here) });
    expect([ended.status, ended.headers.getSetCookie()]).toEqual([204, [expect.stringContaining("Max-Age=0")]]);
    expect([await world.works(here), await world.works(there)]).toEqual([false, false]);
    expect((await api.call("GET", ME, { token })).status).toBe(200);
    const audit = await api.database.sql`
      select actor_id, details from audit_log where action = 'user.logout' and resource_id = ${here.user}`;
    expect(audit).toEqual([{ actor_id: here.user, details: { sessions: 3 } }]);
  });
});
