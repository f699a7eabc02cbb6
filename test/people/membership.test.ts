/**
 * Organizations as their people see them: whose they are, members, and those who leave
 * (docs/rules/organizations.md).
 */
import { describe, expect } from "vitest";
import { removeExpired } from "../../src/people/members/removeExpired.ts";
import { ensurePersonalOrg } from "../../src/people/orgs/personalOrg.ts";
import { fields, GONE, test } from "../support/membersTest.ts";
import type { Grant } from "../support/peopleApi.ts";

describe("the caller's organizations", () => {
  test("those with an unexpired membership, page by page; a service account's own; all for a super-admin", async ({
    api,
    world,
  }) => {
    const orgs = [await api.makeOrg("b"), await api.makeOrg("a"), await api.makeOrg("c")];
    const person = await api.makeUser({ orgs });
    expect(await world.ids(person, "?sort=name")).toEqual([orgs[1], orgs[0], orgs[2]]);
    const { body: first } = await api.call("GET", "/api/v1/orgs?sort=name&limit=2", person);
    expect(await world.ids(person, `?sort=name&limit=2&cursor=${first.next_cursor}`)).toEqual([orgs[2]]);
    await api.database.sql`update memberships set expires_at = svc_now() where org_id = ${orgs[0]!}`;
    expect((await world.ids(person)).sort()).toEqual([orgs[1], orgs[2]].sort());
    expect(await world.ids({ token: await world.holding([], orgs[0]!) })).toEqual([orgs[0]]);
    const root = await api.makeUser({ superAdmin: true });
    expect(await world.ids(root)).toEqual(expect.arrayContaining(orgs));
    expect(await world.ids(person, "?x=1")).toBe(422);
    expect(await world.ids(await api.makeUser())).toEqual([]);
  });
});

describe("login handle", () => {
  test("one of a kind, taken back with null", async ({ api, world }) => {
    expect((await world.patch({ login_handle: "acme-corp" })).body.login_handle).toBe("acme-corp");
    const other = await api.makeOrg();
    const token = await world.holding([["*", "*"]], other);
    const taken = await world.patch({ login_handle: "acme-corp", name: "not this either" }, { token }, other);
    expect(taken.body).toMatchObject({ status: 409, code: "conflict" });
    expect((await api.call("GET", world.one(other), { token })).body.name).not.toBe("not this either");
    expect((await world.patch({ name: "Acme" })).body.login_handle).toBe("acme-corp");
    expect((await world.patch({ login_handle: null })).body.login_handle).toBeNull();
    expect((await world.patch({ login_handle: "acme-corp" }, { token }, other)).status).toBe(200);
  });

  test("what cannot be a handle is refused", async ({ world }) => {
    for (const login_handle of ["", "a", "-ab", "Ab", "a_b", "a".repeat(64), "ä-b", "a b", 7]) {
      expect([login_handle, fields(await world.patch({ login_handle }))]).toEqual([login_handle, ["login_handle"]]);
    }
    expect((await world.patch({ login_handle: "ok" }, { token: await world.holding([["org", "read"]]) })).status).toBe(
      403,
    );
  });
});

describe("members", () => {
  test("added, listed with their roles, found by name, revoked", async ({ api, admin, world }) => {
    const { user } = await api.makeUser();
    await api.database.sql`update users set display_name = 'Ada %_ Lovelace' where id = ${user}`;
    const { status, body: member } = await world.add(user);
    expect(status).toBe(201);
    expect(member).toMatchObject({
      user_id: user,
      login: user,
      source: "manual",
      expires_at: null,
      disabled_at: null,
      roles: [],
    });
    const viewer = await world.systemRole("viewer");
    const assigning = { token: admin, body: { role_id: viewer, user_id: user } };
    await api.call("POST", `${world.one()}/role-assignments`, assigning);
    const roles = [{ id: viewer, name: "viewer", is_system: true }];
    const search = async (text: string) => {
      const { body } = await api.call("GET", `${world.members()}?search=${encodeURIComponent(text)}`, { token: admin });
      return body.items;
    };
    expect(await search("ada %_ l")).toEqual([{ ...member, roles }]);
    for (const text of ["%%", "_____", "\\", "%Lovelace"]) expect([text, await search(text)]).toEqual([text, []]);
    expect(await search("_ L")).toHaveLength(1);
    expect((await api.call("DELETE", world.path(user), { token: admin })).status).toBe(204);
    expect(await search("ada %_ l")).toEqual([]);
    expect((await api.call("DELETE", world.path(user), { token: admin })).status).toBe(404);
  });

  test("a page goes on where the last one ended, in both orders", async ({ api, orgWith, world }) => {
    const of = await orgWith(100);
    const token = await world.holding([["member", "read"]], of);
    const people: string[] = [];
    for (let i = 0; i < 5; i++) people.push((await api.makeUser({ orgs: [of] })).user);
    for (const [sort, expected] of [
      ["created_at&order=asc", people],
      ["login", [...people].sort()],
      ["login&order=desc", [...people].sort().reverse()],
    ] as const) {
      const seen: string[] = [];
      for (let cursor = ""; ; ) {
        const { body } = await api.call("GET", `${world.members(of)}?limit=2&sort=${sort}${cursor}`, { token });
        seen.push(...body.items.map((item: { user_id: string }) => item.user_id));
        if (body.next_cursor === null) break;
        cursor = `&cursor=${body.next_cursor}`;
      }
      expect(seen).toEqual(expected);
    }
  });

  test("an expired membership is absent from the list and from its organization at once", async ({
    api,
    org,
    admin,
    world,
  }) => {
    const { user } = await api.makeUser({ orgs: [org], grants: [["org", "read"]] });
    await api.database.sql`update memberships set expires_at = svc_now() where user_id = ${user}`;
    const { body } = await api.call("GET", `${world.members()}?search=${user}`, { token: admin });
    expect(body.items).toEqual([]);
    expect((await api.call("GET", world.one(), { user })).status).toBe(403);
  });

  test("each call needs its own permission", async ({ api, org, world }) => {
    const { user } = await api.makeUser({ orgs: [org] });
    const stranger = await world.holding([["*", "*"]], await api.makeOrg());
    const calls: [string, string, object | undefined, string][] = [
      ["GET", world.members(), undefined, "read"],
      ["POST", world.members(), { user_id: user }, "create"],
      ["DELETE", world.path(user), undefined, "delete"],
    ];
    for (const [method, where, body, action] of calls) {
      const others = ["read", "create", "delete"].filter((each) => each !== action);
      const without = await world.holding(others.map((each): Grant => ["member", each]));
      for (const token of [without, stranger]) {
        expect([method, (await api.call(method, where, { token, body })).status]).toEqual([method, 403]);
      }
      const token = await world.holding([["member", action]]);
      expect([method, (await api.call(method, where, { token, body })).status < 300]).toEqual([method, true]);
    }
  });

  test("only who has signed in before can be added, and only to what exists", async ({ api, admin, world }) => {
    expect(fields(await world.add("codehost:nobody:1"))).toEqual(["user_id"]);
    expect(fields(await api.call("POST", world.members(), { token: admin, body: {} }))).toEqual(["user_id"]);
    const root = await api.makeUser({ superAdmin: true });
    const { user } = await api.makeUser();
    expect((await world.add(user, root, GONE)).status).toBe(404);
    expect((await api.call("DELETE", world.path(user, GONE), root)).status).toBe(404);
    expect((await api.call("DELETE", world.path(user, "nonsense"), root)).status).toBe(403);
    expect((await api.call("GET", world.members(GONE), root)).body.items).toEqual([]);
  });

  test("a user id with percent signs and colons goes through a path", async ({ api, admin, world }) => {
    const user = "workspace:a%3Ab@x.example:7/8";
    await api.database
      .sql`insert into users (id, provider_key, issuer, subject, login) values (${user}, 'workspace', 'w', '7/8', 'a')`;
    expect((await world.add(user)).status).toBe(201);
    expect((await api.call("DELETE", world.path(user), { token: admin })).status).toBe(204);
  });
});

describe("revoking", () => {
  test("takes tokens, roles and given invitations of this organization, in one go, and nothing of another", async ({
    api,
    org,
    orgWith,
    admin,
    world,
  }) => {
    const other = await orgWith(9);
    const { user } = await api.makeUser({ orgs: [org, other], grants: [["*", "*"]] });
    const { sql } = api.database;
    for (const each of [org, other]) {
      await sql`insert into personal_access_tokens (user_id, org_id, name, token_sha256, expires_at)
        values (${user}, ${each}, 't', sha256(${each}::text::bytea), svc_now() + interval '1 day')`;
      const body = { provider_key: "codehost", login: "successor", role_ids: [await world.systemRole("admin")] };
      expect((await api.call("POST", world.invitations(each), { user, body })).status).toBe(201);
    }
    expect((await api.call("DELETE", world.path(user), { token: admin })).status).toBe(204);
    const left = async (of: string) => {
      const [row] = await sql`select
        (select count(*)::int from memberships where user_id = ${user} and org_id = ${of}) as memberships,
        (select count(*)::int from personal_access_tokens where user_id = ${user} and org_id = ${of}) as tokens,
        (select count(*)::int from role_assignments where user_id = ${user} and org_id = ${of}) as roles,
        (select count(*)::int from invitations where invited_by = ${user} and org_id = ${of}) as invitations`;
      return row;
    };
    expect(await left(org)).toEqual({ memberships: 0, tokens: 0, roles: 0, invitations: 0 });
    expect(await left(other)).toEqual({ memberships: 1, tokens: 1, roles: 1, invitations: 1 });
    // Added again, they start with nothing.
    expect((await world.add(user)).body.roles).toEqual([]);
    expect((await api.call("GET", world.one(), { user })).status).toBe(403);
  });

  test("rights of a membership that housekeeping removed can still be taken", async ({ api, org, admin, world }) => {
    const { user } = await api.makeUser({ orgs: [org], grants: [["org", "read"]] });
    await api.database.sql`update memberships set expires_at = svc_now() where user_id = ${user}`;
    expect((await removeExpired(api.database.db)).memberships).toBeGreaterThanOrEqual(1);
    expect((await api.call("DELETE", world.path(user), { token: admin })).status).toBe(204);
    expect(await api.database.sql`select 1 from role_assignments where user_id = ${user}`).toHaveLength(0);
    expect((await api.call("DELETE", world.path(user), { token: admin })).status).toBe(404);
  });

  test("the last Admin stays, and so does the owner of a personal organization", async ({ api, world }) => {
    const { user } = await api.makeUser();
    const created = await api.call("POST", "/api/v1/orgs", { user, body: { name: "mine" } });
    const mine = created.body.id;
    expect((await api.call("DELETE", world.path(user, mine), { user })).body).toMatchObject({
      status: 409,
      code: "conflict",
    });
    expect((await api.call("GET", world.one(mine), { user })).status).toBe(200);
    const root = await api.makeUser({ superAdmin: true });
    expect((await api.call("DELETE", world.path(user, mine), root)).status).toBe(204);
    const personal = await api.database.db.transaction((tx) =>
      ensurePersonalOrg(tx, { id: user, login: "me" }, { maxUsers: 1, runsPerHour: 2 }),
    );
    expect((await api.call("DELETE", world.path(user, personal), root)).status).toBe(409);
  });
});
