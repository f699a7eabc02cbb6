/** Roles and direct assignments over HTTP, route by route. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, type Grant, type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";

let api: PeopleApi;
let org: string;
let admin: string;
beforeAll(async () => {
  api = await startPeopleApi();
  org = await api.makeOrg();
  admin = (await api.makeAccount(org, [["*", "*"]])).token;
});
afterAll(() => api.close());

const GONE = "01a1f77a-0000-7000-8000-00000000dead";
const roles = (of = org) => `/api/v1/orgs/${of}/roles`;
const assignments = (of = org) => `/api/v1/orgs/${of}/role-assignments`;
const holding = async (grants: Grant[], of = org) => (await api.makeAccount(of, grants)).token;
const fields = (answer: Answer) => answer.body.errors?.map((error: { field: string }) => error.field);
const read = { resource_type: "stack", action: "read" };
const untargeted = { resource_pattern: null, authz_group: null };
let made = 0;
const create = (permissions: object[], token = admin, name = `role ${++made}`) =>
  api.call("POST", roles(), { token, body: { name, permissions } });
const systemRole = async (name: string): Promise<string> => {
  const [row] = await api.database.sql`select id from roles where org_id is null and name = ${name}`;
  return row?.id;
};

describe("roles", () => {
  test("a glob goes in, LIKE is stored, the glob comes back", async () => {
    const globs = ["net-*", "a?c", "100%_\\", "*", "back\\*slash"];
    const { status, body } = await create(globs.map((glob) => ({ ...read, resource_pattern: glob })));
    expect(status).toBe(201);
    expect(body).toMatchObject({ org_id: org, is_system: false });
    expect(body.permissions.map((p: { resource_pattern: string }) => p.resource_pattern).sort()).toEqual(globs.sort());
    const stored = await api.database.sql`select resource_pattern from role_permissions where role_id = ${body.id}`;
    expect(stored.map((row) => row.resource_pattern).sort()).toEqual(
      ["net-%", "a_c", "100\\%\\_\\\\", "%", "back\\\\%slash"].sort(),
    );
    expect((await api.call("GET", `${roles()}/${body.id}`, { token: admin })).body).toEqual(body);
  });

  test("created, replaced for all who hold it, deleted with assignments and binding attachments", async () => {
    const { body: role } = await create([read, read, { ...read, authz_group: "prod" }]);
    expect(role.permissions).toEqual([
      { ...read, resource_pattern: null, authz_group: "prod" },
      { ...read, ...untargeted },
    ]);
    const { user } = await api.makeUser({ orgs: [org] });
    const holder = { role_id: role.id, user_id: user };
    expect((await api.call("POST", assignments(), { token: admin, body: holder })).status).toBe(201);
    const { sql } = api.database;
    const [source] = await sql`insert into identity_sources (org_id, provider_key, source_slug, display_name)
      values (${org}, 'codehost', 'host', 'Host') returning id`;
    const [binding] = await sql`insert into group_role_bindings (identity_source_id, group_key)
      values (${source?.id}, 'g') returning id`;
    await sql`insert into group_role_binding_roles values (${binding?.id}, ${role.id})`;
    expect((await api.call("GET", `/api/v1/orgs/${org}`, { user })).status).toBe(403);
    const replacing = { name: "readers", permissions: [{ resource_type: "org", action: "read" }] };
    const replaced = await api.call("PUT", `${roles()}/${role.id}`, { token: admin, body: replacing });
    expect(replaced.body).toMatchObject({ id: role.id, name: "readers" });
    expect(replaced.body.permissions).toEqual([{ ...replacing.permissions[0], ...untargeted }]);
    expect((await api.call("GET", `/api/v1/orgs/${org}`, { user })).status).toBe(200);
    expect((await api.call("DELETE", `${roles()}/${role.id}`, { token: admin })).status).toBe(204);
    expect((await api.call("GET", `/api/v1/orgs/${org}`, { user })).status).toBe(403);
    expect(await sql`select 1 from group_role_binding_roles where binding_id = ${binding?.id}`).toHaveLength(0);
    for (const method of ["GET", "DELETE"]) {
      expect((await api.call(method, `${roles()}/${role.id}`, { token: admin })).status).toBe(404);
    }
  });

  test("a permission that means nothing is refused by its field", async () => {
    const refused: [object, string][] = [
      [{ resource_type: "stack", action: "explode" }, "action"],
      [{ resource_type: "nothing", action: "read" }, "action"],
      [{ resource_type: "__proto__", action: "read" }, "action"],
      [{ resource_type: "member", action: "deploy" }, "action"],
      [{ resource_type: "*", action: "explode" }, "action"],
      [{ resource_type: "member", action: "read", resource_pattern: "x" }, "resource_pattern"],
      [{ ...read, resource_pattern: "" }, "resource_pattern"],
      [{ ...read, resource_pattern: "a\nb" }, "resource_pattern"],
      [{ resource_type: "label", action: "update", authz_group: "prod" }, "authz_group"],
      [{ resource_type: "*", action: "read", authz_group: "prod" }, "authz_group"],
      [{ ...read, resource_pattern: "x", authz_group: "prod" }, "authz_group"],
      [{ ...read, authz_group: "svc:prod" }, "authz_group"],
      [{ ...read, extra: 1 }, "extra"],
    ];
    for (const [permission, field] of refused) {
      const answer = await create([permission]);
      expect([permission, answer.status, fields(answer)]).toEqual([permission, 422, [`permissions.0.${field}`]]);
    }
    const many = Array.from({ length: 201 }, (_, i) => ({ ...read, resource_pattern: `s${i}` }));
    expect(fields(await create(many))).toEqual(["permissions"]);
    expect((await create(many.slice(0, 200))).body.permissions).toHaveLength(200);
    expect((await create([{ resource_type: "*", action: "*" }])).status).toBe(201);
    expect((await create([{ resource_type: "*", action: "run_command", resource_pattern: "a*" }])).status).toBe(201);
    expect((await create([{ resource_type: "cloud_integration", action: "*", authz_group: "prod" }])).status).toBe(201);
  });

  test("names are one of a kind, those of system roles included", async () => {
    expect((await create([], admin, "same")).status).toBe(201);
    for (const name of ["same", "admin", "Admin", "iam-admin"]) {
      expect((await create([], admin, name)).body).toMatchObject({ status: 409, code: "conflict" });
    }
    const { body } = await create([]);
    for (const name of ["same", "viewer"]) {
      const answer = await api.call("PUT", `${roles()}/${body.id}`, { token: admin, body: { name, permissions: [] } });
      expect(answer.status).toBe(409);
    }
    const other = await api.makeOrg();
    const token = await holding([["*", "*"]], other);
    expect((await api.call("POST", roles(other), { token, body: { name: "same", permissions: [] } })).status).toBe(201);
  });

  test("system roles are listed and read, never written, not even by a super-admin", async () => {
    const id = await systemRole("viewer");
    const root = await api.makeUser({ superAdmin: true });
    for (const who of [{ token: admin }, root]) {
      const body = { name: "x", permissions: [] };
      expect((await api.call("PUT", `${roles()}/${id}`, { ...who, body })).status).toBe(403);
      expect((await api.call("DELETE", `${roles()}/${id}`, who)).status).toBe(403);
      expect((await api.call("GET", `${roles()}/${id}`, who)).body).toMatchObject({
        name: "viewer",
        is_system: true,
        org_id: null,
      });
    }
  });

  test("the list pages through the system roles and the organization's own, no other's", async () => {
    const other = await api.makeOrg();
    const token = await holding([["role", "read"]], other);
    await api.database.sql`insert into roles (org_id, name) values (${other}, 'mine')`;
    const names: string[] = [];
    for (let cursor = ""; ; ) {
      const { body } = await api.call("GET", `${roles(other)}?limit=2${cursor}`, { token });
      names.push(...body.items.map((role: { name: string }) => role.name));
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    const own = await api.database.sql`select name from roles where org_id = ${other}`;
    const expected = ["admin", "deployer", "iam-admin", "operator", "viewer", ...own.map((row) => row.name)];
    expect([...names].sort()).toEqual(expected.sort());
    expect((await api.call("GET", `${roles(other)}?limit=0`, { token })).status).toBe(422);
    expect((await api.call("GET", `${roles(other)}?x=1`, { token })).status).toBe(422);
  });

  test("another organization's role, a missing one and text that is no id are not found", async () => {
    const other = await api.makeOrg();
    const token = await holding([["*", "*"]], other);
    const { body: foreign } = await create([]);
    for (const id of [foreign.id, GONE, "nonsense"]) {
      expect((await api.call("GET", `${roles(other)}/${id}`, { token })).status).toBe(404);
      const body = { name: "x", permissions: [] };
      expect((await api.call("PUT", `${roles(other)}/${id}`, { token, body })).status).toBe(404);
      expect((await api.call("DELETE", `${roles(other)}/${id}`, { token })).status).toBe(404);
    }
    expect((await api.call("GET", `${roles()}/${foreign.id}`, { token: admin })).status).toBe(200);
    const root = await api.makeUser({ superAdmin: true });
    const nowhere = await api.call("POST", roles(GONE), { ...root, body: { name: "x", permissions: [] } });
    expect(nowhere.status).toBe(404);
  });

  test("each call needs its own permission: 403 without, whatever the role", async () => {
    const { body: role } = await create([]);
    const needs: [string, string, object | undefined, string][] = [
      ["GET", roles(), undefined, "read"],
      ["GET", `${roles()}/${role.id}`, undefined, "read"],
      ["POST", roles(), { name: "n", permissions: [] }, "create"],
      ["PUT", `${roles()}/${role.id}`, { name: "m", permissions: [] }, "update"],
      ["GET", assignments(), undefined, "read"],
      ["DELETE", `${roles()}/${role.id}`, undefined, "delete"],
    ];
    const stranger = await holding([["*", "*"]], await api.makeOrg());
    for (const [method, path, body, action] of needs) {
      const others = ["read", "create", "update", "delete", "assign"].filter((each) => each !== action);
      const without = await holding(others.map((each): Grant => ["role", each]));
      for (const token of [without, stranger]) {
        expect([method, path, (await api.call(method, path, { token, body })).status]).toEqual([method, path, 403]);
      }
      const answer = await api.call(method, path, { token: await holding([["role", action]]), body });
      expect([method, path, answer.status < 300]).toEqual([method, path, true]);
    }
  });
});

describe("assignments", () => {
  test("to a member and to a service account, listed by holder and role, taken away again", async () => {
    const viewer = await systemRole("viewer");
    const { user } = await api.makeUser({ orgs: [org] });
    const { id: account } = await api.makeAccount(org, []);
    for (const holder of [{ user_id: user }, { service_account_id: account }]) {
      const body = { role_id: viewer, ...holder };
      const { status, body: assignment } = await api.call("POST", assignments(), { token: admin, body });
      expect(status).toBe(201);
      expect(assignment).toMatchObject({ role: { id: viewer, name: "viewer", is_system: true }, ...holder });
      expect((await api.call("POST", assignments(), { token: admin, body })).body.code).toBe("conflict");
      const query = new URLSearchParams({ role_id: viewer, ...holder } as Record<string, string>);
      const listed = await api.call("GET", `${assignments()}?${query}`, { token: admin });
      expect(listed.body.items).toEqual([assignment]);
      const one = `${assignments()}/${assignment.id}`;
      expect((await api.call("DELETE", one, { token: admin })).status).toBe(204);
      expect((await api.call("DELETE", one, { token: admin })).status).toBe(404);
    }
  });

  test("only to who belongs to the organization now, and only roles that are its to give", async () => {
    const viewer = await systemRole("viewer");
    const outsider = (await api.makeUser()).user;
    const expired = (await api.makeUser({ orgs: [org] })).user;
    await api.database.sql`update memberships set expires_at = svc_now() where user_id = ${expired}`;
    const other = await api.makeOrg();
    const { id: foreignAccount, roleId: foreignRole } = await api.makeAccount(other, []);
    const { user } = await api.makeUser({ orgs: [org] });
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
      const answer = await api.call("POST", assignments(), { token: admin, body });
      expect([body, answer.status, fields(answer)]).toEqual([body, 422, [field]]);
    }
  });

  test("giving and taking need (role, assign); another organization's assignment is not found", async () => {
    const { user } = await api.makeUser({ orgs: [org] });
    const body = { role_id: (await create([])).body.id, user_id: user };
    const powerless = await holding([
      ["role", "read"],
      ["role", "create"],
      ["role", "update"],
      ["role", "delete"],
    ]);
    expect((await api.call("POST", assignments(), { token: powerless, body })).status).toBe(403);
    const { body: assignment } = await api.call("POST", assignments(), { token: admin, body });
    const one = `${assignments()}/${assignment.id}`;
    expect((await api.call("DELETE", one, { token: powerless })).status).toBe(403);
    const other = await api.makeOrg();
    const token = await holding([["*", "*"]], other);
    expect((await api.call("DELETE", `${assignments(other)}/${assignment.id}`, { token })).status).toBe(404);
    expect((await api.call("DELETE", `${assignments()}/x`, { token: admin })).status).toBe(404);
    expect((await api.call("DELETE", one, { token: await holding([["role", "assign"]]) })).status).toBe(204);
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

  test("untargeted or identical on both pattern and group covers, nothing else: creating, replacing and assigning alike", async () => {
    const manage: Grant[] = ["create", "update", "assign"].map((action) => ["role", action]);
    for (const held of targets) {
      const token = await holding([...manage, ["stack", "read", ...(held ? [held] : [])] as Grant]);
      for (const conferred of targets) {
        const covered = held === undefined || key(held) === key(conferred);
        const permissions = [{ ...read, ...asInput(conferred) }];
        const status = covered ? 201 : 403;
        const what = `${key(held)} hands on ${key(conferred)}`;
        expect([what, (await create(permissions, token)).status]).toEqual([what, status]);
        const { body: empty } = await create([]);
        const body = { name: empty.name, permissions };
        const put = await api.call("PUT", `${roles()}/${empty.id}`, { token, body });
        expect([what, put.status]).toEqual([what, covered ? 200 : 403]);
        const { body: role } = await create(permissions);
        const { user } = await api.makeUser({ orgs: [org] });
        const { id: account } = await api.makeAccount(org, []);
        for (const holder of [{ user_id: user }, { service_account_id: account }]) {
          const given = await api.call("POST", assignments(), { token, body: { role_id: role.id, ...holder } });
          expect([what, given.status]).toEqual([what, status]);
        }
      }
    }
  });

  test("`*` is covered by `*` alone, not by every single type or action", async () => {
    const all: Grant[] = ["read", "create", "update", "delete", "assign"].map((action) => ["role", action]);
    const token = await holding(all);
    expect((await create([{ resource_type: "role", action: "read" }], token)).status).toBe(201);
    expect((await create([{ resource_type: "role", action: "*" }], token)).status).toBe(403);
    const anyRead = await holding([
      ["role", "create"],
      ["*", "read"],
    ]);
    expect((await create([{ resource_type: "*", action: "read" }], anyRead)).status).toBe(201);
    expect((await create([{ resource_type: "member", action: "read" }], anyRead)).status).toBe(201);
    expect((await create([{ resource_type: "*", action: "*" }], anyRead)).status).toBe(403);
  });

  test("a role is answered for as a whole: keeping what it had needs it too, and nothing changes when refused", async () => {
    const { body: role } = await create([read, { resource_type: "stack", action: "deploy" }]);
    const token = await holding([
      ["role", "update"],
      ["stack", "read"],
    ]);
    const put = (permissions: object[]) =>
      api.call("PUT", `${roles()}/${role.id}`, { token, body: { name: "renamed", permissions } });
    expect((await put(role.permissions)).body.detail).toMatch(/do not hold/);
    expect((await api.call("GET", `${roles()}/${role.id}`, { token: admin })).body).toEqual(role);
    expect((await put([read])).body.permissions).toHaveLength(1);
  });

  test("what the caller holds elsewhere counts for nothing here; a super-admin needs nothing", async () => {
    const other = await api.makeOrg();
    const { user } = await api.makeUser({ orgs: [other], grants: [["*", "*"]] });
    await api.database.sql`insert into memberships (org_id, user_id) values (${org}, ${user})`;
    const { roleId } = await api.makeAccount(org, [["role", "create"]]);
    await api.database.sql`insert into role_assignments (org_id, role_id, user_id) values (${org}, ${roleId}, ${user})`;
    const body = { name: "r", permissions: [read] };
    expect((await api.call("POST", roles(), { user, body })).status).toBe(403);
    const root = await api.makeUser({ superAdmin: true });
    expect((await api.call("POST", roles(), { ...root, body })).status).toBe(201);
  });
});

describe("the last Admin", () => {
  const adminOrg = async () => {
    const of = await api.makeOrg();
    const { user } = await api.makeUser({ orgs: [of] });
    const adminRole = await systemRole("admin");
    const [row] = await api.database.sql`insert into role_assignments (org_id, role_id, user_id)
      values (${of}, ${adminRole}, ${user}) returning id`;
    return { of, user, assignment: row?.id as string, adminRole };
  };

  test("keeps the role while nobody else has it", async () => {
    const { of, user, assignment, adminRole } = await adminOrg();
    const one = `${assignments(of)}/${assignment}`;
    expect((await api.call("DELETE", one, { user })).body).toMatchObject({ status: 409, code: "conflict" });
    const second = await api.makeUser({ orgs: [of] });
    const body = { role_id: adminRole, user_id: second.user };
    expect((await api.call("POST", assignments(of), { user, body })).status).toBe(201);
    expect((await api.call("DELETE", one, { user })).status).toBe(204);
  });

  test("a service account with a valid token counts, one without does not; a super-admin may leave none", async () => {
    const { of, user, assignment } = await adminOrg();
    const { token, id } = await api.makeAccount(of, [["*", "*"]]);
    await api.database.sql`update service_account_tokens set expires_at = svc_now() where service_account_id = ${id}`;
    expect((await api.call("DELETE", `${assignments(of)}/${assignment}`, { user })).status).toBe(409);
    await api.database
      .sql`update service_account_tokens set expires_at = svc_now() + interval '1 day' where service_account_id = ${id}`;
    expect((await api.call("DELETE", `${assignments(of)}/${assignment}`, { user })).status).toBe(204);
    expect((await api.call("DELETE", `/api/v1/orgs/${of}/service-accounts/${id}`, { token })).status).toBe(409);
    const root = await api.makeUser({ superAdmin: true });
    expect((await api.call("DELETE", `/api/v1/orgs/${of}/service-accounts/${id}`, root)).status).toBe(204);
  });

  test("a custom role that may do everything is neither emptied nor deleted from under its last holder", async () => {
    const of = await api.makeOrg();
    const { token, roleId } = await api.makeAccount(of, [["*", "*"]]);
    const one = `${roles(of)}/${roleId}`;
    expect((await api.call("PUT", one, { token, body: { name: "x", permissions: [read] } })).status).toBe(409);
    expect((await api.call("DELETE", one, { token })).status).toBe(409);
    expect((await api.call("GET", one, { token })).body.permissions).toHaveLength(1);
  });
});
