/**
 * A service account's token does not outgrow its minting, nor outlive who minted it
 * (docs/rules/credentials.md#a-token-does-not-outgrow-its-minting).
 */
import { describe, expect } from "vitest";
import { removeExpired } from "../../src/people/members/removeExpired.ts";
import { removeAbandonedTokens } from "../../src/people/serviceAccounts/abandoned.ts";
import type { Grant } from "../support/peopleApi.ts";
import { peopleTest } from "../support/test.ts";

const DAY = 86_400_000;

const test = peopleTest().extend("world", ({ api }) => {
  const { sql } = api.database;
  /** An organization, its Admin, and a colleague who mints tokens there. */
  async function minter(grants: Grant[] = [["*", "*"]]) {
    const org = await api.makeOrg();
    await sql`update organizations set max_users = 100 where id = ${org}`;
    const admin = await api.makeUser({ orgs: [org], grants: [["*", "*"]] });
    const colleague = await api.makeUser({ orgs: [org], grants: [["*", "*"]] });
    const account = await api.makeAccount(org, grants);
    const tokens = `/api/v1/orgs/${org}/service-accounts/${account.id}/tokens`;
    const mint = async (by: { user: string }): Promise<{ id: string; token: string }> => {
      const made = await api.call("POST", tokens, { ...by, body: { name: "ci" } });
      expect([made.status, made.text]).toEqual([201, expect.anything()]);
      return made.body;
    };
    const member = `/api/v1/orgs/${org}/members/${encodeURIComponent(colleague.user)}`;
    return { org, admin, colleague, account, tokens, mint, member };
  }
  const works = async (token: string) => (await api.call("GET", "/api/v1/auth/me", { token })).status === 200;
  const may = async (token: string, org: string, family: string) =>
    (await api.call("GET", `/api/v1/orgs/${org}/${family}`, { token })).status === 200;
  const grant = (roleId: string, ...[type, action, pattern = null, group = null]: (string | null)[]) => sql`
    insert into role_permissions (role_id, resource_type, action, resource_pattern, authz_group)
    values (${roleId}, ${type!}, ${action!}, ${pattern}, ${group})`;
  return { minter, works, may, grant };
});

describe("what a token may do", () => {
  test("is no more than its account might when it was minted; a new one may all", async ({ api, world }) => {
    const { org, admin, account, mint } = await world.minter([["member", "read"]]);
    const old = await mint(admin);
    expect([await world.may(old.token, org, "members"), await world.may(old.token, org, "roles")]).toEqual([
      true,
      false,
    ]);
    await world.grant(account.roleId, "role", "read");
    expect(await world.may(old.token, org, "roles")).toBe(false);
    expect(await world.may((await mint(admin)).token, org, "roles")).toBe(true);
    // A role that is given later adds nothing either.
    await api.database.sql`insert into role_assignments (org_id, role_id, service_account_id)
      select ${org}, id, ${account.id} from roles where name = 'admin' and is_system`;
    expect(await world.may(old.token, org, "service-accounts")).toBe(false);
  });

  test("is no more than its account may now", async ({ api, world }) => {
    const { org, admin, account, mint } = await world.minter([["*", "*"]]);
    const { token } = await mint(admin);
    await api.database.sql`delete from role_permissions where role_id = ${account.roleId}`;
    await world.grant(account.roleId, "member", "read");
    expect([await world.may(token, org, "members"), await world.may(token, org, "roles")]).toEqual([true, false]);
  });

  test("follows a target that narrows, and none that widens", async ({ api, world }) => {
    const { org, admin, account, mint } = await world.minter([]);
    const { sql } = api.database;
    for (const slug of ["dev-a", "dev-b", "prod-a"]) {
      await sql`insert into stacks (org_id, slug, name, repository_url, repository_key, branch)
        values (${org}, ${slug}, ${slug}, 'https://git.example/r', 'git.example/r', 'main')`;
    }
    const seen = async (token: string) =>
      ((await api.call("GET", `/api/v1/orgs/${org}/stacks`, { token })).body.items as { id: string }[])
        .map(({ id }) => id)
        .sort();
    await world.grant(account.roleId, "stack", "read", "dev-%");
    const { token } = await mint(admin);
    expect(await seen(token)).toEqual(["dev-a", "dev-b"]);
    const becomes = async (pattern: string | null) =>
      sql`update role_permissions set resource_pattern = ${pattern} where role_id = ${account.roleId}`;
    await becomes(null);
    expect(await seen(token)).toEqual(["dev-a", "dev-b"]);
    await becomes("dev-a%");
    expect(await seen(token)).toEqual(["dev-a"]);
    await becomes("%");
    expect(await seen(token)).toEqual(["dev-a", "dev-b"]);
    // Where the text alone does not tell that one lies within the other, the token has nothing.
    await becomes("prod-%");
    expect(await seen(token)).toEqual([]);
  });

  test("an Admin's token of yesterday's account counts for the last Admin only when it may do everything", async ({
    api,
    world,
  }) => {
    const { org, admin, colleague, account, mint } = await world.minter([["member", "read"]]);
    const { sql } = api.database;
    await mint(admin);
    await sql`insert into role_assignments (org_id, role_id, service_account_id)
      select ${org}, id, ${account.id} from roles where name = 'admin' and is_system`;
    const leave = ({ user }: { user: string }) =>
      api.call("DELETE", `/api/v1/orgs/${org}/members/${encodeURIComponent(user)}`, admin);
    expect((await leave(colleague)).status).toBe(204);
    expect((await leave(admin)).status).toBe(409);
  });
});

describe("when a minter's membership ends", () => {
  test("by revocation, the tokens they minted end in the same call", async ({ api, world }) => {
    const { org, admin, colleague, mint, member } = await world.minter();
    const [theirs, others] = [await mint(colleague), await mint(admin)];
    expect((await api.call("DELETE", member, admin)).status).toBe(204);
    expect([await world.works(theirs.token), await world.works(others.token)]).toEqual([false, true]);
    const [entry] = await api.database.sql`
      select details from audit_log where org_id = ${org} and action = 'member.revoke'`;
    expect(entry?.details).toMatchObject({ service_account_tokens: [theirs.id], kept_service_account_tokens: [] });
  });

  test("only in that organization", async ({ api, world }) => {
    const here = await world.minter();
    const there = await world.minter();
    await api.database.sql`insert into memberships (org_id, user_id) values (${there.org}, ${here.colleague.user})`;
    await api.database.sql`insert into role_assignments (org_id, role_id, user_id)
      select ${there.org}, id, ${here.colleague.user} from roles where name = 'admin' and is_system`;
    const elsewhere = await there.mint(here.colleague);
    expect((await api.call("DELETE", here.member, here.admin)).status).toBe(204);
    expect(await world.works(elsewhere.token)).toBe(true);
  });

  test("they can be kept by who may manage them, and are then theirs", async ({ api, world }) => {
    const { org, admin, colleague, tokens, mint, member } = await world.minter();
    const { token, id } = await mint(colleague);
    const weak = await api.makeUser({ orgs: [org], grants: [["member", "delete"]] });
    expect((await api.call("DELETE", `${member}?service_account_tokens=keep`, weak)).status).toBe(403);
    expect((await api.call("DELETE", `${member}?service_account_tokens=keep`, admin)).status).toBe(204);
    expect(await world.works(token)).toBe(true);
    const by = async (user: string) => {
      const found = await api.call("GET", `${tokens}?created_by=${encodeURIComponent(user)}`, admin);
      return found.body.items.map((item: { id: string }) => item.id);
    };
    expect([await by(admin.user), await by(colleague.user)]).toEqual([[id], []]);
    const everywhere = await api.call(
      "GET",
      `/api/v1/orgs/${org}/service-account-tokens?created_by=${encodeURIComponent(admin.user)}`,
      admin,
    );
    expect(everywhere.body.items.map((item: { id: string }) => item.id)).toEqual([id]);
  });

  test("one that is minted while it ends is ended too, or never made", async ({ api, world }) => {
    for (let round = 0; round < 8; round++) {
      const { admin, colleague, tokens, member } = await world.minter();
      const [made, gone] = await Promise.all([
        api.call("POST", tokens, { ...colleague, body: { name: "ci" } }),
        api.call("DELETE", member, admin),
      ]);
      expect(gone.status).toBe(204);
      if (made.status === 201) expect(await world.works(made.body.token)).toBe(false);
      else expect(made.status).toBe(403);
    }
  });

  test("by its own end, they go on for 30 days and no longer, unless the person comes back", async ({ api, world }) => {
    const { org, admin, colleague, tokens, mint } = await world.minter();
    const { sql, db } = api.database;
    const { token, id } = await mint(colleague);
    const { token: others } = await mint(admin);
    await sql`update memberships set expires_at = svc_now() + interval '1 day' where org_id = ${org} and user_id = ${colleague.user}`;
    await api.database.advanceClock(2 * DAY);
    await removeExpired(db);
    const shown = (await api.call("GET", `${tokens}?created_by=${encodeURIComponent(colleague.user)}`, admin)).body
      .items[0];
    expect(shown.minter_left_at).not.toBeNull();
    expect(await world.works(token)).toBe(true);
    await api.database.advanceClock(30 * DAY);
    expect([await world.works(token), await world.works(others)]).toEqual([false, true]);
    // Back before housekeeping: as before.
    await sql`insert into memberships (org_id, user_id) values (${org}, ${colleague.user})`;
    expect(await world.works(token)).toBe(true);
    await sql`delete from memberships where org_id = ${org} and user_id = ${colleague.user}`;
    await api.database.advanceClock(31 * DAY);
    expect((await removeAbandonedTokens(db)).abandonedTokens).toBeGreaterThanOrEqual(1);
    expect(await removeAbandonedTokens(db)).toEqual({ abandonedTokens: 0 });
    const [entry] =
      await sql`select details, actor_id from audit_log where resource_id = ${id} and action = 'service_account_token.delete'`;
    expect(entry).toMatchObject({ actor_id: null, details: { reason: "minter_left", created_by: colleague.user } });
  });
});
