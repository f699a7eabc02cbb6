/** Roles over HTTP, route by route. */
import { describe, expect } from "vitest";
import type { Grant } from "../support/peopleApi.ts";
import { fields, GONE, read, test } from "../support/rolesTest.ts";

const untargeted = { resource_pattern: null, authz_group: null };

describe("roles", () => {
  test("a glob goes in, LIKE is stored, the glob comes back", async ({ api, world }) => {
    const globs = ["net-*", "a?c", "100%_\\", "*", "back\\*slash"];
    const { status, body } = await world.create(globs.map((glob) => ({ ...read, resource_pattern: glob })));
    expect(status).toBe(201);
    expect(body).toMatchObject({ org_id: world.org, is_system: false });
    expect(body.permissions.map((p: { resource_pattern: string }) => p.resource_pattern).sort()).toEqual(globs.sort());
    const stored = await api.database.sql`select resource_pattern from role_permissions where role_id = ${body.id}`;
    expect(stored.map((row) => row.resource_pattern).sort()).toEqual(
      ["net-%", "a_c", "100\\%\\_\\\\", "%", "back\\\\%slash"].sort(),
    );
    expect((await api.call("GET", `${world.roles()}/${body.id}`, { token: world.admin })).body).toEqual(body);
  });

  test("created, replaced for all who hold it, deleted with assignments and binding attachments", async ({
    api,
    world,
  }) => {
    const { body: role } = await world.create([read, read, { ...read, authz_group: "prod" }]);
    expect(role.permissions).toEqual([
      { ...read, resource_pattern: null, authz_group: "prod" },
      { ...read, ...untargeted },
    ]);
    const { user } = await api.makeUser({ orgs: [world.org] });
    const holder = { role_id: role.id, user_id: user };
    expect((await api.call("POST", world.assignments(), { token: world.admin, body: holder })).status).toBe(201);
    const { sql } = api.database;
    const [source] = await sql`insert into identity_sources (org_id, provider_key, source_slug, display_name)
      values (${world.org}, 'codehost', 'host', 'Host') returning id`;
    const [binding] = await sql`insert into group_role_bindings (identity_source_id, group_key)
      values (${source?.id}, 'g') returning id`;
    await sql`insert into group_role_binding_roles values (${binding?.id}, ${role.id})`;
    expect((await api.call("GET", `/api/v1/orgs/${world.org}`, { user })).status).toBe(403);
    const replacing = { name: "readers", permissions: [{ resource_type: "org", action: "read" }] };
    const replaced = await api.call("PUT", `${world.roles()}/${role.id}`, { token: world.admin, body: replacing });
    expect(replaced.body).toMatchObject({ id: role.id, name: "readers" });
    expect(replaced.body.permissions).toEqual([{ ...replacing.permissions[0], ...untargeted }]);
    expect((await api.call("GET", `/api/v1/orgs/${world.org}`, { user })).status).toBe(200);
    expect((await api.call("DELETE", `${world.roles()}/${role.id}`, { token: world.admin })).status).toBe(204);
    expect((await api.call("GET", `/api/v1/orgs/${world.org}`, { user })).status).toBe(403);
    expect(await sql`select 1 from group_role_binding_roles where binding_id = ${binding?.id}`).toHaveLength(0);
    for (const method of ["GET", "DELETE"]) {
      expect((await api.call(method, `${world.roles()}/${role.id}`, { token: world.admin })).status).toBe(404);
    }
  });

  test("a permission that means nothing is refused by its field", async ({ world }) => {
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
      const answer = await world.create([permission]);
      expect([permission, answer.status, fields(answer)]).toEqual([permission, 422, [`permissions.0.${field}`]]);
    }
    const many = Array.from({ length: 201 }, (_, i) => ({ ...read, resource_pattern: `s${i}` }));
    expect(fields(await world.create(many))).toEqual(["permissions"]);
    expect((await world.create(many.slice(0, 200))).body.permissions).toHaveLength(200);
    expect((await world.create([{ resource_type: "*", action: "*" }])).status).toBe(201);
    expect((await world.create([{ resource_type: "*", action: "run_command", resource_pattern: "a*" }])).status).toBe(
      201,
    );
    expect(
      (await world.create([{ resource_type: "cloud_integration", action: "*", authz_group: "prod" }])).status,
    ).toBe(201);
  });

  test("names are one of a kind, those of system roles included", async ({ api, world }) => {
    expect((await world.create([], world.admin, "same")).status).toBe(201);
    for (const name of ["same", "admin", "Admin", "iam-admin"]) {
      expect((await world.create([], world.admin, name)).body).toMatchObject({ status: 409, code: "conflict" });
    }
    const { body } = await world.create([]);
    for (const name of ["same", "viewer"]) {
      const answer = await api.call("PUT", `${world.roles()}/${body.id}`, {
        token: world.admin,
        body: { name, permissions: [] },
      });
      expect(answer.status).toBe(409);
    }
    const other = await api.makeOrg();
    const token = await world.holding([["*", "*"]], other);
    expect(
      (await api.call("POST", world.roles(other), { token, body: { name: "same", permissions: [] } })).status,
    ).toBe(201);
  });

  test("system roles are listed and read, never written, not even by a super-admin", async ({ api, world }) => {
    const id = await world.systemRole("viewer");
    const root = await api.makeUser({ superAdmin: true });
    for (const who of [{ token: world.admin }, root]) {
      const body = { name: "x", permissions: [] };
      expect((await api.call("PUT", `${world.roles()}/${id}`, { ...who, body })).status).toBe(403);
      expect((await api.call("DELETE", `${world.roles()}/${id}`, who)).status).toBe(403);
      expect((await api.call("GET", `${world.roles()}/${id}`, who)).body).toMatchObject({
        name: "viewer",
        is_system: true,
        org_id: null,
      });
    }
  });

  test("the list pages through the system roles and the organization's own, no other's", async ({ api, world }) => {
    const other = await api.makeOrg();
    const token = await world.holding([["role", "read"]], other);
    await api.database.sql`insert into roles (org_id, name) values (${other}, 'mine')`;
    const names: string[] = [];
    for (let cursor = ""; ; ) {
      const { body } = await api.call("GET", `${world.roles(other)}?limit=2${cursor}`, { token });
      names.push(...body.items.map((role: { name: string }) => role.name));
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    const own = await api.database.sql`select name from roles where org_id = ${other}`;
    const expected = ["admin", "deployer", "iam-admin", "operator", "viewer", ...own.map((row) => row.name)];
    expect([...names].sort()).toEqual(expected.sort());
    expect((await api.call("GET", `${world.roles(other)}?limit=0`, { token })).status).toBe(422);
    expect((await api.call("GET", `${world.roles(other)}?x=1`, { token })).status).toBe(422);
  });

  test("another organization's role, a missing one and text that is no id are not found", async ({ api, world }) => {
    const other = await api.makeOrg();
    const token = await world.holding([["*", "*"]], other);
    const { body: foreign } = await world.create([]);
    for (const id of [foreign.id, GONE, "nonsense"]) {
      expect((await api.call("GET", `${world.roles(other)}/${id}`, { token })).status).toBe(404);
      const body = { name: "x", permissions: [] };
      expect((await api.call("PUT", `${world.roles(other)}/${id}`, { token, body })).status).toBe(404);
      expect((await api.call("DELETE", `${world.roles(other)}/${id}`, { token })).status).toBe(404);
    }
    expect((await api.call("GET", `${world.roles()}/${foreign.id}`, { token: world.admin })).status).toBe(200);
    const root = await api.makeUser({ superAdmin: true });
    const nowhere = await api.call("POST", world.roles(GONE), { ...root, body: { name: "x", permissions: [] } });
    expect(nowhere.status).toBe(404);
  });

  test("each call needs its own permission: 403 without, whatever the role", async ({ api, world }) => {
    const { body: role } = await world.create([]);
    const needs: [string, string, object | undefined, string][] = [
      ["GET", world.roles(), undefined, "read"],
      ["GET", `${world.roles()}/${role.id}`, undefined, "read"],
      ["POST", world.roles(), { name: "n", permissions: [] }, "create"],
      ["PUT", `${world.roles()}/${role.id}`, { name: "m", permissions: [] }, "update"],
      ["GET", world.assignments(), undefined, "read"],
      ["DELETE", `${world.roles()}/${role.id}`, undefined, "delete"],
    ];
    const stranger = await world.holding([["*", "*"]], await api.makeOrg());
    for (const [method, path, body, action] of needs) {
      const others = ["read", "create", "update", "delete", "assign"].filter((each) => each !== action);
      const without = await world.holding(others.map((each): Grant => ["role", each]));
      for (const token of [without, stranger]) {
        expect([method, path, (await api.call(method, path, { token, body })).status]).toEqual([method, path, 403]);
      }
      const answer = await api.call(method, path, { token: await world.holding([["role", action]]), body });
      expect([method, path, answer.status < 300]).toEqual([method, path, true]);
    }
  });
});
