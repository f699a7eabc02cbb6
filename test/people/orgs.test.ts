/** Organizations and service accounts over HTTP (docs/rules/organizations.md). */
import { createHash } from "node:crypto";
import { describe, expect } from "vitest";
import type { Answer, Grant } from "../support/peopleApi.ts";
import { peopleTest } from "../support/test.ts";

const fields = (answer: Answer) => answer.body.errors?.map((error: { field: string }) => error.field);
const GONE = "01a1f77a-0000-7000-8000-00000000dead";

const test = peopleTest().extend("world", { scope: "file" }, async ({ api }) => {
  const org = await api.makeOrg("acme");
  const admin = (await api.makeAccount(org, [["*", "*"]])).token;
  const one = (id = org) => `/api/v1/orgs/${id}`;
  const patch = (body: unknown, who: { token?: string; user?: string } = { token: admin }, id = org) =>
    api.call("PATCH", one(id), { ...who, body });
  const holding = async (grants: Grant[]) => (await api.makeAccount(org, grants)).token;
  const accounts = (of = org) => `${one(of)}/service-accounts`;
  const create = (body: unknown, token = admin) => api.call("POST", accounts(), { token, body });
  const roleId = async (name: string) => {
    const [role] = await api.database.sql`select id from roles where org_id is null and name = ${name}`;
    return role?.id as string;
  };

  return { one, patch, holding, accounts, create, roleId, org, admin };
});

describe("organizations", () => {
  test("a person creates one and is its Admin; a service account may not", async ({ api, world }) => {
    const person = await api.makeUser();
    const answer = await api.call("POST", "/api/v1/orgs", { ...person, body: { name: "New Org" } });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      name: "New Org",
      is_personal: false,
      max_users: 1,
      runs_per_hour_limit: 2,
      default_runner_group_id: null,
      dispatch_throttled_until: null,
    });
    expect((await api.call("GET", world.one(answer.body.id), person)).body).toEqual(answer.body);
    expect((await api.call("POST", `${world.one(answer.body.id)}/stacks`, { ...person, body: {} })).status).toBe(422);
    const group = await api.call("POST", `${world.one(answer.body.id)}/runner-groups`, {
      ...person,
      body: { name: "g" },
    });
    expect(group.status).toBe(201);
    const refused = await api.call("POST", "/api/v1/orgs", { token: world.admin, body: { name: "x" } });
    expect(refused.body).toMatchObject({ status: 403, code: "forbidden" });
    expect(fields(await api.call("POST", "/api/v1/orgs", { ...person, body: { name: "x", max_users: 9 } }))).toEqual([
      "max_users",
    ]);
  });

  test("read and change need (org, read) and (org, update): 403, also for strangers and what is not there", async ({
    api,
    world,
  }) => {
    const reader = await world.holding([["org", "read"]]);
    expect((await api.call("GET", world.one(), { token: reader })).body.name).toBe("acme");
    expect((await world.patch({ name: "x" }, { token: reader })).body).toMatchObject({
      status: 403,
      code: "forbidden",
    });
    const { token: stranger } = await api.makeAccount(await api.makeOrg(), [["*", "*"]]);
    const texts = [];
    for (const id of [world.org, GONE, "nonsense"]) {
      const answer = await api.call("GET", world.one(id), { token: stranger });
      expect(answer.status).toBe(403);
      texts.push(answer.text);
    }
    expect(new Set(texts).size).toBe(1);
    const root = await api.makeUser({ superAdmin: true });
    expect((await api.call("GET", world.one(), root)).status).toBe(200);
    expect((await api.call("GET", world.one(GONE), root)).status).toBe(404);
  });

  test("the seat cap and the run budget are for super-admins; a new rate clears the throttle", async ({
    api,
    world,
  }) => {
    for (const body of [{ max_users: 5 }, { runs_per_hour_limit: 9 }, { name: "y", max_users: 5 }]) {
      expect((await world.patch(body)).status).toBe(403);
    }
    expect((await api.call("GET", world.one(), { token: world.admin })).body).toMatchObject({
      name: "acme",
      max_users: 1,
    });
    const root = await api.makeUser({ superAdmin: true });
    await api.database
      .sql`update dispatch_orgs set throttled_until = svc_now() + interval '1 hour' where org_id = ${world.org}`;
    const throttled = (await api.call("GET", world.one(), root)).body.dispatch_throttled_until;
    expect(throttled).toMatch(/Z$/);
    expect((await world.patch({ max_users: 5 }, root)).body).toMatchObject({
      max_users: 5,
      dispatch_throttled_until: throttled,
    });
    expect((await world.patch({ runs_per_hour_limit: 9 }, root)).body).toMatchObject({
      runs_per_hour_limit: 9,
      max_users: 5,
      dispatch_throttled_until: null,
    });
    for (const [field, value] of [
      ["max_users", 0],
      ["runs_per_hour_limit", -1],
      ["max_users", 1.5],
    ] as const) {
      expect(fields(await world.patch({ [field]: value }, root))).toEqual([field]);
    }
  });

  test("the default group is one of its own, or none", async ({ api, world }) => {
    const group = (
      await api.call("POST", `${world.one()}/runner-groups`, { token: world.admin, body: { name: "own" } })
    ).body.group;
    expect((await world.patch({ default_runner_group_id: group.id })).body.default_runner_group_id).toBe(group.id);
    const other = await api.makeOrg();
    const { token } = await api.makeAccount(other, [["*", "*"]]);
    expect(fields(await world.patch({ default_runner_group_id: group.id }, { token }, other))).toEqual([
      "default_runner_group_id",
    ]);
    expect(fields(await world.patch({ default_runner_group_id: GONE }))).toEqual(["default_runner_group_id"]);
    expect((await world.patch({ name: "acme" })).body.default_runner_group_id).toBe(group.id);
    expect((await world.patch({ default_runner_group_id: null })).body.default_runner_group_id).toBeNull();
  });
});

describe("service accounts", () => {
  test("created with roles, listed, deleted with its tokens", async ({ api, world }) => {
    const viewer = await world.roleId("viewer");
    const { status, body: account } = await world.create({ name: "ci", role_ids: [viewer, viewer] });
    expect(status).toBe(201);
    expect(account).toMatchObject({ org_id: world.org, name: "ci", disabled_at: null });
    expect(account.roles).toEqual([{ id: viewer, name: "viewer", is_system: true }]);
    expect((await world.create({ name: "ci" })).body).toMatchObject({ status: 409, code: "conflict" });
    const { body: minted } = await api.call("POST", `${world.accounts()}/${account.id}/tokens`, {
      token: world.admin,
      body: { name: "t" },
    });
    expect((await api.call("GET", world.one(), { token: minted.token })).status).toBe(200);
    expect((await api.call("PATCH", world.one(), { token: minted.token, body: {} })).status).toBe(403);

    const names = [];
    for (let cursor = ""; ; ) {
      const page = await api.call("GET", `${world.accounts()}?limit=1&sort=name${cursor}`, { token: world.admin });
      names.push(...page.body.items.map((item: { name: string }) => item.name));
      if (page.body.next_cursor === null) break;
      cursor = `&cursor=${page.body.next_cursor}`;
    }
    expect(names).toContain("ci");
    expect(names).toEqual([...new Set(names)].sort());

    const where = `${world.accounts()}/${account.id}`;
    expect((await api.call("DELETE", where, { token: world.admin })).status).toBe(204);
    expect((await api.call("DELETE", where, { token: world.admin })).status).toBe(404);
    expect((await api.call("GET", "/api/v1/auth/me", { token: minted.token })).status).toBe(401);
  });

  test("each action needs its own permission: 403", async ({ api, world }) => {
    const { body: account } = await world.create({ name: "probe" });
    const token = await world.holding([["stack", "*"]]);
    const where = `${world.accounts()}/${account.id}`;
    for (const [method, path, body] of [
      ["GET", world.accounts(), undefined],
      ["POST", world.accounts(), { name: "x" }],
      ["DELETE", where, undefined],
      ["GET", `${where}/tokens`, undefined],
      ["POST", `${where}/tokens`, { name: "x" }],
      ["DELETE", `${where}/tokens/${GONE}`, undefined],
    ] as const) {
      expect([method, path, (await api.call(method, path, { token, body })).status]).toEqual([method, path, 403]);
    }
  });

  test("nobody hands on more than they hold", async ({ api, world }) => {
    const [admins, viewer] = [await world.roleId("admin"), await world.roleId("viewer")];
    const keeper = await world.holding([["service_account", "*"]]);
    expect((await world.create({ name: "a", role_ids: [viewer] }, keeper)).status).toBe(403);
    const assigner = await world.holding([
      ["service_account", "*"],
      ["role", "assign"],
      ["*", "read"],
    ]);
    expect((await world.create({ name: "b", role_ids: [viewer] }, assigner)).status).toBe(201);
    expect((await world.create({ name: "c", role_ids: [admins] }, assigner)).body.detail).toMatch(/do not hold/);
    expect((await world.create({ name: "c", role_ids: [viewer, admins] }, assigner)).status).toBe(403);
    // A pattern is covered by the same pattern or none, never by a group or another pattern.
    const targeted = await api.makeAccount(world.org, [["stack", "read", { pattern: "net-%" }]]);
    const assign: Grant[] = [
      ["service_account", "*"],
      ["role", "assign"],
    ];
    const may = async (grant: Grant, roleId: string) =>
      (await world.create({ name: `n${Math.random()}`, role_ids: [roleId] }, await world.holding([...assign, grant])))
        .status;
    expect(await may(["stack", "read", { pattern: "net-%" }], targeted.roleId)).toBe(201);
    expect(await may(["stack", "*"], targeted.roleId)).toBe(201);
    expect(await may(["stack", "read", { pattern: "%" }], targeted.roleId)).toBe(403);
    expect(await may(["stack", "read", { group: "net-%" }], targeted.roleId)).toBe(403);
  });

  test("a token acts with all the account may do, so minting one needs all of it", async ({ api, world }) => {
    const { id } = await api.makeAccount(world.org, [["stack", "deploy"]]);
    const mint = (token: string) =>
      api.call("POST", `${world.accounts()}/${id}/tokens`, { token, body: { name: "x" } });
    expect((await mint(await world.holding([["service_account", "*"]]))).status).toBe(403);
    expect(
      (
        await mint(
          await world.holding([
            ["service_account", "*"],
            ["stack", "deploy"],
          ]),
        )
      ).status,
    ).toBe(201);
  });

  test("a role of another organization cannot be given", async ({ api, world }) => {
    const { roleId: foreign } = await api.makeAccount(await api.makeOrg(), [["stack", "read"]]);
    expect(fields(await world.create({ name: "f", role_ids: [foreign] }))).toEqual(["role_ids"]);
    expect(fields(await world.create({ name: "f", role_ids: [GONE] }))).toEqual(["role_ids"]);
    expect(fields(await world.create({ name: "f", role_ids: ["x"] }))).toEqual(["role_ids.0"]);
  });
});

describe("tokens", () => {
  test("the value is in one answer, its SHA-256 in the database", async ({ api, world }) => {
    const { id } = await api.makeAccount(world.org, []);
    const where = `${world.one()}/service-accounts/${id}/tokens`;
    const created = await api.call("POST", where, { token: world.admin, body: { name: "deploys", lifetime: "PT1H" } });
    expect(created.status).toBe(201);
    const { token, ...shown } = created.body;
    expect(token).toMatch(/^svc_sa_[0-9A-Za-z]{33}$/);
    expect(shown).toMatchObject({ service_account_id: id, name: "deploys", created_by: null });
    const listed = await api.call("GET", where, { token: world.admin });
    expect(listed.body.items).toContainEqual(shown);
    const [row] = await api.database
      .sql`select *, to_jsonb(t)::text as row from service_account_tokens t where id = ${shown.id}`;
    expect(row?.token_sha256.toString("hex")).toBe(createHash("sha256").update(token).digest("hex"));
    for (const text of [listed.text, row?.row, JSON.stringify(api.logged)]) expect(text).not.toContain(token);
    expect((await api.call("DELETE", `${where}/${shown.id}`, { token: world.admin })).status).toBe(204);
    expect((await api.call("GET", "/api/v1/auth/me", { token })).status).toBe(401);
  });

  test("90 days when nothing is said, a year at most, and it ends on the database's clock", async ({ api, world }) => {
    const { id } = await api.makeAccount(world.org, []);
    const where = `${world.one()}/service-accounts/${id}/tokens`;
    const create = (body: object) => api.call("POST", where, { token: world.admin, body });
    const days = ({ body }: Answer) =>
      Math.round((Date.parse(body.expires_at) - Date.parse(body.created_at)) / 86_400_000);
    expect(days(await create({ name: "a" }))).toBe(90);
    expect(days(await create({ name: "a", lifetime: "P365D" }))).toBe(365);
    for (const lifetime of ["P366D", "PT0S", "90", ""]) {
      expect(fields(await create({ name: "a", lifetime }))).toEqual(["lifetime"]);
    }
    const person = await api.makeUser({ superAdmin: true });
    const minted = await api.call("POST", where, { ...person, body: { name: "p" } });
    expect(minted.body.created_by).toBe(person.user);
  });

  test("an account of another organization is not found", async ({ api, world }) => {
    const { id } = await api.makeAccount(await api.makeOrg(), []);
    const where = `${world.one()}/service-accounts/${id}`;
    expect((await api.call("GET", `${where}/tokens`, { token: world.admin })).status).toBe(404);
    expect((await api.call("POST", `${where}/tokens`, { token: world.admin, body: { name: "x" } })).status).toBe(404);
    expect((await api.call("DELETE", where, { token: world.admin })).status).toBe(404);
  });
});
