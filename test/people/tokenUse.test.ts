/** Personal tokens: made, used, and never guessed (docs/rules/credentials.md). */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect } from "vitest";
import { makeToken } from "../../src/people/credentials/format.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import type { Answer } from "../support/peopleApi.ts";
import { ME, TOKENS, test } from "../support/tokensTest.ts";

const DAY_MS = 86_400_000;

const fields = (answer: Answer) => answer.body.errors?.map((error: { field: string }) => error.field);

describe("creating one", () => {
  test("the value is in one answer, its SHA-256 in the database, and nowhere else", async ({ api, world }) => {
    const { created, token, user, org, cookies } = await world.holder();
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

  test("is for a session only, in an organization one is a member of", async ({ api, world }) => {
    const { token, org, cookies } = await world.holder();
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
  test("makes no organization: it would reach beyond its own", async ({ api, world }) => {
    const { token, cookies } = await world.holder();
    const make = (who: object) => api.call("POST", "/api/v1/orgs", { ...who, body: { name: "made by a token" } });
    expect(await make({ token })).toMatchObject({ status: 403, body: { code: "session_required" } });
    expect(await api.database.sql`select 1 from organizations where name = 'made by a token'`).toEqual([]);
    expect((await make({ headers: cookies })).status).toBe(201);
  });

  test("who one is says which token and organization it is", async ({ api, world }) => {
    const { token, org, user, created } = await world.holder();
    await api.database.sql`update organizations set login_handle = 'acme' where id = ${org}`;
    const { statements } = await countStatements(async () =>
      api.app.request(ME, { headers: { authorization: `Bearer ${token}` } }),
    );
    // The second one is the route's own.
    expect(statements).toEqual([expect.stringContaining("memberships"), expect.stringContaining("from users")]);
    expect((await api.call("GET", ME, { token })).body).toEqual({
      id: user,
      kind: "user",
      name: user,
      is_super_admin: false,
      new_identities: [],
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

  test("it speaks for its own organization only, also for a super-admin and in other spellings of a path", async ({
    api,
    world,
  }) => {
    for (const superAdmin of [false, true]) {
      const { token, org, user } = await world.holder({ superAdmin });
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

  test("a token sees and deletes only the tokens of its own organization", async ({ api, world }) => {
    const { token, user, cookies, created } = await world.holder();
    const other = await api.makeOrg();
    await api.database.sql`insert into memberships (org_id, user_id) values (${other}, ${user})`;
    const foreign = await api.call("POST", TOKENS, { headers: cookies, body: { org_id: other, name: "other" } });
    const listed = await api.call("GET", TOKENS, { token });
    expect(listed.body.items.map((item: { id: string }) => item.id)).toEqual([created.body.id]);
    expect((await api.call("DELETE", `${TOKENS}/${foreign.body.id}`, { token })).status).toBe(404);
    const stranger = await world.holder();
    expect((await api.call("DELETE", `${TOKENS}/${created.body.id}`, { token: stranger.token })).status).toBe(404);
    expect((await api.call("DELETE", `${TOKENS}/${created.body.id}`, { token })).status).toBe(204);
    expect(await world.works(token)).toBe(false);
  });

  test("the membership is read again each time; an expiring one ends with it", async ({ api, world }) => {
    const { token, user, org } = await world.holder();
    const { sql } = api.database;
    await sql`update memberships set expires_at = svc_now() where user_id = ${user} and org_id = ${org}`;
    expect(await world.works(token)).toBe(false);
    await sql`update memberships set expires_at = null where user_id = ${user} and org_id = ${org}`;
    expect(await world.works(token)).toBe(true);
  });

  test("it ends on the database's clock", async ({ api, world }) => {
    const { org, cookies } = await world.holder();
    const body = { org_id: org, name: "short", lifetime: "PT1H" };
    const { token } = (await api.call("POST", TOKENS, { headers: cookies, body })).body;
    expect(await world.works(token)).toBe(true);
    await api.database.advanceClock(3_600_000);
    expect(await world.works(token)).toBe(false);
  });
});

describe("mutated credentials", () => {
  test("none is accepted, none is an error of ours, and a malformed one costs no query", {
    timeout: 300_000,
  }, async ({ api, world }) => {
    const { token, cookies } = await world.holder();
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
      await world.works(token),
      await world.works(account),
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
