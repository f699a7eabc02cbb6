/** People with sessions: what those tests begin with. */
import { request as httpRequest } from "node:http";
import { csrfToken } from "../../src/people/sessions/csrf.ts";
import { createSession } from "../../src/people/sessions/sessions.ts";
import { startIdentityProvider } from "./identityProvider.ts";
import { routesOfPeople } from "./peopleApi.ts";
import { peopleTest } from "./test.ts";

export const ME = "/api/v1/auth/me";

export const SESSIONS = "/api/v1/me/sessions";
export const test = peopleTest({ env: { SVC_EGRESS_ALLOW: "127.0.0.1", SVC_SSO_REQUESTS_PER_MINUTE: "100000" } })
  .extend("idp", { scope: "file" }, async ({ api }, { onCleanup }) => {
    const idp = await startIdentityProvider({ redirectUris: [`${api.baseUrl}/api/v1/auth/sso/callback`] });
    onCleanup(() => idp.close());
    return idp;
  })
  .extend("world", ({ api }) => {
    /** A person with a session; `cookie` is the header their browser sends. */
    async function person(superAdmin = true) {
      const { user } = await api.makeUser({ superAdmin });
      const token = await createSession(api.database.db, user);
      return { user, token, cookie: `svc_session=${token}`, csrf: csrfToken(token) };
    }

    /** Every mutating route of people, with ids that lead nowhere. */
    function mutatingRoutes(): { method: string; path: string }[] {
      const seen = new Map<string, { method: string; path: string }>();
      for (const { method, path } of routesOfPeople(api)) {
        // A delivery proves itself by its signature; no browser sends one.
        if (path.endsWith("/webhook")) continue;
        // Whoever asks for a device's token is nobody yet; no cookie is looked at.
        if (path.startsWith("/api/v1/auth/device")) continue;
        if (["POST", "PUT", "PATCH", "DELETE"].includes(method)) {
          const filled = path.replace(/:[^/]+/g, "01900000-0000-7000-8000-000000000000");
          seen.set(`${method} ${path}`, { method, path: filled });
        }
      }
      return [...seen.values()];
    }

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

    return { person, mutatingRoutes, snapshot, bare, headersOf, places, listed, works };
  });
