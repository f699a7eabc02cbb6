/** The bindings of groups over HTTP: what they are, and who may write them (docs/access.md#bindings). */
import { describe, expect } from "vitest";
import { CODEHOST, fields, GONE, OIDC, test } from "../support/bindingsTest.ts";

describe("bindings over HTTP", () => {
  test("created, listed, read, replaced, deleted", async ({ api, world }) => {
    const id = await world.source({ ...OIDC, client_id: "http" });
    const [a, b] = [await world.roleOf([["org", "read"]]), await world.roleOf([["org", "update"]])];
    const { status, body } = await world.post(id, { group_key: "Ops Team/ä", role_ids: [a, b, a] });
    expect(status).toBe(201);
    expect(body.group_key).toBe("Ops Team/ä");
    expect(body.roles.map((role: { id: string }) => role.id)).toEqual([a, b].sort());
    expect((await world.post(id, { group_key: "Ops Team/ä", role_ids: [a] })).body.code).toBe("conflict");
    const one = `${world.bindings(id)}/${body.id}`;
    expect((await api.call("GET", one, { token: world.admin })).body).toEqual(body);
    await world.post(id, { group_key: "dev", role_ids: [b] });
    const { body: list } = await api.call("GET", `${world.bindings(id)}?limit=1`, { token: world.admin });
    const { body: next } = await api.call("GET", `${world.bindings(id)}?limit=1&cursor=${list.next_cursor}`, {
      token: world.admin,
    });
    expect([...list.items, ...next.items].map((each: { group_key: string }) => each.group_key).sort()).toEqual([
      "Ops Team/ä",
      "dev",
    ]);
    const put = (group_key: string) => api.call("PUT", one, { token: world.admin, body: { group_key, role_ids: [b] } });
    expect((await put("dev")).status).toBe(409);
    expect((await put("sre")).body).toMatchObject({ id: body.id, group_key: "sre", roles: [{ id: b }] });
    expect((await api.call("DELETE", one, { token: world.admin })).status).toBe(204);
    for (const method of ["GET", "DELETE", "PUT"]) {
      const sent = method === "PUT" ? { body: { group_key: "x", role_ids: [a] } } : {};
      expect((await api.call(method, one, { token: world.admin, ...sent })).status).toBe(404);
    }
  });

  test("one to five roles, of this organization", async ({ api, world }) => {
    const id = await world.source({ ...OIDC, client_id: "five" });
    const roles = [];
    for (let i = 0; i < 6; i++) roles.push(await world.roleOf([["org", "read"]]));
    const foreign = await world.roleOf([["org", "read"]], await api.makeOrg());
    const refused: [object, string][] = [
      [{ group_key: "g", role_ids: [] }, "role_ids"],
      [{ group_key: "g", role_ids: roles }, "role_ids"],
      [{ group_key: "g", role_ids: [GONE] }, "role_ids"],
      [{ group_key: "g", role_ids: [foreign] }, "role_ids"],
      [{ group_key: "", role_ids: [roles[0]] }, "group_key"],
      [{ group_key: "a\nb", role_ids: [roles[0]] }, "group_key"],
      [{ group_key: "g".repeat(501), role_ids: [roles[0]] }, "group_key"],
      [{ role_ids: [roles[0]] }, "group_key"],
    ];
    for (const [body, field] of refused) {
      const answer = await world.post(id, body);
      expect([body, answer.status, fields(answer)]).toEqual([body, 422, [field]]);
    }
    const { status, body } = await world.post(id, { group_key: "g", role_ids: roles.slice(1) });
    expect(status).toBe(201);
    const put = await api.call("PUT", `${world.bindings(id)}/${body.id}`, {
      token: world.admin,
      body: { group_key: "g", role_ids: roles },
    });
    expect(put.status).toBe(422);
  });

  test("binding needs (identity_source, manage) and every permission of the roles, on each write", async ({
    api,
    world,
  }) => {
    const id = await world.source({ ...OIDC, client_id: "cover" });
    const [reader, admins] = [await world.roleOf([["org", "read"]]), await world.roleOf([["*", "*"]])];
    const manager = await world.holding([
      ["identity_source", "manage"],
      ["org", "read"],
    ]);
    const powerless = await world.holding([
      ["identity_source", "read"],
      ["role", "*"],
      ["org", "read"],
    ]);
    expect((await world.post(id, { group_key: "a", role_ids: [admins] }, manager)).body.detail).toMatch(/do not hold/);
    expect((await world.post(id, { group_key: "a", role_ids: [reader, admins] }, manager)).status).toBe(403);
    const { status, body } = await world.post(id, { group_key: "a", role_ids: [reader] }, manager);
    expect(status).toBe(201);
    const one = `${world.bindings(id)}/${body.id}`;
    const put = (token: string, role: string, group_key = "a") =>
      api.call("PUT", one, { token, body: { group_key, role_ids: [role] } });
    expect((await put(manager, admins)).status).toBe(403);
    expect((await put(world.admin, admins)).status).toBe(200);
    // Pointing what others bound at another group confers it anew.
    expect((await put(manager, admins, "mine")).status).toBe(403);
    expect((await put(manager, reader)).status).toBe(200);
    const stranger = await world.holding([["*", "*"]], await api.makeOrg());
    for (const token of [powerless, stranger]) {
      expect((await world.post(id, { group_key: "b", role_ids: [reader] }, token)).status).toBe(403);
      expect((await put(token, reader)).status).toBe(403);
      for (const [method, path] of [
        ["GET", one],
        ["DELETE", one],
        ["GET", world.bindings(id)],
      ] as const) {
        expect([method, path, (await api.call(method, path, { token })).status]).toEqual([method, path, 403]);
      }
    }
    expect((await api.call("DELETE", one, { token: manager })).status).toBe(204);
  });

  test("another organization's source, and a binding of another source, are not found", async ({ api, world }) => {
    const other = await api.makeOrg();
    const token = await world.holding([["*", "*"]], other);
    const [mine, foreign] = [
      await world.source({ ...OIDC, client_id: "own" }, other),
      await world.source({ ...OIDC, client_id: "x" }),
    ];
    const role = await world.roleOf([["org", "read"]]);
    const { body } = await world.post(foreign, { group_key: "g", role_ids: [role] });
    const ownRole = await world.roleOf([["org", "read"]], other);
    for (const id of [foreign, GONE, "nonsense"]) {
      expect((await api.call("GET", world.bindings(id, other), { token })).status).toBe(404);
      const sent = { token, body: { group_key: "g", role_ids: [ownRole] } };
      expect((await api.call("POST", world.bindings(id, other), sent)).status).toBe(404);
    }
    for (const where of [world.bindings(mine, other), world.bindings(foreign, other)]) {
      expect((await api.call("GET", `${where}/${body.id}`, { token })).status).toBe(404);
      expect((await api.call("DELETE", `${where}/${body.id}`, { token })).status).toBe(404);
    }
  });

  test("the binding by which the last Admin is one stays", async ({ api, world }) => {
    const of = await api.makeOrg();
    const id = await world.source(OIDC, of);
    const user = await world.member(of);
    const [adminRole] = await api.database.sql`select id from roles where org_id is null and name = 'admin'`;
    await world.bind(id, "admins", [adminRole?.id]);
    await world.entitle(user, OIDC, "admins");
    const { body } = await api.call("GET", world.bindings(id, of), { user });
    const one = `${world.bindings(id, of)}/${body.items[0].id}`;
    expect((await api.call("DELETE", one, { user })).body).toMatchObject({ status: 409, code: "conflict" });
    expect(
      (await api.call("PUT", one, { user, body: { group_key: "others", role_ids: [adminRole?.id] } })).status,
    ).toBe(409);
    expect((await api.call("DELETE", `/api/v1/orgs/${of}/identity-sources/${id}`, { user })).status).toBe(409);
    await api.makeAccount(of, [["*", "*"]]);
    expect((await api.call("DELETE", one, { user })).status).toBe(204);
  });

  test("what proves a group is changed only by who holds what the source confers", async ({ api, world }) => {
    const asked = { ...CODEHOST, provider_key: "workspace" };
    const id = await world.source(asked);
    const manager = await world.holding([["identity_source", "*"]]);
    await world.bind(id, "acme.example", [await world.roleOf([["stack", "deploy"]])]);
    const put = (enabled: boolean, token: string) =>
      api.call("PUT", `/api/v1/orgs/${world.org}/identity-sources/${id}`, {
        token,
        body: { display_name: "W", enabled },
      });
    expect((await put(true, manager)).status).toBe(200);
    expect((await put(false, manager)).status).toBe(200);
    expect((await put(true, manager)).body.detail).toMatch(/do not hold/);
    expect((await put(true, world.admin)).status).toBe(200);
  });
});
