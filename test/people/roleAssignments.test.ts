/** Direct assignments over HTTP: nobody hands on more than they hold, and the last Admin stays. */
import { describe, expect } from "vitest";
import type { Grant } from "../support/peopleApi.ts";
import { fields, GONE, read, test } from "../support/rolesTest.ts";

describe("assignments", () => {
  test("to a member and to a service account, listed by holder and role, taken away again", async ({ api, world }) => {
    const viewer = await world.systemRole("viewer");
    const { user } = await api.makeUser({ orgs: [world.org] });
    const { id: account } = await api.makeAccount(world.org, []);
    for (const holder of [{ user_id: user }, { service_account_id: account }]) {
      const body = { role_id: viewer, ...holder };
      const { status, body: assignment } = await api.call("POST", world.assignments(), { token: world.admin, body });
      expect(status).toBe(201);
      expect(assignment).toMatchObject({ role: { id: viewer, name: "viewer", is_system: true }, ...holder });
      expect((await api.call("POST", world.assignments(), { token: world.admin, body })).body.code).toBe("conflict");
      const query = new URLSearchParams({ role_id: viewer, ...holder } as Record<string, string>);
      const listed = await api.call("GET", `${world.assignments()}?${query}`, { token: world.admin });
      expect(listed.body.items).toEqual([assignment]);
      const one = `${world.assignments()}/${assignment.id}`;
      expect((await api.call("DELETE", one, { token: world.admin })).status).toBe(204);
      expect((await api.call("DELETE", one, { token: world.admin })).status).toBe(404);
    }
  });

  test("only to who belongs to the organization now, and only roles that are its to give", async ({ api, world }) => {
    const viewer = await world.systemRole("viewer");
    const outsider = (await api.makeUser()).user;
    const expired = (await api.makeUser({ orgs: [world.org] })).user;
    await api.database.sql`update memberships set expires_at = svc_now() where user_id = ${expired}`;
    const other = await api.makeOrg();
    const { id: foreignAccount, roleId: foreignRole } = await api.makeAccount(other, []);
    const { user } = await api.makeUser({ orgs: [world.org] });
    const refused: [object, string][] = [
      [{ role_id: viewer, user_id: outsider }, "user_id"],
      [{ role_id: viewer, user_id: expired }, "user_id"],
      [{ role_id: viewer, user_id: "nobody" }, "user_id"],
      [{ role_id: viewer, service_account_id: foreignAccount }, "service_account_id"],
      [{ role_id: foreignRole, user_id: user }, "role_id"],
      [{ role_id: GONE, user_id: user }, "role_id"],
      [{ role_id: "x", user_id: user }, "role_id"],
      [{ role_id: viewer }, "user_id"],
      [{ role_id: viewer, user_id: user, service_account_id: GONE }, "user_id"],
    ];
    for (const [body, field] of refused) {
      const answer = await api.call("POST", world.assignments(), { token: world.admin, body });
      expect([body, answer.status, fields(answer)]).toEqual([body, 422, [field]]);
    }
  });

  test("giving and taking need (role, assign); another organization's assignment is not found", async ({
    api,
    world,
  }) => {
    const { user } = await api.makeUser({ orgs: [world.org] });
    const body = { role_id: (await world.create([])).body.id, user_id: user };
    const powerless = await world.holding([
      ["role", "read"],
      ["role", "create"],
      ["role", "update"],
      ["role", "delete"],
    ]);
    expect((await api.call("POST", world.assignments(), { token: powerless, body })).status).toBe(403);
    const { body: assignment } = await api.call("POST", world.assignments(), { token: world.admin, body });
    const one = `${world.assignments()}/${assignment.id}`;
    expect((await api.call("DELETE", one, { token: powerless })).status).toBe(403);
    const other = await api.makeOrg();
    const token = await world.holding([["*", "*"]], other);
    expect((await api.call("DELETE", `${world.assignments(other)}/${assignment.id}`, { token })).status).toBe(404);
    expect((await api.call("DELETE", `${world.assignments()}/x`, { token: world.admin })).status).toBe(404);
    expect((await api.call("DELETE", one, { token: await world.holding([["role", "assign"]]) })).status).toBe(204);
  });
});

describe("nobody hands on more than they hold", () => {
  const targets: Grant[2][] = [
    undefined,
    { pattern: "net-%" },
    { pattern: "%" },
    { group: "prod" },
    { group: "net-%" },
  ];
  const key = (target: Grant[2]) => JSON.stringify(target ?? {});
  const asInput = (target: Grant[2]) => ({
    resource_pattern: target?.pattern?.replaceAll("%", "*") ?? null,
    authz_group: target?.group ?? null,
  });

  test("untargeted or identical on both pattern and group covers, nothing else: creating, replacing and assigning alike", async ({
    api,
    world,
  }) => {
    const manage: Grant[] = ["create", "update", "assign"].map((action) => ["role", action]);
    for (const held of targets) {
      const token = await world.holding([...manage, ["stack", "read", ...(held ? [held] : [])] as Grant]);
      for (const conferred of targets) {
        const covered = held === undefined || key(held) === key(conferred);
        const permissions = [{ ...read, ...asInput(conferred) }];
        const status = covered ? 201 : 403;
        const what = `${key(held)} hands on ${key(conferred)}`;
        expect([what, (await world.create(permissions, token)).status]).toEqual([what, status]);
        const { body: empty } = await world.create([]);
        const body = { name: empty.name, permissions };
        const put = await api.call("PUT", `${world.roles()}/${empty.id}`, { token, body });
        expect([what, put.status]).toEqual([what, covered ? 200 : 403]);
        const { body: role } = await world.create(permissions);
        const { user } = await api.makeUser({ orgs: [world.org] });
        const { id: account } = await api.makeAccount(world.org, []);
        for (const holder of [{ user_id: user }, { service_account_id: account }]) {
          const given = await api.call("POST", world.assignments(), { token, body: { role_id: role.id, ...holder } });
          expect([what, given.status]).toEqual([what, status]);
        }
      }
    }
  });

  test("`*` is covered by `*` alone, not by every single type or action", async ({ world }) => {
    const all: Grant[] = ["read", "create", "update", "delete", "assign"].map((action) => ["role", action]);
    const token = await world.holding(all);
    expect((await world.create([{ resource_type: "role", action: "read" }], token)).status).toBe(201);
    expect((await world.create([{ resource_type: "role", action: "*" }], token)).status).toBe(403);
    const anyRead = await world.holding([
      ["role", "create"],
      ["*", "read"],
    ]);
    expect((await world.create([{ resource_type: "*", action: "read" }], anyRead)).status).toBe(201);
    expect((await world.create([{ resource_type: "member", action: "read" }], anyRead)).status).toBe(201);
    expect((await world.create([{ resource_type: "*", action: "*" }], anyRead)).status).toBe(403);
  });

  test("a role is answered for as a whole: keeping what it had needs it too, and nothing changes when refused", async ({
    api,
    world,
  }) => {
    const { body: role } = await world.create([read, { resource_type: "stack", action: "deploy" }]);
    const token = await world.holding([
      ["role", "update"],
      ["stack", "read"],
    ]);
    const put = (permissions: object[]) =>
      api.call("PUT", `${world.roles()}/${role.id}`, { token, body: { name: "renamed", permissions } });
    expect((await put(role.permissions)).body.detail).toMatch(/do not hold/);
    expect((await api.call("GET", `${world.roles()}/${role.id}`, { token: world.admin })).body).toEqual(role);
    expect((await put([read])).body.permissions).toHaveLength(1);
  });

  test("what the caller holds elsewhere counts for nothing here; a super-admin needs nothing", async ({
    api,
    world,
  }) => {
    const other = await api.makeOrg();
    const { user } = await api.makeUser({ orgs: [other], grants: [["*", "*"]] });
    await api.database.sql`insert into memberships (org_id, user_id) values (${world.org}, ${user})`;
    const { roleId } = await api.makeAccount(world.org, [["role", "create"]]);
    await api.database
      .sql`insert into role_assignments (org_id, role_id, user_id) values (${world.org}, ${roleId}, ${user})`;
    const body = { name: "r", permissions: [read] };
    expect((await api.call("POST", world.roles(), { user, body })).status).toBe(403);
    const root = await api.makeUser({ superAdmin: true });
    expect((await api.call("POST", world.roles(), { ...root, body })).status).toBe(201);
  });
});

describe("the last Admin", () => {
  test("keeps the role while nobody else has it", async ({ api, world }) => {
    const { of, user, assignment, adminRole } = await world.adminOrg();
    const one = `${world.assignments(of)}/${assignment}`;
    expect((await api.call("DELETE", one, { user })).body).toMatchObject({ status: 409, code: "conflict" });
    const second = await api.makeUser({ orgs: [of] });
    const body = { role_id: adminRole, user_id: second.user };
    expect((await api.call("POST", world.assignments(of), { user, body })).status).toBe(201);
    expect((await api.call("DELETE", one, { user })).status).toBe(204);
  });

  test("a service account with a valid token counts, one without does not; a super-admin may leave none", async ({
    api,
    world,
  }) => {
    const { of, user, assignment } = await world.adminOrg();
    const { token, id } = await api.makeAccount(of, [["*", "*"]]);
    await api.database.sql`update service_account_tokens set expires_at = svc_now() where service_account_id = ${id}`;
    expect((await api.call("DELETE", `${world.assignments(of)}/${assignment}`, { user })).status).toBe(409);
    await api.database
      .sql`update service_account_tokens set expires_at = svc_now() + interval '1 day' where service_account_id = ${id}`;
    expect((await api.call("DELETE", `${world.assignments(of)}/${assignment}`, { user })).status).toBe(204);
    expect((await api.call("DELETE", `/api/v1/orgs/${of}/service-accounts/${id}`, { token })).status).toBe(409);
    const root = await api.makeUser({ superAdmin: true });
    expect((await api.call("DELETE", `/api/v1/orgs/${of}/service-accounts/${id}`, root)).status).toBe(204);
  });

  test("a custom role that may do everything is neither emptied nor deleted from under its last holder", async ({
    api,
    world,
  }) => {
    const of = await api.makeOrg();
    const { token, roleId } = await api.makeAccount(of, [["*", "*"]]);
    const one = `${world.roles(of)}/${roleId}`;
    expect((await api.call("PUT", one, { token, body: { name: "x", permissions: [read] } })).status).toBe(409);
    expect((await api.call("DELETE", one, { token })).status).toBe(409);
    expect((await api.call("GET", one, { token })).body.permissions).toHaveLength(1);
  });
});
