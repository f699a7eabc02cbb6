/**
 * Sessions of browsers: cookies, lifetimes, and changes that other sites must not make
 * (docs/rules/credentials.md#sessions).
 */
import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { csrfToken } from "../../src/people/sessions/csrf.ts";
import { createSession } from "../../src/people/sessions/sessions.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { Browser } from "../support/browser.ts";
import { type IdentityProvider, startIdentityProvider } from "../support/identityProvider.ts";
import { type PeopleApi, routesOfPeople, startPeopleApi } from "../support/peopleApi.ts";
import { addSource } from "../support/signInWorld.ts";

const HOUR_MS = 3_600_000;
const ME = "/api/v1/auth/me";

let api: PeopleApi;
let idp: IdentityProvider;
beforeAll(async () => {
  api = await startPeopleApi({ env: { SVC_EGRESS_ALLOW: "127.0.0.1", SVC_SSO_REQUESTS_PER_MINUTE: "100000" } });
  idp = await startIdentityProvider({ redirectUris: [`${api.baseUrl}/api/v1/auth/sso/callback`] });
});
afterAll(async () => {
  await idp.close();
  await api.close();
});

/** A person with a session; `cookie` is the header their browser sends. */
async function person(superAdmin = true) {
  const { user } = await api.makeUser({ superAdmin });
  const token = await createSession(api.database.db, user);
  return { user, token, cookie: `svc_session=${token}`, csrf: csrfToken(token) };
}

describe("the cookie", () => {
  test("is for this host alone, for no script and no other site; on a developer's plain HTTP it has a plain name", async () => {
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

  test("ends with the sign-out, on the server too", async () => {
    const { cookie, csrf } = await person();
    const headers = { cookie, origin: api.baseUrl, "x-csrf-token": csrf };
    expect((await api.call("POST", "/api/v1/auth/logout", { headers })).status).toBe(204);
    expect((await api.call("GET", ME, { headers: { cookie } })).status).toBe(401);
  });

  test("a token cannot sign out, and one that is sent wins over the cookie", async () => {
    const { token } = await api.makeAccount(await api.makeOrg(), []);
    const byToken = await api.call("POST", "/api/v1/auth/logout", { token });
    expect([byToken.status, byToken.body.code]).toEqual([403, "session_required"]);
    const { cookie } = await person();
    expect((await api.call("GET", ME, { token, headers: { cookie } })).body.kind).toBe("service_account");
    const broken = `svc_sa_${"0".repeat(33)}`;
    expect((await api.call("GET", ME, { token: broken, headers: { cookie } })).status).toBe(401);
  });
});

describe("a session's life", () => {
  test("12 hours after its last use it is over; 7 days after its beginning in any case", async () => {
    const idle = await person();
    const busy = await person();
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

  test("costs one statement per request, and no write while nothing is due", async () => {
    const { cookie, token } = await person();
    const { sql } = api.database;
    const row = () => sql`select xmin, expires_at from sessions where token_sha256 = sha256(${Buffer.from(token)})`;
    const before = await row();
    const { statements } = await countStatements(async () => api.app.request(ME, { headers: { cookie } }));
    // The second one is the route's own.
    expect(statements).toEqual([expect.stringContaining("sessions"), expect.stringContaining('from "users"')]);
    expect(await row()).toEqual(before);
  });
});

describe("one's own sessions", () => {
  const SESSIONS = "/api/v1/me/sessions";
  const headersOf = (one: { cookie: string; csrf: string }) => ({
    cookie: one.cookie,
    origin: api.baseUrl,
    "x-csrf-token": one.csrf,
  });
  /** Somebody signed in in three places, one of them long ago. */
  async function places() {
    const here = await person(false);
    const { db, sql } = api.database;
    const [there, old] = [await createSession(db, here.user), await createSession(db, here.user)];
    await sql`update sessions set expires_at = svc_now() where token_sha256 = sha256(${Buffer.from(old)})`;
    return { here, there: { cookie: `svc_session=${there}`, csrf: csrfToken(there) } };
  }
  const listed = async (one: { cookie: string; csrf: string }) =>
    (await api.call("GET", SESSIONS, { headers: headersOf(one) })).body.items as {
      id: string;
      this_session: boolean;
    }[];
  const works = async ({ cookie }: { cookie: string }) =>
    (await api.call("GET", ME, { headers: { cookie } })).status === 200;

  test("are listed while they last, without what could be used as one", async () => {
    const { here, there } = await places();
    const answer = await api.call("GET", SESSIONS, { headers: headersOf(here) });
    expect(answer.body.items.map((item: { this_session: boolean }) => item.this_session)).toEqual([false, true]);
    for (const secret of [here.token, here.csrf, there.csrf]) expect(answer.text).not.toContain(secret);
    const page = await api.call("GET", `${SESSIONS}?limit=1`, { headers: headersOf(here) });
    const next = await api.call("GET", `${SESSIONS}?limit=1&cursor=${page.body.next_cursor}`, {
      headers: headersOf(here),
    });
    expect([page.body.items[0].id, next.body.items[0].id]).toEqual(
      answer.body.items.map(({ id }: { id: string }) => id),
    );
    const { token } = await api.makeAccount(await api.makeOrg(), [["*", "*"]]);
    expect((await api.call("GET", SESSIONS, { token })).status).toBe(403);
  });

  test("one of them is ended, and nobody else's", async () => {
    const { here, there } = await places();
    const stranger = await person();
    const other = (await listed(here)).find(({ this_session }) => !this_session)!;
    const end = (id: string, by: { cookie: string; csrf: string }) =>
      api.call("DELETE", `${SESSIONS}/${id}`, { headers: headersOf(by) });
    for (const id of [other.id, "x"]) expect((await end(id, stranger)).status).toBe(404);
    expect((await end(other.id, here)).status).toBe(204);
    expect([await works(here), await works(there), await works(stranger)]).toEqual([true, false, true]);
    const own = await end((await listed(here))[0]!.id, here);
    expect([own.status, own.headers.getSetCookie()]).toEqual([204, [expect.stringContaining("Max-Age=0")]]);
    expect(await works(here)).toBe(false);
  });

  test("all end together, and tokens do not", async () => {
    const { here, there } = await places();
    const org = await api.makeOrg();
    await api.database.sql`insert into memberships (org_id, user_id) values (${org}, ${here.user})`;
    const body = { org_id: org, name: "t" };
    const { token } = (await api.call("POST", "/api/v1/me/tokens", { headers: headersOf(here), body })).body;
    const byToken = await api.call("DELETE", SESSIONS, { token });
    expect([byToken.status, byToken.body.code]).toEqual([403, "session_required"]);
    const ended = await api.call("DELETE", SESSIONS, { headers: headersOf(here) });
    expect([ended.status, ended.headers.getSetCookie()]).toEqual([204, [expect.stringContaining("Max-Age=0")]]);
    expect([await works(here), await works(there)]).toEqual([false, false]);
    expect((await api.call("GET", ME, { token })).status).toBe(200);
    const audit = await api.database.sql`
      select actor_id, details from audit_log where action = 'user.logout' and resource_id = ${here.user}`;
    expect(audit).toEqual([{ actor_id: here.user, details: { sessions: 3 } }]);
  });
});

/** Every mutating route of people, with ids that lead nowhere. */
function mutatingRoutes(): { method: string; path: string }[] {
  const seen = new Map<string, { method: string; path: string }>();
  for (const { method, path } of routesOfPeople(api)) {
    // A delivery proves itself by its signature; no browser sends one.
    if (path.endsWith("/webhook")) continue;
    if (["POST", "PUT", "PATCH", "DELETE"].includes(method)) {
      const filled = path.replace(/:[^/]+/g, "01900000-0000-7000-8000-000000000000");
      seen.set(`${method} ${path}`, { method, path: filled });
    }
  }
  return [...seen.values()];
}

describe("a change that another site sends", () => {
  test("is refused on every mutating route, whatever it looks like", async () => {
    const { cookie, csrf, token } = await person();
    const foreign = "https://evil.test";
    const own = api.baseUrl;
    const attempts: Record<string, string>[] = [
      {},
      { origin: own },
      { origin: own, "x-csrf-token": "" },
      { origin: own, "x-csrf-token": csrfToken(`${token}x`) },
      { "x-csrf-token": csrf },
      { origin: foreign, "x-csrf-token": csrf },
      { origin: "null", "x-csrf-token": csrf },
      { origin: `${own}.evil.test`, "x-csrf-token": csrf },
      { origin: own.replace("http", "https"), "x-csrf-token": csrf },
      { origin: own.replace(/:\d+$/, ""), "x-csrf-token": csrf },
      { referer: `${own}/`, "x-csrf-token": csrf },
      { origin: foreign, "content-type": "application/json" },
      { origin: foreign, "content-type": "Text/Plain" },
      { origin: foreign, "content-type": "multipart/form-data; boundary=x" },
      { origin: foreign, "content-type": "application/x-www-form-urlencoded" },
      { origin: foreign, "x-http-method-override": "GET", "x-csrf-token": csrf },
      { "x-http-method-override": "GET", "sec-fetch-site": "same-origin" },
      { origin: foreign, authorization: "Basic eDp5", "x-csrf-token": csrf },
      { origin: foreign, authorization: "Bearer something-else", "x-csrf-token": csrf },
    ];
    const routes = mutatingRoutes();
    expect(routes.length).toBeGreaterThan(30);
    const before = await snapshot();
    for (const { method, path } of routes) {
      for (const headers of attempts) {
        const answer = await bare(method, path, { cookie, ...headers });
        expect([method, path, headers, answer.status, answer.code]).toEqual([
          method,
          path,
          headers,
          403,
          "csrf_refused",
        ]);
      }
    }
    expect(await snapshot()).toEqual(before);
  });

  test("our own page's change is let through on every one of them", async () => {
    const { cookie, csrf } = await person();
    for (const { method, path } of mutatingRoutes()) {
      if (path.endsWith("/logout")) continue;
      const answer = await bare(method, path, { cookie, origin: api.baseUrl, "x-csrf-token": csrf });
      expect([method, path, answer.code]).not.toEqual([method, path, "csrf_refused"]);
      expect(answer.status).toBeLessThan(500);
    }
  });

  test("a token needs none of it", async () => {
    const org = await api.makeOrg();
    const { token } = await api.makeAccount(org, [["service_account", "*"]]);
    const path = `/api/v1/orgs/${org}/service-accounts`;
    const answer = await api.call("POST", path, {
      token,
      body: { name: "x" },
      headers: { origin: "https://evil.test" },
    });
    expect(answer.status).toBe(201);
  });

  test("reading by GET is not kept from anyone who holds the cookie", async () => {
    const { cookie, csrf } = await person();
    const answer = await api.call("GET", ME, { headers: { cookie, origin: "https://evil.test" } });
    expect([answer.status, answer.body.csrf_token]).toEqual([200, csrf]);
    // And no page elsewhere may read that answer.
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  });
});

/** Rows by table: what a request that was refused must not have changed. */
async function snapshot() {
  const { sql } = api.database;
  const tables = await sql`select tablename from pg_tables where schemaname = 'public' order by 1`;
  const counted = tables.map(async ({ tablename }) => [
    tablename,
    (await sql`select count(*)::int as n from ${sql(tablename)}`)[0]?.n,
  ]);
  return Object.fromEntries(await Promise.all(counted));
}

/** `fetch` adds headers of its own to what it is given; a hostile page's request has exactly these. */
function bare(
  method: string,
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number; code: string | undefined }> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(api.baseUrl + path, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        const json = response.headers["content-type"]?.includes("json") ? JSON.parse(text) : undefined;
        resolve({ status: response.statusCode ?? 0, code: json?.code });
      });
    });
    sent.on("error", reject);
    sent.end();
  });
}
