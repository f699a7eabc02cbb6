/** Service accounts out of use and back: their tokens end in the transaction that disables them, for good. */
import { describe, expect } from "vitest";
import type { Caller } from "../support/peopleApi.ts";
import { peopleTest } from "../support/test.ts";

const ME = "/api/v1/auth/me";

const test = peopleTest().extend("world", ({ api }) => {
  /** An organization with an Admin, and an account of some rights with a token. */
  async function world() {
    const org = await api.makeOrg();
    const admin = await api.makeUser({ orgs: [org], grants: [["*", "*"]] });
    const account = await api.makeAccount(org, [["stack", "read"]]);
    const path = `/api/v1/orgs/${org}/service-accounts/${account.id}`;
    const mint = (by: Caller = admin) => api.call("POST", `${path}/tokens`, { ...by, body: { name: "t" } });
    return { org, admin, account, path, mint };
  }
  const status = async (token: string) => (await api.call("GET", ME, { token })).status;

  return { world, status };
});

describe("disabling", () => {
  test("ends all its tokens at once; enabling brings none back, and a new one works", async ({ api, world }) => {
    const { admin, account, path, mint } = await world.world();
    const second = (await mint()).body.token;
    expect([await world.status(account.token), await world.status(second)]).toEqual([200, 200]);
    const disabled = await api.call("POST", `${path}/disable`, admin);
    expect([disabled.status, disabled.body.id]).toEqual([200, account.id]);
    expect(disabled.body.disabled_at).toMatch(/Z$/);
    expect([await world.status(account.token), await world.status(second)]).toEqual([401, 401]);
    const refused = await mint();
    expect([refused.status, refused.body.code]).toEqual([409, "conflict"]);
    expect((await api.call("GET", `${path}/tokens`, admin)).body.items).toEqual([]);

    const enabled = await api.call("POST", `${path}/enable`, admin);
    expect([enabled.status, enabled.body.disabled_at]).toEqual([200, null]);
    expect([await world.status(account.token), await world.status(second)]).toEqual([401, 401]);
    expect(await world.status((await mint()).body.token)).toBe(200);
    const audit = await api.database.sql`
      select action, actor_id, details ->> 'tokens' as tokens from audit_log where resource_id = ${account.id} order by id`;
    expect(audit).toEqual([
      { action: "service_account.disable", actor_id: admin.user, tokens: "2" },
      { action: "service_account.enable", actor_id: admin.user, tokens: null },
    ]);
  });

  test.for([
    ["disabling", "POST", "/disable", 200],
    ["deleting", "DELETE", "", 204],
  ] as const)(
    "%s takes back the invitations it gave, and no others",
    async ([, method, suffix, done], { api, world }) => {
      const { org, admin, account, path } = await world.world();
      const { sql } = api.database;
      const invite = async (by: string, login: string) => {
        await sql`insert into invitations (org_id, provider_key, login, invited_by, expires_at)
        values (${org}, 'codehost', ${login}, ${by}, svc_now() + interval '1 day')`;
      };
      await invite(account.id, "thief");
      await invite(admin.user, "guest");
      expect((await api.call(method, path + suffix, admin)).status).toBe(done);
      const left = await api.call("GET", `/api/v1/orgs/${org}/invitations`, admin);
      expect(left.body.items.map(({ login }: { login: string }) => login)).toEqual(["guest"]);
      const audit =
        await sql`select actor_id, details from audit_log where action = 'invitation.delete' and org_id = ${org}`;
      expect(audit).toEqual([
        { actor_id: admin.user, details: expect.objectContaining({ login: "thief", reason: "inviter_disabled" }) },
      ]);
    },
  );

  test("again changes nothing, and leaves other accounts alone", async ({ api, world }) => {
    const { org, admin, path } = await world.world();
    const other = await api.makeAccount(org, [["stack", "read"]]);
    const first = await api.call("POST", `${path}/disable`, admin);
    await api.database.advanceClock(1_000);
    expect((await api.call("POST", `${path}/disable`, admin)).body).toEqual(first.body);
    expect(await world.status(other.token)).toBe(200);
  });

  test("a token that is being minted at that moment is refused or ends too", async ({ api, world }) => {
    for (let round = 0; round < 8; round++) {
      const { org, admin, account, path, mint } = await world.world();
      // By a person, and by the account itself, whose token is deleted under it.
      const own = await api.makeAccount(org, [["*", "*"]]);
      await api.database.sql`update role_assignments set service_account_id = ${account.id}
        where service_account_id = ${own.id} and role_id = ${own.roleId}`;
      const { token } = (await mint()).body;
      const [ended, ...minted] = await Promise.all([
        api.call("POST", `${path}/disable`, admin),
        mint(),
        mint({ token }),
      ]);
      expect(ended.status).toBe(200);
      expect([201, 409]).toContain(minted[0]!.status);
      // A token that went meanwhile allows nothing.
      expect([201, 401, 403, 409]).toContain(minted[1]!.status);
      const left = await api.database.sql`select from service_account_tokens where service_account_id = ${account.id}`;
      expect(left).toHaveLength(0);
    }
  });

  test("is refused when the account is the last that may do everything; a super-admin may", async ({ api, world }) => {
    const org = await api.makeOrg();
    const account = await api.makeAccount(org, [["*", "*"]]);
    const path = `/api/v1/orgs/${org}/service-accounts/${account.id}/disable`;
    const manager = await api.makeUser({ orgs: [org], grants: [["service_account", "update"]] });
    const refused = await api.call("POST", path, manager);
    expect([refused.status, refused.body.code]).toEqual([409, "conflict"]);
    expect(await world.status(account.token)).toBe(200);
    const operator = await api.makeUser({ superAdmin: true });
    expect((await api.call("POST", path, operator)).status).toBe(200);
    expect(await world.status(account.token)).toBe(401);
  });

  test("needs (service_account, update) in the account's own organization", async ({ api, world }) => {
    const { org, account, path } = await world.world();
    const reader = await api.makeUser({ orgs: [org], grants: [["service_account", "read"]] });
    const elsewhere = await api.makeOrg();
    const stranger = await api.makeUser({ orgs: [elsewhere], grants: [["*", "*"]] });
    for (const verb of ["disable", "enable"]) {
      for (const by of [reader, stranger]) expect((await api.call("POST", `${path}/${verb}`, by)).status).toBe(403);
      const crossed = `/api/v1/orgs/${elsewhere}/service-accounts/${account.id}/${verb}`;
      expect((await api.call("POST", crossed, stranger)).status).toBe(404);
    }
    expect(await world.status(account.token)).toBe(200);
  });
});

describe("one account", () => {
  test("is read and renamed; a name that is taken is refused, the same one changes nothing", async ({ api, world }) => {
    const { org, admin, account, path } = await world.world();
    const taken = await api.call("POST", `/api/v1/orgs/${org}/service-accounts`, { ...admin, body: { name: "taken" } });
    const rename = (name: string) => api.call("PATCH", path, { ...admin, body: { name } });
    expect((await rename("ci")).body).toMatchObject({ id: account.id, name: "ci" });
    expect((await rename("ci")).status).toBe(200);
    expect((await rename(taken.body.name)).status).toBe(409);
    const read = await api.call("GET", path, admin);
    expect(read.body).toMatchObject({ id: account.id, org_id: org, name: "ci", disabled_at: null });
    expect(read.text).not.toContain("svc_sa_");
    const audit = await api.database
      .sql`select details from audit_log where action = 'service_account.update' and org_id = ${org}`;
    expect(audit.map((row) => row.details.after)).toEqual([{ name: "ci" }]);
  });
});
