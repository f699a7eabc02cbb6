/** Personal tokens, and what ends them (docs/rules/credentials.md#ending-access-is-one-transaction). */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeToken } from "../../src/people/credentials/format.ts";
import { csrfToken } from "../../src/people/sessions/csrf.ts";
import { createSession } from "../../src/people/sessions/sessions.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { type Answer, type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";

const ME = "/api/v1/auth/me";
const TOKENS = "/api/v1/me/tokens";
const DAY_MS = 86_400_000;

let api: PeopleApi;
beforeAll(async () => {
  api = await startPeopleApi();
});
afterAll(() => api.close());

/** A member of a new organization with a session and a personal token for it. */
async function holder(options: { superAdmin?: boolean } = {}) {
  const org = await api.makeOrg();
  const { user } = await api.makeUser({ orgs: [org], grants: [["*", "*"]], ...options });
  const session = await createSession(api.database.db, user);
  const cookies = { cookie: `svc_session=${session}`, origin: api.baseUrl, "x-csrf-token": csrfToken(session) };
  const created = await api.call("POST", TOKENS, { headers: cookies, body: { org_id: org, name: "laptop" } });
  return { org, user, cookies, created, token: created.body.token as string };
}

const works = async (token: string) => (await api.call("GET", ME, { token })).status === 200;
const fields = (answer: Answer) => answer.body.errors?.map((error: { field: string }) => error.field);

describe("creating one", () => {
  test("the value is in one answer, its SHA-256 in the database, and nowhere else", async () => {
    const { created, token, user, org, cookies } = await holder();
    expect(created.status).toBe(201);
    expect(token).toMatch(/^svc_pat_[0-9A-Za-z]{33}$/);
    const { token: _, ...shown } = created.body;
    expect(shown).toMatchObject({ org_id: org, name: "laptop" });
    expect(Date.parse(shown.expires_at) - Date.parse(shown.created_at)).toBe(90 * DAY_MS);
    const listed = await api.call("GET", TOKENS, { headers: cookies });
    expect(listed.body).toEqual({ items: [shown], next_cursor: null });
    const [row] = await api.database
      .sql`select *, to_jsonb(t)::text as row from personal_access_tokens t where id = ${shown.id}`;
    expect(row?.token_sha256.toString("hex")).toBe(createHash("sha256").update(token).digest("hex"));
    const audit = await api.database
      .sql`select action, actor_id, details from audit_log where resource_id = ${shown.id}`;
    expect(audit).toEqual([{ action: "personal_token.create", actor_id: user, details: { name: "laptop" } }]);
    for (const text of [listed.text, row?.row, JSON.stringify(api.logged), JSON.stringify(audit)]) {
      expect(text).not.toContain(token);
    }
  });

  test("is for a session only, in an organization one is a member of", async () => {
    const { token, org, cookies } = await holder();
    const { token: account } = await api.makeAccount(org, [["*", "*"]]);
    for (const body of [{ org_id: org, name: "x" }, {}, { nonsense: 1 }]) {
      for (const caller of [token, account]) {
        const answer = await api.call("POST", TOKENS, { token: caller, body });
        expect([answer.status, answer.body.code]).toEqual([403, "session_required"]);
      }
    }
    const create = (body: object) => api.call("POST", TOKENS, { headers: cookies, body });
    expect((await create({ org_id: await api.makeOrg(), name: "x" })).status).toBe(403);
    expect((await create({ org_id: "01900000-0000-7000-8000-000000000000", name: "x" })).status).toBe(403);
    expect(fields(await create({ org_id: org, name: "x", lifetime: "P366D" }))).toEqual(["lifetime"]);
    expect(fields(await create({ org_id: "x", name: "x" }))).toEqual(["org_id"]);
    expect((await create({ org_id: org, name: "x", lifetime: "P365D" })).status).toBe(201);
  });
});

describe("using one", () => {
  test("makes no organization: it would reach beyond its own", async () => {
    const { token, cookies } = await holder();
    const make = (who: object) => api.call("POST", "/api/v1/orgs", { ...who, body: { name: "made by a token" } });
    expect(await make({ token })).toMatchObject({ status: 403, body: { code: "session_required" } });
    expect(await api.database.sql`select 1 from organizations where name = 'made by a token'`).toEqual([]);
    expect((await make({ headers: cookies })).status).toBe(201);
  });

  test("who one is says which token and organization it is", async () => {
    const { token, org, user, created } = await holder();
    await api.database.sql`update organizations set login_handle = 'acme' where id = ${org}`;
    const { statements } = await countStatements(async () =>
      api.app.request(ME, { headers: { authorization: `Bearer ${token}` } }),
    );
    // The second one is the route's own.
    expect(statements).toEqual([expect.stringContaining("memberships"), expect.stringContaining('from "users"')]);
    expect((await api.call("GET", ME, { token })).body).toEqual({
      id: user,
      kind: "user",
      name: user,
      is_super_admin: false,
      pat_id: created.body.id,
      pat_name: "laptop",
      pat_org_id: org,
      pat_org_login_start_handle: "acme",
    });
    const { token: account, id } = await api.makeAccount(org, []);
    expect((await api.call("GET", ME, { token: account })).body).toMatchObject({
      id,
      pat_org_id: org,
      pat_org_login_start_handle: "acme",
    });
  });

  test("it speaks for its own organization only, also for a super-admin and in other spellings of a path", async () => {
    for (const superAdmin of [false, true]) {
      const { token, org, user } = await holder({ superAdmin });
      const other = await api.makeOrg();
      await api.database.sql`insert into memberships (org_id, user_id) values (${other}, ${user})`;
      await api.database
        .sql`insert into role_assignments (org_id, role_id, user_id) select ${other}, id, ${user} from roles where name = 'admin'`;
      const status = async (path: string) => (await api.call("GET", `/api/v1/orgs/${path}`, { token })).status;
      expect(await status(org)).toBe(200);
      expect(await status(org.toUpperCase())).toBe(200);
      expect(await status(other)).toBe(403);
      expect(await status(other.toUpperCase())).toBe(403);
      expect(await status(`%${other.charCodeAt(0).toString(16)}${other.slice(1)}`)).toBe(403);
      expect(await status(`${other}/stacks`)).toBe(403);
      const denied = await api.call("GET", `/api/v1/orgs/${other}/stacks/x`, { token });
      const missing = await api.call("GET", `/api/v1/orgs/${org}/stacks/x`, { token });
      expect([denied.status, denied.text]).toEqual([404, missing.text]);
      expect((await api.call("GET", `/api/v1/orgs/${other}`, { user })).status).toBe(200);
    }
  });

  test("a token sees and deletes only the tokens of its own organization", async () => {
    const { token, user, cookies, created } = await holder();
    const other = await api.makeOrg();
    await api.database.sql`insert into memberships (org_id, user_id) values (${other}, ${user})`;
    const foreign = await api.call("POST", TOKENS, { headers: cookies, body: { org_id: other, name: "other" } });
    const listed = await api.call("GET", TOKENS, { token });
    expect(listed.body.items.map((item: { id: string }) => item.id)).toEqual([created.body.id]);
    expect((await api.call("DELETE", `${TOKENS}/${foreign.body.id}`, { token })).status).toBe(404);
    const stranger = await holder();
    expect((await api.call("DELETE", `${TOKENS}/${created.body.id}`, { token: stranger.token })).status).toBe(404);
    expect((await api.call("DELETE", `${TOKENS}/${created.body.id}`, { token })).status).toBe(204);
    expect(await works(token)).toBe(false);
  });

  test("the membership is read again each time; an expiring one ends with it", async () => {
    const { token, user, org } = await holder();
    const { sql } = api.database;
    await sql`update memberships set expires_at = svc_now() where user_id = ${user} and org_id = ${org}`;
    expect(await works(token)).toBe(false);
    await sql`update memberships set expires_at = null where user_id = ${user} and org_id = ${org}`;
    expect(await works(token)).toBe(true);
  });

  test("it ends on the database's clock", async () => {
    const { org, cookies } = await holder();
    const body = { org_id: org, name: "short", lifetime: "PT1H" };
    const { token } = (await api.call("POST", TOKENS, { headers: cookies, body })).body;
    expect(await works(token)).toBe(true);
    await api.database.advanceClock(3_600_000);
    expect(await works(token)).toBe(false);
  });
});

describe("when a person's access is ended", () => {
  const asSuperAdmin = async () => {
    const { user } = await api.makeUser({ superAdmin: true });
    const session = await createSession(api.database.db, user);
    const headers = { cookie: `svc_session=${session}`, origin: api.baseUrl, "x-csrf-token": csrfToken(session) };
    return (verb: string, target: string) =>
      api.call("POST", `/api/v1/users/${encodeURIComponent(target)}/${verb}`, { headers });
  };

  test("sessions, tokens and what they minted end together; what others minted goes on", async () => {
    for (const verb of ["disable", "force-logout"]) {
      const thief = await holder();
      const { id: account } = await api.makeAccount(thief.org, []);
      const mint = async (headers: Record<string, string>) =>
        (
          await api.call("POST", `/api/v1/orgs/${thief.org}/service-accounts/${account}/tokens`, {
            headers,
            body: { name: "m" },
          })
        ).body.token as string;
      const minted = await mint(thief.cookies);
      const mintedByPat = await mint({ authorization: `Bearer ${thief.token}` });
      const { user: colleague } = await api.makeUser({ orgs: [thief.org], grants: [["*", "*"]] });
      const colleagues = await mint({ "x-test-user": colleague });
      // A stolen service account token mints another, which is traced to the same person.
      await api.database
        .sql`insert into role_assignments (org_id, role_id, service_account_id) select ${thief.org}, id, ${account} from roles where name = 'admin'`;
      const second = await mint({ authorization: `Bearer ${minted}` });
      for (const token of [thief.token, minted, mintedByPat, colleagues, second]) expect(await works(token)).toBe(true);
      const act = await asSuperAdmin();
      expect((await act(verb, thief.user)).status).toBe(204);
      for (const token of [thief.token, minted, mintedByPat, second]) expect(await works(token)).toBe(false);
      expect((await api.call("GET", ME, { headers: thief.cookies })).status).toBe(401);
      expect(await works(colleagues)).toBe(true);
      expect((await act("enable", thief.user)).status).toBe(204);
      // Nothing comes back.
      for (const token of [thief.token, minted]) expect(await works(token)).toBe(false);
      const audit = await api.database
        .sql`select action from audit_log where resource_id = ${thief.user} order by occurred_at`;
      expect(audit.map((row) => row.action)).toEqual([
        verb === "disable" ? "user.disable" : "user.logout",
        "user.enable",
      ]);
    }
  });

  test("disabling takes back the invitations they gave, wherever; ending their sessions does not", async () => {
    const { sql } = api.database;
    const inviter = await holder();
    const elsewhere = await api.makeOrg();
    const invite = (org: string, login: string, by = inviter.user) => sql`
      insert into invitations (org_id, provider_key, login, invited_by, expires_at)
      values (${org}, 'codehost', ${login}, ${by}, svc_now() + interval '1 day')`;
    for (const org of [inviter.org, elsewhere]) await invite(org, "again");
    await invite(elsewhere, "guest", (await api.makeUser()).user);
    const act = await asSuperAdmin();
    const left = async () =>
      (await sql`select login from invitations where org_id in (${inviter.org}, ${elsewhere}) order by 1`).map(
        (row) => row.login,
      );
    expect((await act("force-logout", inviter.user)).status).toBe(204);
    expect(await left()).toEqual(["again", "again", "guest"]);
    expect((await act("disable", inviter.user)).status).toBe(204);
    expect(await left()).toEqual(["guest"]);
  });

  test("a revoked membership takes its tokens with it, also when the person comes back", async () => {
    const { token, user, org } = await holder();
    const { token: admin } = await api.makeAccount(org, [["*", "*"]]);
    const revoked = await api.call("DELETE", `/api/v1/orgs/${org}/members/${encodeURIComponent(user)}`, {
      token: admin,
    });
    expect(revoked.status).toBe(204);
    expect(await works(token)).toBe(false);
    await api.database.sql`insert into memberships (org_id, user_id) values (${org}, ${user})`;
    expect(await works(token)).toBe(false);
  });

  test("an invitation that is given while its giver is being disabled does not survive", async () => {
    for (let round = 0; round < 8; round++) {
      const thief = await holder();
      await api.database
        .sql`insert into role_assignments (org_id, role_id, user_id) select ${thief.org}, id, ${thief.user} from roles where name = 'admin'
          on conflict do nothing`;
      const { user: colleague } = await api.makeUser({ orgs: [thief.org], grants: [["*", "*"]] });
      const invite = (login: string, headers: Record<string, string>) =>
        api.call("POST", `/api/v1/orgs/${thief.org}/invitations`, {
          headers,
          body: { provider_key: "codehost", login },
        });
      expect((await invite("accomplice", thief.cookies)).status).toBe(201);
      expect((await invite("friend", { "x-test-user": colleague })).status).toBe(201);
      const act = await asSuperAdmin();
      const [late, ended] = await Promise.all([
        round % 2 === 0 ? invite("late", thief.cookies) : invite("late", { authorization: `Bearer ${thief.token}` }),
        act("disable", thief.user),
      ]);
      expect(ended.status).toBe(204);
      // 403 when the disabling came between who they are and what they may.
      expect([201, 401, 403]).toContain(late.status);
      const left = await api.database.sql`select login from invitations where org_id = ${thief.org}`;
      expect(left).toEqual([{ login: "friend" }]);
    }
  });

  test("a token that is being minted at that moment does not survive", async () => {
    for (let round = 0; round < 8; round++) {
      const { cookies, user, org } = await holder();
      const act = await asSuperAdmin();
      const body = { org_id: org, name: "race" };
      const [created, ended] = await Promise.all([
        api.call("POST", TOKENS, { headers: cookies, body }),
        act("force-logout", user),
      ]);
      expect(ended.status).toBe(204);
      expect([201, 401]).toContain(created.status);
      expect(await api.database.sql`select 1 from personal_access_tokens where user_id = ${user}`).toEqual([]);
    }
  });

  test("of two super-admins who disable each other at once one stays, and neither meets an error", async () => {
    for (let round = 0; round < 10; round++) {
      const [one, other] = [await api.makeUser({ superAdmin: true }), await api.makeUser({ superAdmin: true })];
      const disable = (by: { user: string }, target: { user: string }) =>
        api.call("POST", `/api/v1/users/${encodeURIComponent(target.user)}/disable`, by);
      const answers = await Promise.all([disable(one, other), disable(other, one)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 403]);
    }
  });

  test("only super-admins with a session may", async () => {
    const { user, cookies, token } = await holder();
    const path = (verb: string) => `/api/v1/users/${encodeURIComponent(user)}/${verb}`;
    const { token: superToken } = await holder({ superAdmin: true });
    for (const verb of ["disable", "enable", "force-logout"]) {
      expect((await api.call("POST", path(verb), { headers: cookies })).status).toBe(403);
      for (const by of [token, superToken]) {
        expect((await api.call("POST", path(verb), { token: by })).body.code).toBe("session_required");
      }
    }
    const act = await asSuperAdmin();
    expect((await act("disable", "codehost:nobody:1")).status).toBe(404);
    expect((await act("disable", "nul\u0000")).status).toBe(400);
  });
});

describe("mutated credentials", () => {
  test("none is accepted, none is an error of ours, and a malformed one costs no query", {
    timeout: 300_000,
  }, async () => {
    const { token, cookies } = await holder();
    const session = cookies.cookie.slice("svc_session=".length);
    const { token: account } = await api.makeAccount(await api.makeOrg(), []);
    const genuine = new Set([token, session, account]);
    const mutated = (text: string) =>
      fc
        .array(
          fc.record({
            at: fc.nat(text.length),
            cut: fc.nat(3),
            put: fc.string({ unit: fc.constantFrom(..."0aZ_-.%=;, \u00e9"), maxLength: 3 }),
          }),
          { minLength: 1, maxLength: 3 },
        )
        .map((edits) => edits.reduce((t, { at, cut, put }) => t.slice(0, at) + put + t.slice(at + cut), text))
        .filter((text) => !genuine.has((text.split(";")[0] ?? "").trim()));
    const seen: Record<number, number> = {};
    const refused = async (headers: Record<string, string>) => {
      const answer = await api.app.request(ME, { headers: new Headers(headers) });
      seen[answer.status] = (seen[answer.status] ?? 0) + 1;
      return answer.status === 401;
    };
    // What is mutated is good as it is: the next request would be let in.
    expect([
      await works(token),
      await works(account),
      (await api.call("GET", ME, { headers: cookies })).status,
    ]).toEqual([true, true, 200]);
    const latin = (text: string) => text.replace(/[^\u0020-\u007e\u00a0-\u00ff]/g, "");
    const check = (credential: string, as: (text: string) => Record<string, string>, numRuns: number) =>
      fc.assert(
        fc.asyncProperty(mutated(credential), async (text) => {
          expect(await refused(as(latin(text)))).toBe(true);
        }),
        { numRuns },
      );
    const bearer = (text: string) => ({ authorization: `Bearer ${text}` });
    const { statements } = await countStatements(async () => {
      await check(token, bearer, 30_000);
      await check(account, bearer, 30_000);
    });
    expect(statements).toEqual([]);
    await check(session, (text) => ({ cookie: `svc_session=${text}` }), 20_000);
    // Well formed, and unknown.
    for (let n = 0; n < 200; n++)
      expect(await refused(bearer(makeToken(n % 2 === 0 ? "personal" : "service_account")))).toBe(true);
    expect(Object.keys(seen)).toEqual(["401"]);
  });
});
