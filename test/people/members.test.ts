/**
 * Organizations as their people see them: members, seats, invitations, personal organizations
 * (docs/rules/organizations.md).
 */
import { sql as drizzleSql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Arrival, acceptInvitations } from "../../src/people/members/acceptInvitations.ts";
import { removeExpired } from "../../src/people/members/removeExpired.ts";
import { auditSeats } from "../../src/people/members/seatAudit.ts";
import { admitMember } from "../../src/people/members/seats.ts";
import { ensurePersonalOrg } from "../../src/people/orgs/personalOrg.ts";
import { type Answer, type Caller, type Grant, type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";

let api: PeopleApi;
let org: string;
let admin: string;
beforeAll(async () => {
  api = await startPeopleApi();
  org = await orgWith(100);
  admin = (await api.makeAccount(org, [["*", "*"]])).token;
});
afterAll(() => api.close());

const GONE = "01a1f77a-0000-7000-8000-00000000dead";
const one = (of = org) => `/api/v1/orgs/${of}`;
const members = (of = org) => `${one(of)}/members`;
const invitations = (of = org) => `${one(of)}/invitations`;
const holding = async (grants: Grant[], of = org) => (await api.makeAccount(of, grants)).token;
const fields = (answer: Answer) => answer.body.errors?.map((error: { field: string }) => error.field);
const path = (user: string, of = org) => `${members(of)}/${encodeURIComponent(user)}`;
const add = (user_id: string, who: Caller = { token: admin }, of = org) =>
  api.call("POST", members(of), { ...who, body: { user_id } });

async function orgWith(seats: number): Promise<string> {
  const id = await api.makeOrg();
  await api.database.sql`update organizations set max_users = ${seats} where id = ${id}`;
  return id;
}
async function systemRole(name: string): Promise<string> {
  const [row] = await api.database.sql`select id from roles where org_id is null and name = ${name}`;
  return row?.id;
}
async function denials(of: string, source: string): Promise<number> {
  const { values } = await api.metrics.seatDenials.get();
  return values.find(({ labels }) => labels.org === of && labels.source === source)?.value ?? 0;
}

describe("the caller's organizations", () => {
  const ids = async (who: Caller, query = "") => {
    const { status, body } = await api.call("GET", `/api/v1/orgs${query}`, who);
    return status === 200 ? body.items.map((item: { id: string }) => item.id) : status;
  };

  test("those with an unexpired membership, page by page; a service account's own; all for a super-admin", async () => {
    const orgs = [await api.makeOrg("b"), await api.makeOrg("a"), await api.makeOrg("c")];
    const person = await api.makeUser({ orgs });
    expect(await ids(person, "?sort=name")).toEqual([orgs[1], orgs[0], orgs[2]]);
    const { body: first } = await api.call("GET", "/api/v1/orgs?sort=name&limit=2", person);
    expect(await ids(person, `?sort=name&limit=2&cursor=${first.next_cursor}`)).toEqual([orgs[2]]);
    await api.database.sql`update memberships set expires_at = svc_now() where org_id = ${orgs[0]!}`;
    expect((await ids(person)).sort()).toEqual([orgs[1], orgs[2]].sort());
    expect(await ids({ token: await holding([], orgs[0]!) })).toEqual([orgs[0]]);
    const root = await api.makeUser({ superAdmin: true });
    expect(await ids(root)).toEqual(expect.arrayContaining(orgs));
    expect(await ids(person, "?x=1")).toBe(422);
    expect(await ids(await api.makeUser())).toEqual([]);
  });
});

describe("login handle", () => {
  const patch = (body: object, who: Caller = { token: admin }, of = org) =>
    api.call("PATCH", one(of), { ...who, body });

  test("one of a kind, taken back with null", async () => {
    expect((await patch({ login_handle: "acme-corp" })).body.login_handle).toBe("acme-corp");
    const other = await api.makeOrg();
    const token = await holding([["*", "*"]], other);
    const taken = await patch({ login_handle: "acme-corp", name: "not this either" }, { token }, other);
    expect(taken.body).toMatchObject({ status: 409, code: "conflict" });
    expect((await api.call("GET", one(other), { token })).body.name).not.toBe("not this either");
    expect((await patch({ name: "Acme" })).body.login_handle).toBe("acme-corp");
    expect((await patch({ login_handle: null })).body.login_handle).toBeNull();
    expect((await patch({ login_handle: "acme-corp" }, { token }, other)).status).toBe(200);
  });

  test("what cannot be a handle is refused", async () => {
    for (const login_handle of ["", "a", "-ab", "Ab", "a_b", "a".repeat(64), "ä-b", "a b", 7]) {
      expect([login_handle, fields(await patch({ login_handle }))]).toEqual([login_handle, ["login_handle"]]);
    }
    expect((await patch({ login_handle: "ok" }, { token: await holding([["org", "read"]]) })).status).toBe(403);
  });
});

describe("members", () => {
  test("added, listed with their roles, found by name, revoked", async () => {
    const { user } = await api.makeUser();
    await api.database.sql`update users set display_name = 'Ada %_ Lovelace' where id = ${user}`;
    const { status, body: member } = await add(user);
    expect(status).toBe(201);
    expect(member).toMatchObject({
      user_id: user,
      login: user,
      source: "manual",
      expires_at: null,
      disabled_at: null,
      roles: [],
    });
    const viewer = await systemRole("viewer");
    const assigning = { token: admin, body: { role_id: viewer, user_id: user } };
    await api.call("POST", `${one()}/role-assignments`, assigning);
    const roles = [{ id: viewer, name: "viewer", is_system: true }];
    const search = async (text: string) => {
      const { body } = await api.call("GET", `${members()}?search=${encodeURIComponent(text)}`, { token: admin });
      return body.items;
    };
    expect(await search("ada %_ l")).toEqual([{ ...member, roles }]);
    for (const text of ["%%", "_____", "\\", "%Lovelace"]) expect([text, await search(text)]).toEqual([text, []]);
    expect(await search("_ L")).toHaveLength(1);
    expect((await api.call("DELETE", path(user), { token: admin })).status).toBe(204);
    expect(await search("ada %_ l")).toEqual([]);
    expect((await api.call("DELETE", path(user), { token: admin })).status).toBe(404);
  });

  test("a page goes on where the last one ended, in both orders", async () => {
    const of = await orgWith(100);
    const token = await holding([["member", "read"]], of);
    const people: string[] = [];
    for (let i = 0; i < 5; i++) people.push((await api.makeUser({ orgs: [of] })).user);
    for (const [sort, expected] of [
      ["created_at&order=asc", people],
      ["login", [...people].sort()],
      ["login&order=desc", [...people].sort().reverse()],
    ] as const) {
      const seen: string[] = [];
      for (let cursor = ""; ; ) {
        const { body } = await api.call("GET", `${members(of)}?limit=2&sort=${sort}${cursor}`, { token });
        seen.push(...body.items.map((item: { user_id: string }) => item.user_id));
        if (body.next_cursor === null) break;
        cursor = `&cursor=${body.next_cursor}`;
      }
      expect(seen).toEqual(expected);
    }
  });

  test("an expired membership is absent from the list and from its organization at once", async () => {
    const { user } = await api.makeUser({ orgs: [org], grants: [["org", "read"]] });
    await api.database.sql`update memberships set expires_at = svc_now() where user_id = ${user}`;
    const { body } = await api.call("GET", `${members()}?search=${user}`, { token: admin });
    expect(body.items).toEqual([]);
    expect((await api.call("GET", one(), { user })).status).toBe(403);
  });

  test("each call needs its own permission", async () => {
    const { user } = await api.makeUser({ orgs: [org] });
    const stranger = await holding([["*", "*"]], await api.makeOrg());
    const calls: [string, string, object | undefined, string][] = [
      ["GET", members(), undefined, "read"],
      ["POST", members(), { user_id: user }, "create"],
      ["DELETE", path(user), undefined, "delete"],
    ];
    for (const [method, where, body, action] of calls) {
      const others = ["read", "create", "delete"].filter((each) => each !== action);
      const without = await holding(others.map((each): Grant => ["member", each]));
      for (const token of [without, stranger]) {
        expect([method, (await api.call(method, where, { token, body })).status]).toEqual([method, 403]);
      }
      const token = await holding([["member", action]]);
      expect([method, (await api.call(method, where, { token, body })).status < 300]).toEqual([method, true]);
    }
  });

  test("only who has signed in before can be added, and only to what exists", async () => {
    expect(fields(await add("codehost:nobody:1"))).toEqual(["user_id"]);
    expect(fields(await api.call("POST", members(), { token: admin, body: {} }))).toEqual(["user_id"]);
    const root = await api.makeUser({ superAdmin: true });
    const { user } = await api.makeUser();
    expect((await add(user, root, GONE)).status).toBe(404);
    expect((await api.call("DELETE", path(user, GONE), root)).status).toBe(404);
    expect((await api.call("DELETE", path(user, "nonsense"), root)).status).toBe(403);
    expect((await api.call("GET", members(GONE), root)).body.items).toEqual([]);
  });

  test("a user id with percent signs and colons goes through a path", async () => {
    const user = "workspace:a%3Ab@x.example:7/8";
    await api.database
      .sql`insert into users (id, provider_key, issuer, subject, login) values (${user}, 'workspace', 'w', '7/8', 'a')`;
    expect((await add(user)).status).toBe(201);
    expect((await api.call("DELETE", path(user), { token: admin })).status).toBe(204);
  });
});

describe("revoking", () => {
  test("takes tokens, roles and given invitations of this organization, in one go, and nothing of another", async () => {
    const other = await orgWith(9);
    const { user } = await api.makeUser({ orgs: [org, other], grants: [["*", "*"]] });
    const { sql } = api.database;
    for (const of of [org, other]) {
      await sql`insert into personal_access_tokens (user_id, org_id, name, token_sha256, expires_at)
        values (${user}, ${of}, 't', sha256(${of}::text::bytea), svc_now() + interval '1 day')`;
      const body = { provider_key: "codehost", login: "successor", role_ids: [await systemRole("admin")] };
      expect((await api.call("POST", invitations(of), { user, body })).status).toBe(201);
    }
    expect((await api.call("DELETE", path(user), { token: admin })).status).toBe(204);
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
    expect((await add(user)).body.roles).toEqual([]);
    expect((await api.call("GET", one(), { user })).status).toBe(403);
  });

  test("rights of a membership that housekeeping removed can still be taken", async () => {
    const { user } = await api.makeUser({ orgs: [org], grants: [["org", "read"]] });
    await api.database.sql`update memberships set expires_at = svc_now() where user_id = ${user}`;
    expect((await removeExpired(api.database.db)).memberships).toBeGreaterThanOrEqual(1);
    expect((await api.call("DELETE", path(user), { token: admin })).status).toBe(204);
    expect(await api.database.sql`select 1 from role_assignments where user_id = ${user}`).toHaveLength(0);
    expect((await api.call("DELETE", path(user), { token: admin })).status).toBe(404);
  });

  test("the last Admin stays, and so does the owner of a personal organization", async () => {
    const { user } = await api.makeUser();
    const created = await api.call("POST", "/api/v1/orgs", { user, body: { name: "mine" } });
    const mine = created.body.id;
    expect((await api.call("DELETE", path(user, mine), { user })).body).toMatchObject({
      status: 409,
      code: "conflict",
    });
    expect((await api.call("GET", one(mine), { user })).status).toBe(200);
    const root = await api.makeUser({ superAdmin: true });
    expect((await api.call("DELETE", path(user, mine), root)).status).toBe(204);
    const personal = await api.database.db.transaction((tx) =>
      ensurePersonalOrg(tx, { id: user, login: "me" }, { maxUsers: 1, runsPerHour: 2 }),
    );
    expect((await api.call("DELETE", path(user, personal), root)).status).toBe(409);
  });
});

describe("seats", () => {
  test("at the cap a manual add is 409 seat_limit and counted; a member is always allowed", async () => {
    const of = await orgWith(2);
    const token = await holding([["member", "*"]], of);
    const people = [await api.makeUser(), await api.makeUser(), await api.makeUser()].map(({ user }) => user);
    expect((await add(people[0]!, { token }, of)).status).toBe(201);
    expect((await add(people[1]!, { token }, of)).status).toBe(201);
    const refused = await add(people[2]!, { token }, of);
    expect(refused.body).toMatchObject({ status: 409, code: "seat_limit" });
    expect(await denials(of, "manual")).toBe(1);
    expect((await add(people[0]!, { token }, of)).status).toBe(201);
    // A membership that expires frees its seat at once.
    await api.database
      .sql`update memberships set expires_at = svc_now() where user_id = ${people[1]!} and org_id = ${of}`;
    expect((await add(people[2]!, { token }, of)).status).toBe(201);
    expect((await add(people[1]!, { token }, of)).status).toBe(409);
  });

  test("lowering the cap evicts no one; the daily audit warns of it", async () => {
    const of = await orgWith(3);
    for (let i = 0; i < 3; i++) await api.makeUser({ orgs: [of] });
    const root = await api.makeUser({ superAdmin: true });
    expect((await api.call("PATCH", one(of), { ...root, body: { max_users: 1 } })).status).toBe(200);
    const { body } = await api.call("GET", members(of), root);
    expect(body.items).toHaveLength(3);
    const warned: unknown[] = [];
    const result = await auditSeats(api.database.db, { warn: (line: unknown) => void warned.push(line) } as never);
    expect(warned).toContainEqual({ org_id: of, max_users: 1, members: 3 });
    expect(result.overCap).toBe(warned.length);
    expect(warned).not.toContainEqual(expect.objectContaining({ org_id: org }));
  });

  test("at sign-in a full organization is withheld without an error, the others are not", async () => {
    const [free, full, missing] = [await orgWith(1), await orgWith(1), GONE];
    await api.makeUser({ orgs: [full] });
    const { user } = await api.makeUser();
    const admit = (orgIds: string[]) =>
      api.database.db.transaction((tx) =>
        admitMember(tx, {
          userId: user,
          orgIds,
          source: "identity_source",
          expiresAt: drizzleSql`svc_now() + interval '1 hour'`,
        }),
      );
    expect(await admit([full, missing, free])).toEqual({ admitted: [free], withheld: [full] });
    // Renewed at the next sign-in, though the organization is at its cap now.
    const end = async () => {
      const [row] = await api.database
        .sql`select expires_at::text as at, source from memberships where user_id = ${user}`;
      return row as { at: string; source: string };
    };
    const before = await end();
    expect(before.source).toBe("identity_source");
    expect(await admit([free])).toEqual({ admitted: [free], withheld: [] });
    expect((await end()).at > before.at).toBe(true);
    expect(await admit([])).toEqual({ admitted: [], withheld: [] });
    const entries = () =>
      api.database.sql`select org_id, action, actor_id, details from audit_log where resource_id = ${user}`;
    const joined = { org_id: free, action: "member.add", actor_id: user, details: { source: "identity_source" } };
    expect([...(await entries())]).toEqual([joined]);
    // Coming back after the end is joining anew.
    await api.database.sql`update memberships set expires_at = svc_now() where user_id = ${user}`;
    expect(await admit([free])).toEqual({ admitted: [free], withheld: [] });
    expect([...(await entries())]).toEqual([joined, joined]);
  });

  test("a membership without end stays so at sign-in; adding by hand makes one without end", async () => {
    const { user } = await api.makeUser({ orgs: [org] });
    const admit = () =>
      api.database.db.transaction((tx) =>
        admitMember(tx, { userId: user, orgIds: [org], source: "identity_source", expiresAt: "2026-01-01T00:00:00Z" }),
      );
    await admit();
    expect((await add(user)).body).toMatchObject({ source: "manual", expires_at: null });
    await api.database
      .sql`update memberships set source = 'identity_source', expires_at = svc_now() + interval '1 hour' where user_id = ${user}`;
    expect((await add(user)).body).toMatchObject({ source: "manual", expires_at: null });
  });

  test("a personal organization has an owner, an Admin and no cap; it is made once", async () => {
    const { user } = await api.makeUser();
    const ensure = () =>
      api.database.db.transaction((tx) =>
        ensurePersonalOrg(tx, { id: user, login: "ada" }, { maxUsers: 1, runsPerHour: 2 }),
      );
    const [personal, again] = await Promise.all([ensure(), ensure()]);
    expect(again).toBe(personal);
    expect(await ensure()).toBe(personal);
    const answer = await api.call("GET", one(personal), { user });
    expect(answer.body).toMatchObject({ name: "ada", is_personal: true, max_users: 1 });
    for (let i = 0; i < 3; i++) {
      expect((await add((await api.makeUser()).user, { user }, personal)).status).toBe(201);
    }
    const warned: { org_id: string }[] = [];
    await auditSeats(api.database.db, { warn: (line: { org_id: string }) => void warned.push(line) } as never);
    expect(warned.map(({ org_id }) => org_id)).not.toContain(personal);
  });
});

describe("housekeeping", () => {
  test("removes what has expired, in batches, and nothing else", async () => {
    const { sql, db } = api.database;
    const { user } = await api.makeUser({ orgs: [org] });
    await removeExpired(db);
    await sql`insert into external_entitlements (user_id, provider_key, group_key, expires_at)
      select ${user}, 'codehost', i::text, svc_now() + (i - 1100) * interval '1 hour' from generate_series(1, 1110) i`;
    await sql`insert into invitations (org_id, provider_key, login, expires_at) values
      (${org}, 'codehost', 'late', svc_now()), (${org}, 'codehost', 'early', svc_now() + interval '1 hour')`;
    await sql`insert into sessions (user_id, token_sha256, csrf_sha256, expires_at) values
      (${user}, sha256('a'), sha256('a'), svc_now()), (${user}, sha256('b'), sha256('b'), svc_now() + interval '1 hour')`;
    await sql`insert into auth_states (state_sha256, browser_sha256, provider_key, secrets, expires_at)
      values (sha256('a'), sha256('a'), 'codehost', '', svc_now())`;
    await sql`insert into memberships (org_id, user_id, source, expires_at)
      select ${await api.makeOrg()}, ${user}, 'identity_source', svc_now()`;
    expect(await removeExpired(db)).toEqual({
      memberships: 1,
      entitlements: 1100,
      invitations: 1,
      sessions: 1,
      signIns: 1,
      signInCodes: 0,
    });
    expect(await removeExpired(db)).toEqual({
      memberships: 0,
      entitlements: 0,
      invitations: 0,
      sessions: 0,
      signIns: 0,
      signInCodes: 0,
    });
    expect(await sql`select 1 from external_entitlements`).toHaveLength(10);
    expect(await sql`select 1 from memberships where user_id = ${user}`).toHaveLength(1);
  });
});

describe("invitations", () => {
  const invite = (body: object, token = admin, of = org) => api.call("POST", invitations(of), { token, body });
  const accept = (arrival: Partial<Arrival> & { userId: string }) =>
    api.database.db.transaction((tx) =>
      acceptInvitations(tx, { providerKey: "codehost", issuer: "https://host", logins: [], ...arrival }),
    );

  test("given, listed, read, changed, taken back", async () => {
    const viewer = await systemRole("viewer");
    const { status, body } = await invite({ provider_key: "codehost", login: "Ada", role_ids: [viewer, viewer] });
    expect(status).toBe(201);
    expect(body).toMatchObject({ provider_key: "codehost", login: "ada", roles: [{ id: viewer, name: "viewer" }] });
    const days = (at: { expires_at: string; created_at: string }) =>
      Math.round((Date.parse(at.expires_at) - Date.parse(at.created_at)) / 86_400_000);
    expect(days(body)).toBe(14);
    const { body: list } = await api.call("GET", `${invitations()}?sort=login`, { token: admin });
    expect(list.items).toContainEqual(body);
    const where = `${invitations()}/${body.id}`;
    expect((await api.call("GET", where, { token: admin })).body).toEqual(body);
    const put = await api.call("PUT", where, { token: admin, body: { lifetime: "P90D" } });
    expect(put.body).toMatchObject({ id: body.id, roles: [] });
    expect(days(put.body)).toBe(90);
    expect((await invite({ provider_key: "codehost", login: "ADA" })).body.code).toBe("conflict");
    expect((await invite({ provider_key: "workspace", login: "ada" })).status).toBe(201);
    expect((await api.call("DELETE", where, { token: admin })).status).toBe(204);
    for (const method of ["GET", "DELETE", "PUT"]) {
      const answer = await api.call(method, where, { token: admin, ...(method === "PUT" ? { body: {} } : {}) });
      expect(answer.status).toBe(404);
    }
  });

  test("what is wrong with one is named", async () => {
    const base = { provider_key: "codehost", login: "x" };
    const refused: [object, string][] = [
      [{ login: "x" }, "provider_key"],
      [{ ...base, provider_key: "other" }, "provider_key"],
      [{ ...base, login: "" }, "login"],
      [{ ...base, login: "a\u0007" }, "login"],
      [{ ...base, login: "a".repeat(321) }, "login"],
      [{ ...base, lifetime: "P91D" }, "lifetime"],
      [{ ...base, role_ids: [GONE] }, "role_ids"],
      [{ ...base, role_ids: ["x"] }, "role_ids.0"],
      [{ ...base, roles: [] }, "roles"],
    ];
    for (const [body, field] of refused) {
      const answer = await invite(body);
      expect([body, answer.status, fields(answer)]).toEqual([body, 422, [field]]);
    }
    const root = await api.makeUser({ superAdmin: true });
    expect((await api.call("POST", invitations(GONE), { ...root, body: base })).status).toBe(404);
  });

  test("inviting needs (member, create), with roles (role, assign) and all they confer; another's is not found", async () => {
    const viewer = await systemRole("viewer");
    const plain = await holding([["member", "create"]]);
    const keeper = await holding([
      ["member", "create"],
      ["role", "assign"],
    ]);
    const full = await holding([
      ["member", "create"],
      ["role", "assign"],
      ["*", "read"],
    ]);
    const guest = (login: string, role_ids: string[] = []) => ({ provider_key: "codehost", login, role_ids });
    expect(
      (
        await invite(
          guest("p"),
          await holding([
            ["member", "read"],
            ["member", "delete"],
          ]),
        )
      ).status,
    ).toBe(403);
    const { status, body } = await invite(guest("p"), plain);
    expect(status).toBe(201);
    expect((await invite(guest("q", [viewer]), plain)).status).toBe(403);
    expect((await invite(guest("q", [viewer]), keeper)).status).toBe(403);
    const put = (token: string) =>
      api.call("PUT", `${invitations()}/${body.id}`, { token, body: { role_ids: [viewer] } });
    expect((await put(plain)).status).toBe(403);
    expect((await put(keeper)).status).toBe(403);
    expect((await put(full)).status).toBe(200);
    expect((await invite(guest("q", [viewer]), full)).status).toBe(201);
    const reader = await holding([["member", "read"]]);
    expect((await api.call("GET", invitations(), { token: plain })).status).toBe(403);
    expect((await api.call("GET", invitations(), { token: reader })).status).toBe(200);
    expect((await api.call("GET", `${invitations()}/${body.id}`, { token: plain })).status).toBe(403);
    expect((await api.call("DELETE", `${invitations()}/${body.id}`, { token: reader })).status).toBe(403);
    const other = await api.makeOrg();
    const foreign = await holding([["*", "*"]], other);
    for (const method of ["GET", "DELETE"]) {
      expect((await api.call(method, `${invitations(other)}/${body.id}`, { token: foreign })).status).toBe(404);
    }
  });

  test("a sign-in consumes those for its login: membership and the roles that still exist", async () => {
    const of = await orgWith(9);
    const token = await holding([["*", "*"]], of);
    const viewer = await systemRole("viewer");
    const role = async () => (await api.makeAccount(of, [["org", "update"]])).roleId;
    const [kept, gone] = [await role(), await role()];
    const body = { provider_key: "codehost", login: "Grace", role_ids: [viewer, kept, gone] };
    expect((await invite(body, token, of)).status).toBe(201);
    await api.database.sql`delete from roles where id = ${gone}`;
    const { user } = await api.makeUser();
    for (const miss of [{ logins: ["other"] }, { logins: ["grace"], providerKey: "workspace" }, { logins: [] }]) {
      expect(await accept({ userId: user, ...miss })).toEqual({ admitted: [], withheld: [] });
    }
    expect(await accept({ userId: user, logins: ["GRACE", "g@x.example"] })).toEqual({ admitted: [of], withheld: [] });
    const { body: list } = await api.call("GET", members(of), { token });
    expect(list.items[0]).toMatchObject({ user_id: user, source: "invitation", expires_at: null });
    expect(list.items[0].roles.map(({ id }: { id: string }) => id).sort()).toEqual([viewer, kept].sort());
    const second = await api.makeUser();
    expect(await accept({ userId: second.user, logins: ["grace"] })).toEqual({ admitted: [], withheld: [] });
  });

  test("one that has expired counts for nothing and is replaced; one without a seat waits", async () => {
    const of = await orgWith(1);
    const token = await holding([["*", "*"]], of);
    const body = { provider_key: "codehost", login: "linus" };
    const { body: first } = await invite(body, token, of);
    await api.database.sql`update invitations set expires_at = svc_now() where id = ${first.id}`;
    const { user } = await api.makeUser();
    expect(await accept({ userId: user, logins: ["linus"] })).toEqual({ admitted: [], withheld: [] });
    expect((await api.call("GET", `${invitations(of)}/${first.id}`, { token })).status).toBe(404);
    expect((await invite(body, token, of)).status).toBe(201);
    const seated = await api.makeUser({ orgs: [of] });
    expect(await accept({ userId: user, logins: ["linus"] })).toEqual({ admitted: [], withheld: [of] });
    await api.call("DELETE", path(seated.user, of), { token });
    expect(await accept({ userId: user, logins: ["linus"] })).toEqual({ admitted: [of], withheld: [] });
  });

  test("an oidc login counts only where the organization itself has an enabled source of its issuer", async () => {
    const of = await orgWith(9);
    const token = await holding([["*", "*"]], of);
    await invite({ provider_key: "oidc", login: "root@acme.example" }, token, of);
    const { user } = await api.makeUser();
    const arrive = (issuer: string) =>
      accept({ userId: user, providerKey: "oidc", issuer, logins: ["root@acme.example"] });
    expect((await arrive("https://evil.example")).admitted).toEqual([]);
    const { sql } = api.database;
    const [source] = await sql`
      insert into identity_sources (org_id, provider_key, source_slug, display_name, oidc_issuer, oidc_client_id, oidc_groups_claim, enabled)
      values (${of}, 'oidc', 's', 'S', 'https://good.example', 'c', 'groups', false) returning id`;
    expect((await arrive("https://good.example")).admitted).toEqual([]);
    await sql`update identity_sources set enabled = true where id = ${source?.id}`;
    expect((await arrive("https://evil.example")).admitted).toEqual([]);
    expect((await arrive("https://good.example")).admitted).toEqual([of]);
  });
});
