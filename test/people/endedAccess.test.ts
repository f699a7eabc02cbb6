/** What ends sessions and personal tokens (docs/rules/credentials.md#ending-access-is-one-transaction). */
import { describe, expect } from "vitest";
import { ME, TOKENS, test } from "../support/tokensTest.ts";

describe("when a person's access is ended", () => {
  test("sessions, tokens and what they minted end together; what others minted goes on", async ({ api, world }) => {
    for (const verb of ["disable", "force-logout"]) {
      const thief = await world.holder();
      const { id: account } = await api.makeAccount(thief.org, []);
      // Before the tokens: each does what its account might when it was minted.
      await api.database
        .sql`insert into role_assignments (org_id, role_id, service_account_id) select ${thief.org}, id, ${account} from roles where name = 'admin'`;
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
      const second = await mint({ authorization: `Bearer ${minted}` });
      for (const token of [thief.token, minted, mintedByPat, colleagues, second])
        expect(await world.works(token)).toBe(true);
      const act = await world.asSuperAdmin();
      expect((await act(verb, thief.user)).status).toBe(204);
      for (const token of [thief.token, minted, mintedByPat, second]) expect(await world.works(token)).toBe(false);
      expect((await api.call("GET", ME, { headers: thief.cookies })).status).toBe(401);
      expect(await world.works(colleagues)).toBe(true);
      expect((await act("enable", thief.user)).status).toBe(204);
      // Nothing comes back.
      for (const token of [thief.token, minted]) expect(await world.works(token)).toBe(false);
      const audit = await api.database
        .sql`select action from audit_log where resource_id = ${thief.user} order by occurred_at`;
      expect(audit.map((row) => row.action)).toEqual([
        verb === "disable" ? "user.disable" : "user.logout",
        "user.enable",
      ]);
    }
  });

  test("disabling takes back the invitations they gave, wherever; ending their sessions does not", async ({
    api,
    world,
  }) => {
    const { sql } = api.database;
    const inviter = await world.holder();
    const elsewhere = await api.makeOrg();
    const invite = (org: string, login: string, by = inviter.user) => sql`
      insert into invitations (org_id, provider_key, login, invited_by, expires_at)
      values (${org}, 'codehost', ${login}, ${by}, svc_now() + interval '1 day')`;
    for (const org of [inviter.org, elsewhere]) await invite(org, "again");
    await invite(elsewhere, "guest", (await api.makeUser()).user);
    const act = await world.asSuperAdmin();
    const left = async () =>
      (await sql`select login from invitations where org_id in (${inviter.org}, ${elsewhere}) order by 1`).map(
        (row) => row.login,
      );
    expect((await act("force-logout", inviter.user)).status).toBe(204);
    expect(await left()).toEqual(["again", "again", "guest"]);
    expect((await act("disable", inviter.user)).status).toBe(204);
    expect(await left()).toEqual(["guest"]);
  });

  test("a revoked membership takes its tokens with it, also when the person comes back", async ({ api, world }) => {
    const { token, user, org } = await world.holder();
    const { token: admin } = await api.makeAccount(org, [["*", "*"]]);
    const revoked = await api.call("DELETE", `/api/v1/orgs/${org}/members/${encodeURIComponent(user)}`, {
      token: admin,
    });
    expect(revoked.status).toBe(204);
    expect(await world.works(token)).toBe(false);
    await api.database.sql`insert into memberships (org_id, user_id) values (${org}, ${user})`;
    expect(await world.works(token)).toBe(false);
  });

  test("an invitation that is given while its giver is being disabled does not survive", async ({ api, world }) => {
    for (let round = 0; round < 8; round++) {
      const thief = await world.holder();
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
      const act = await world.asSuperAdmin();
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

  test("a token that is being minted at that moment does not survive", async ({ api, world }) => {
    for (let round = 0; round < 8; round++) {
      const { cookies, user, org } = await world.holder();
      const act = await world.asSuperAdmin();
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

  test("of two super-admins who disable each other at once one stays, and neither meets an error", async ({ api }) => {
    for (let round = 0; round < 10; round++) {
      const [one, other] = [await api.makeUser({ superAdmin: true }), await api.makeUser({ superAdmin: true })];
      const disable = (by: { user: string }, target: { user: string }) =>
        api.call("POST", `/api/v1/users/${encodeURIComponent(target.user)}/disable`, by);
      const answers = await Promise.all([disable(one, other), disable(other, one)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 403]);
    }
  });

  test("only super-admins with a session may", async ({ api, world }) => {
    const { user, cookies, token } = await world.holder();
    const path = (verb: string) => `/api/v1/users/${encodeURIComponent(user)}/${verb}`;
    const { token: superToken } = await world.holder({ superAdmin: true });
    for (const verb of ["disable", "enable", "force-logout"]) {
      expect((await api.call("POST", path(verb), { headers: cookies })).status).toBe(403);
      for (const by of [token, superToken]) {
        expect((await api.call("POST", path(verb), { token: by })).body.code).toBe("session_required");
      }
    }
    const act = await world.asSuperAdmin();
    expect((await act("disable", "codehost:nobody:1")).status).toBe(404);
    expect((await act("disable", "nul\u0000")).status).toBe(400);
  });
});
