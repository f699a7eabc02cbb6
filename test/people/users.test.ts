/**
 * Super-admins read everybody who ever signed in: page by page, by login and state, in few statements, without secrets.
 */
import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { csrfToken } from "../../src/people/sessions/csrf.ts";
import { createSession } from "../../src/people/sessions/sessions.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { peopleTest } from "../support/test.ts";

const USERS = "/api/v1/users";

const logins = (answer: { body: { items: { login: string }[] } }) => answer.body.items.map(({ login }) => login);

const test = peopleTest()
  .extend("operator", { scope: "file" }, ({ api }) => api.makeUser({ superAdmin: true }))
  .extend("list", ({ operator, api }) => (query = "", by = operator) => {
    return api.call("GET", `${USERS}${query}`, by);
  });

test.beforeAll(async ({ api }) => {
  const { sql } = api.database;
  await sql`insert into users (id, provider_key, issuer, subject, login, display_name, created_at, disabled_at)
    select 'workspace:p' || i, 'workspace', '', 'p' || i, 'P' || i || '@corp.test', 'Person ' || i,
      timestamptz '2020-01-01' + i * interval '1 second', case when i % 1000 = 0 then svc_now() end
    from generate_series(1, 10000) i`;
  await sql`insert into user_identities (provider_key, issuer, subject, user_id, last_login_at)
    select provider_key, issuer, subject, id, created_at + interval '1 day' from users`;
  await sql`analyze users, user_identities`;
});

describe("the list", () => {
  test("goes through everybody once, whichever way it is sorted", async ({ list }) => {
    for (const sort of ["created_at", "login"]) {
      const seen: string[] = [];
      let cursor: string | null = "";
      while (cursor !== null) {
        const { body } = await list(`?limit=200&sort=${sort}${cursor && `&cursor=${cursor}`}`);
        seen.push(...body.items.map(({ id }: { id: string }) => id));
        cursor = body.next_cursor;
      }
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.length).toBe(10_001);
    }
  });

  test("shows who somebody is and when they came, and nothing to act with", async ({ list }) => {
    const { body } = await list("?login_prefix=p10000@");
    expect(body.items).toEqual([
      {
        id: "workspace:p10000",
        login: "P10000@corp.test",
        display_name: "Person 10000",
        provider_key: "workspace",
        is_super_admin: false,
        disabled_at: expect.stringMatching(/Z$/),
        last_login_at: "2020-01-02T02:46:40Z",
        created_at: "2020-01-01T02:46:40Z",
      },
    ]);
  });

  test("is narrowed by how the login begins, in either case and taken literally", async ({ api, list }) => {
    const { sql } = api.database;
    for (const login of ["a_b%c", "a_b%cd", "aXb%c", "Äther", "ätzend"]) {
      await sql`insert into users (id, provider_key, issuer, subject, login) values (${randomUUID()}, 'oidc', 'x', ${randomUUID()}, ${login})`;
    }
    const of = async (prefix: string) => logins(await list(`?sort=login&login_prefix=${encodeURIComponent(prefix)}`));
    expect(await of("a_b%")).toEqual(["a_b%c", "a_b%cd"]);
    expect(await of("A_B")).toEqual(["a_b%c", "a_b%cd"]);
    expect(await of("ÄT")).toEqual(["Äther", "ätzend"]);
    expect(await of("\\")).toEqual([]);
    expect((await list("?login_prefix=p99&limit=200")).body.items).toHaveLength(111);
  });

  test("is narrowed by state", async ({ list, operator }) => {
    expect((await list("?disabled=true&limit=200")).body.items).toHaveLength(10);
    expect((await list("?disabled=false&login_prefix=p1000&limit=200")).body.items).toEqual([]);
    const admins = await list("?is_super_admin=true");
    expect(admins.body.items.map(({ id }: { id: string }) => id)).toEqual([operator.user]);
    for (const query of ["?disabled=yes", "?login_prefix=", "?login=x", "?cursor=x", "?limit=0"]) {
      expect([query, (await list(query)).status]).toEqual([query, 422]);
    }
    expect((await list("?login_prefix=%00")).status).toBe(400);
  });

  test("costs two statements, and reads by index whatever is asked", async ({ api, operator }) => {
    for (const query of [
      "",
      "?login_prefix=p5",
      "?sort=login&login_prefix=p5",
      "?disabled=true",
      "?is_super_admin=true",
    ]) {
      const { statements } = await countStatements(async () =>
        api.app.request(`${USERS}${query}`, { headers: { "x-test-user": operator.user! } }),
      );
      const own = statements.filter((text) => !/^(begin|commit|rollback)/i.test(text));
      expect(own).toHaveLength(2);
      const plan = await api.database.sql.unsafe(
        `explain ${own[1]!.replace(/\$\d+/g, (n) => (n === `$${(own[1]!.match(/\$\d+/g) ?? []).length}` ? "51" : "'p5'"))}`,
      );
      const text = plan.map((row) => row["QUERY PLAN"]).join("\n");
      expect([query, text]).toEqual([query, expect.not.stringMatching(/Seq Scan on users/)]);
    }
  });
});

describe("one person", () => {
  test("is shown with identities and with how much they hold", async ({ api, operator }) => {
    const org = await api.makeOrg();
    const { user } = await api.makeUser({ orgs: [org], grants: [["*", "*"]] });
    const { sql, db } = api.database;
    await sql`insert into user_identities (provider_key, issuer, subject, user_id, login) values ('codehost', 'https://git.example', '7', ${user}, 'ada')`;
    const session = await createSession(db, user);
    await sql`insert into sessions (user_id, token_sha256, csrf_sha256, expires_at) values (${user}, sha256('x'), sha256('x'), svc_now())`;
    const headers = { cookie: `svc_session=${session}`, origin: api.baseUrl, "x-csrf-token": csrfToken(session) };
    const made = await api.call("POST", "/api/v1/me/tokens", { headers, body: { org_id: org, name: "t" } });
    const account = await api.makeAccount(org, []);
    const path = `/api/v1/orgs/${org}/service-accounts/${account.id}/tokens`;
    const minted = await api.call("POST", path, { headers, body: { name: "t" } });
    expect([made.status, minted.status]).toEqual([201, 201]);
    const answer = await api.call("GET", `${USERS}/${encodeURIComponent(user)}`, operator);
    expect(answer.body).toMatchObject({
      id: user,
      sessions: 1,
      personal_tokens: 1,
      minted_tokens: 1,
      identities: [
        { provider_key: "codehost", issuer: "https://git.example", subject: "7", login: "ada", last_login_at: null },
      ],
    });
    for (const secret of [session, csrfToken(session), made.body.token, minted.body.token]) {
      expect(answer.text).not.toContain(secret);
    }
    expect(answer.text).not.toMatch(/sha256|csrf/);
  });

  test("that nobody is, is 404", async ({ api, operator }) => {
    expect((await api.call("GET", `${USERS}/codehost:nobody:1`, operator)).status).toBe(404);
  });
});

test("only super-admins with a session read people", async ({ api }) => {
  const org = await api.makeOrg();
  const admin = await api.makeUser({ orgs: [org], grants: [["*", "*"]] });
  const account = await api.makeAccount(org, [["*", "*"]]);
  for (const path of [USERS, `${USERS}/${encodeURIComponent(admin.user)}`]) {
    expect((await api.call("GET", path, admin)).status).toBe(403);
    expect((await api.call("GET", path, { token: account.token })).body.code).toBe("session_required");
    expect((await api.call("GET", path)).status).toBe(401);
  }
});
