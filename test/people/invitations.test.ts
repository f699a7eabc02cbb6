/** Invitations: who gives them, and the sign-ins that consume them (docs/rules/organizations.md). */
import { describe, expect } from "vitest";
import { fields, GONE, test } from "../support/membersTest.ts";

describe("invitations", () => {
  test("given, listed, read, changed, taken back", async ({ api, admin, world }) => {
    const viewer = await world.systemRole("viewer");
    const { status, body } = await world.invite({ provider_key: "codehost", login: "Ada", role_ids: [viewer, viewer] });
    expect(status).toBe(201);
    expect(body).toMatchObject({ provider_key: "codehost", login: "ada", roles: [{ id: viewer, name: "viewer" }] });
    const days = (at: { expires_at: string; created_at: string }) =>
      Math.round((Date.parse(at.expires_at) - Date.parse(at.created_at)) / 86_400_000);
    expect(days(body)).toBe(14);
    const { body: list } = await api.call("GET", `${world.invitations()}?sort=login`, { token: admin });
    expect(list.items).toContainEqual(body);
    const where = `${world.invitations()}/${body.id}`;
    expect((await api.call("GET", where, { token: admin })).body).toEqual(body);
    const put = await api.call("PUT", where, { token: admin, body: { lifetime: "P90D" } });
    expect(put.body).toMatchObject({ id: body.id, roles: [] });
    expect(days(put.body)).toBe(90);
    expect((await world.invite({ provider_key: "codehost", login: "ADA" })).body.code).toBe("conflict");
    expect((await world.invite({ provider_key: "workspace", login: "ada" })).status).toBe(201);
    expect((await api.call("DELETE", where, { token: admin })).status).toBe(204);
    for (const method of ["GET", "DELETE", "PUT"]) {
      const answer = await api.call(method, where, { token: admin, ...(method === "PUT" ? { body: {} } : {}) });
      expect(answer.status).toBe(404);
    }
  });

  test("what is wrong with one is named", async ({ api, world }) => {
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
      const answer = await world.invite(body);
      expect([body, answer.status, fields(answer)]).toEqual([body, 422, [field]]);
    }
    const root = await api.makeUser({ superAdmin: true });
    expect((await api.call("POST", world.invitations(GONE), { ...root, body: base })).status).toBe(404);
  });

  test("inviting needs (member, create), with roles (role, assign) and all they confer; another's is not found", async ({
    api,
    world,
  }) => {
    const viewer = await world.systemRole("viewer");
    const plain = await world.holding([["member", "create"]]);
    const keeper = await world.holding([
      ["member", "create"],
      ["role", "assign"],
    ]);
    const full = await world.holding([
      ["member", "create"],
      ["role", "assign"],
      ["*", "read"],
    ]);
    const guest = (login: string, role_ids: string[] = []) => ({ provider_key: "codehost", login, role_ids });
    expect(
      (
        await world.invite(
          guest("p"),
          await world.holding([
            ["member", "read"],
            ["member", "delete"],
          ]),
        )
      ).status,
    ).toBe(403);
    const { status, body } = await world.invite(guest("p"), plain);
    expect(status).toBe(201);
    expect((await world.invite(guest("q", [viewer]), plain)).status).toBe(403);
    expect((await world.invite(guest("q", [viewer]), keeper)).status).toBe(403);
    const put = (token: string) =>
      api.call("PUT", `${world.invitations()}/${body.id}`, { token, body: { role_ids: [viewer] } });
    expect((await put(plain)).status).toBe(403);
    expect((await put(keeper)).status).toBe(403);
    expect((await put(full)).status).toBe(200);
    expect((await world.invite(guest("q", [viewer]), full)).status).toBe(201);
    const reader = await world.holding([["member", "read"]]);
    expect((await api.call("GET", world.invitations(), { token: plain })).status).toBe(403);
    expect((await api.call("GET", world.invitations(), { token: reader })).status).toBe(200);
    expect((await api.call("GET", `${world.invitations()}/${body.id}`, { token: plain })).status).toBe(403);
    expect((await api.call("DELETE", `${world.invitations()}/${body.id}`, { token: reader })).status).toBe(403);
    const other = await api.makeOrg();
    const foreign = await world.holding([["*", "*"]], other);
    for (const method of ["GET", "DELETE"]) {
      expect((await api.call(method, `${world.invitations(other)}/${body.id}`, { token: foreign })).status).toBe(404);
    }
  });

  test("a sign-in consumes those for its login: membership and the roles that still exist", async ({
    api,
    orgWith,
    world,
  }) => {
    const of = await orgWith(9);
    const token = await world.holding([["*", "*"]], of);
    const viewer = await world.systemRole("viewer");
    const role = async () => (await api.makeAccount(of, [["org", "update"]])).roleId;
    const [kept, gone] = [await role(), await role()];
    const body = { provider_key: "codehost", login: "Grace", role_ids: [viewer, kept, gone] };
    expect((await world.invite(body, token, of)).status).toBe(201);
    await api.database.sql`delete from roles where id = ${gone}`;
    const { user } = await api.makeUser();
    for (const miss of [{ logins: ["other"] }, { logins: ["grace"], providerKey: "workspace" }, { logins: [] }]) {
      expect(await world.accept({ userId: user, ...miss })).toEqual({ admitted: [], withheld: [] });
    }
    expect(await world.accept({ userId: user, logins: ["GRACE", "g@x.example"] })).toEqual({
      admitted: [of],
      withheld: [],
    });
    const { body: list } = await api.call("GET", world.members(of), { token });
    expect(list.items[0]).toMatchObject({ user_id: user, source: "invitation", expires_at: null });
    expect(list.items[0].roles.map(({ id }: { id: string }) => id).sort()).toEqual([viewer, kept].sort());
    const second = await api.makeUser();
    expect(await world.accept({ userId: second.user, logins: ["grace"] })).toEqual({ admitted: [], withheld: [] });
  });

  test("one that has expired counts for nothing and is replaced; one without a seat waits", async ({
    api,
    orgWith,
    world,
  }) => {
    const of = await orgWith(1);
    const token = await world.holding([["*", "*"]], of);
    const body = { provider_key: "codehost", login: "linus" };
    const { body: first } = await world.invite(body, token, of);
    await api.database.sql`update invitations set expires_at = svc_now() where id = ${first.id}`;
    const { user } = await api.makeUser();
    expect(await world.accept({ userId: user, logins: ["linus"] })).toEqual({ admitted: [], withheld: [] });
    expect((await api.call("GET", `${world.invitations(of)}/${first.id}`, { token })).status).toBe(404);
    expect((await world.invite(body, token, of)).status).toBe(201);
    const seated = await api.makeUser({ orgs: [of] });
    expect(await world.accept({ userId: user, logins: ["linus"] })).toEqual({ admitted: [], withheld: [of] });
    await api.call("DELETE", world.path(seated.user, of), { token });
    expect(await world.accept({ userId: user, logins: ["linus"] })).toEqual({ admitted: [of], withheld: [] });
  });

  test("an oidc login counts only where the organization itself has an enabled source of its issuer", async ({
    api,
    orgWith,
    world,
  }) => {
    const of = await orgWith(9);
    const token = await world.holding([["*", "*"]], of);
    await world.invite({ provider_key: "oidc", login: "root@acme.example" }, token, of);
    const { user } = await api.makeUser();
    const arrive = (issuer: string) =>
      world.accept({ userId: user, providerKey: "oidc", issuer, logins: ["root@acme.example"] });
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
