/**
 * What groups of an identity source confer (docs/access.md#bindings), and access rules as stored
 * (docs/rules/sign-in.md#access-rules).
 */
import { sql as drizzleSql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Subject } from "../../src/http/principal.ts";
import { authorize } from "../../src/people/authorization/authorize.ts";
import { permitted } from "../../src/people/authorization/grants.ts";
import { listScope } from "../../src/people/authorization/listScope.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
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
const fields = (answer: Answer) => answer.body.errors?.map((error: { field: string }) => error.field);
const holding = async (grants: Grant[], of = org) => (await api.makeAccount(of, grants)).token;
const roleOf = async (grants: Grant[], of = org) => (await api.makeAccount(of, grants)).roleId;

/** The question a sign-in answered; the empty strings are those of a platform-wide provider. */
type Asked = { provider_key: string; issuer: string; client_id: string; groups_claim: string };
const CODEHOST: Asked = { provider_key: "codehost", issuer: "", client_id: "", groups_claim: "" };
const OIDC: Asked = { provider_key: "oidc", issuer: "https://idp.example", client_id: "app", groups_claim: "groups" };
let made = 0;

async function source(asked: Asked, of = org): Promise<string> {
  const [row] = await api.database.sql`
    insert into identity_sources (org_id, provider_key, source_slug, display_name, oidc_issuer, oidc_client_id, oidc_groups_claim)
    values (${of}, ${asked.provider_key}, ${`s${++made}`}, 'S', ${asked.issuer}, ${asked.client_id}, ${asked.groups_claim})
    returning id`;
  return row?.id;
}
async function bind(sourceId: string, group: string, roleIds: string[]): Promise<void> {
  const { sql } = api.database;
  const [row] =
    await sql`insert into group_role_bindings (identity_source_id, group_key) values (${sourceId}, ${group}) returning id`;
  for (const roleId of roleIds) await sql`insert into group_role_binding_roles values (${row?.id}, ${roleId})`;
}
async function entitle(user: string, asked: Asked, group: string, ends = "1 hour"): Promise<void> {
  await api.database.sql`
    insert into external_entitlements (user_id, provider_key, issuer, client_id, groups_claim, group_key, expires_at)
    values (${user}, ${asked.provider_key}, ${asked.issuer}, ${asked.client_id}, ${asked.groups_claim}, ${group}, svc_now() + ${ends}::interval)`;
}
async function member(of = org): Promise<string> {
  const { user } = await api.makeUser();
  await api.database.sql`insert into memberships (org_id, user_id) values (${of}, ${user})`;
  return user;
}
const may = async (user: string, more: { resourceId?: string; resourceGroups?: string[] } = {}, orgId = org) => {
  const subject: Subject = { kind: "user", id: user };
  const on = { resourceId: "network", ...more };
  return (await authorize(api.database.db, subject, { orgId, type: "stack", action: "read", ...on })).granted;
};

describe("effective roles", () => {
  test("direct roles, entitlements, or both: each check and each list answers by the union", async () => {
    const id = await source(OIDC);
    await bind(id, "union", [
      await roleOf([
        ["stack", "read", { pattern: "net%" }],
        ["stack", "read", { group: "prod" }],
      ]),
    ]);
    const direct = async (user: string) =>
      api.database.sql`insert into role_assignments (org_id, role_id, user_id)
        values (${org}, ${await roleOf([["stack", "read", { pattern: "db%" }]])}, ${user})`;
    const [onlyDirect, onlyGroup, both, neither] = [await member(), await member(), await member(), await member()];
    await direct(onlyDirect);
    await direct(both);
    await entitle(onlyGroup, OIDC, "union");
    await entitle(both, OIDC, "union");
    for (const [user, patterns, groups] of [
      [onlyDirect, ["db%"], []],
      [onlyGroup, ["net%"], ["prod"]],
      [both, ["db%", "net%"], ["prod"]],
      [neither, [], []],
    ] as const) {
      expect(await may(user)).toBe(patterns.includes("net%" as never));
      expect(await may(user, { resourceId: "db1" })).toBe(patterns.includes("db%" as never));
      expect(await may(user, { resourceId: "x", resourceGroups: ["prod"] })).toBe(groups.length > 0);
      const scope = await listScope(api.database.db, { kind: "user", id: user }, org, "stack");
      expect(scope).toMatchObject({ Member: true, HasUnscoped: false, Patterns: patterns, Groups: groups });
    }
  });

  test("all four of provider, issuer, client and claim must be the source's; the scope is no part of it", async () => {
    const id = await source({ ...OIDC, client_id: "four" });
    await api.database.sql`update identity_sources set groups_scope = 'roles' where id = ${id}`;
    await bind(id, "g", [await roleOf([["stack", "read"]])]);
    const asked = { ...OIDC, client_id: "four" };
    for (const other of [
      { ...asked, provider_key: "workspace" },
      { ...asked, issuer: "https://evil.example" },
      { ...asked, client_id: "five" },
      { ...asked, groups_claim: "roles" },
      { ...asked, issuer: "" },
      CODEHOST,
    ]) {
      const user = await member();
      await entitle(user, other, "g");
      expect([other, await may(user)]).toEqual([other, false]);
    }
    const user = await member();
    await entitle(user, asked, "other");
    expect(await may(user)).toBe(false);
    await entitle(user, asked, "g");
    expect(await may(user)).toBe(true);
  });

  test("a platform-wide provider's entitlement activates the bindings of each organization that has a source of it", async () => {
    const [one, other, without] = [await api.makeOrg(), await api.makeOrg(), await api.makeOrg()];
    const { user } = await api.makeUser();
    for (const of of [one, other, without]) {
      await api.database.sql`insert into memberships (org_id, user_id) values (${of}, ${user})`;
    }
    await bind(await source(CODEHOST, one), "acme/ops", [await roleOf([["stack", "read"]], one)]);
    await bind(await source(CODEHOST, other), "acme/ops", [await roleOf([["stack", "deploy"]], other)]);
    await entitle(user, CODEHOST, "acme/ops");
    expect([await may(user, {}, one), await may(user, {}, other), await may(user, {}, without)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test("expired entitlements, disabled and deleted sources end grants at once", async () => {
    const asked = { ...OIDC, client_id: "ending" };
    const id = await source(asked);
    await bind(id, "g", [await roleOf([["stack", "read"]])]);
    const { sql } = api.database;
    const [late, user] = [await member(), await member()];
    await entitle(late, asked, "g", "0 seconds");
    await entitle(user, asked, "g");
    expect([await may(late), await may(user)]).toEqual([false, true]);
    await sql`update identity_sources set enabled = false where id = ${id}`;
    expect(await may(user)).toBe(false);
    await sql`update identity_sources set enabled = true where id = ${id}`;
    expect(await may(user)).toBe(true);
    await sql`delete from identity_sources where id = ${id}`;
    expect(await may(user)).toBe(false);
    // The same settings again find what the last sign-in learned.
    await bind(await source(asked), "g", [await roleOf([["stack", "read"]])]);
    expect(await may(user)).toBe(true);
  });

  test("membership comes first, and a binding confers no other organization's custom role", async () => {
    const asked = { ...OIDC, client_id: "gate" };
    const id = await source(asked);
    await bind(id, "g", [await roleOf([["stack", "read"]])]);
    const { user } = await api.makeUser();
    await entitle(user, asked, "g");
    expect(await may(user)).toBe(false);
    await api.database.sql`insert into memberships (org_id, user_id) values (${org}, ${user})`;
    expect(await may(user)).toBe(true);
    const foreign = await member();
    await bind(id, "foreign", [await roleOf([["stack", "read"]], await api.makeOrg())]);
    await entitle(foreign, asked, "foreign");
    expect(await may(foreign)).toBe(false);
  });

  test("of an over-long binding the first five by role id count, in whatever order the rows were stored", async () => {
    const asked = { ...OIDC, client_id: "trim" };
    const id = await source(asked);
    const roles = [];
    for (let i = 0; i < 7; i++) roles.push(await roleOf([["stack", "read", { pattern: `trim${i}` }]]));
    await bind(id, "g", [...roles].reverse());
    const user = await member();
    await entitle(user, asked, "g");
    const { Patterns } = await listScope(api.database.db, { kind: "user", id: user }, org, "stack");
    const counted = [...roles].sort().slice(0, 5);
    expect(Patterns).toEqual(roles.flatMap((role, i) => (counted.includes(role) ? [`trim${i}`] : [])).sort());
  });

  test("one statement for a check and for a scope, with bindings too", async () => {
    const user = await member();
    const subject: Subject = { kind: "user", id: user };
    for (const work of [() => may(user), () => listScope(api.database.db, subject, org, "stack")]) {
      expect((await countStatements<unknown>(work)).statements).toHaveLength(1);
    }
  });

  test("checks and scopes stay on indexes among 100,000 people with entitlements", async () => {
    const { sql: bare, db } = api.database;
    const asked = { ...OIDC, client_id: "many" };
    const id = await source(asked);
    const role = await roleOf([["stack", "read"]]);
    await bare.begin(async (tx) => {
      // The rows are right by construction; checking each reference costs most of the time.
      await tx`set local session_replication_role = replica`;
      await tx`insert into group_role_bindings (identity_source_id, group_key) select ${id}, 'g' || i from generate_series(1, 2000) i`;
      await tx`insert into group_role_binding_roles select id, ${role} from group_role_bindings
      where identity_source_id = ${id}`;
      await tx`insert into users (id, provider_key, issuer, subject, login)
      select 'many:' || i, 'codehost', '', 'many:' || i, 'many' || i from generate_series(1, 100000) i`;
      await tx`insert into memberships (org_id, user_id) select ${org}, id from users where id like 'many:%'`;
      await tx`insert into external_entitlements (user_id, provider_key, issuer, client_id, groups_claim, group_key, expires_at)
      select u.id, 'oidc', ${asked.issuer}, ${asked.client_id}, ${asked.groups_claim}, 'g' || (1 + (substr(u.id, 6)::int + k) % 2000), svc_now() + interval '1 day'
      from users u, generate_series(0, 1) k where u.id like 'many:%'`;
      await tx`insert into role_assignments (org_id, role_id, user_id)
      select ${org}, ${role}, id from users where id like 'many:%'`;
      await tx`insert into identity_sources (org_id, provider_key, source_slug, display_name, oidc_issuer, oidc_client_id, oidc_groups_claim)
      select ${org}, 'oidc', 'more-' || i, 'S', 'https://idp' || i, 'c', 'groups' from generate_series(1, 3000) i`;
    });
    await bare`analyze users, memberships, role_assignments, external_entitlements, identity_sources, group_role_bindings, group_role_binding_roles`;
    const subject: Subject = { kind: "user", id: "many:777" };
    expect(await may("many:777")).toBe(true);
    const check = permitted(subject, org, { type: "stack", action: "read", name: drizzleSql`'network'` });
    const seen: string[] = [];
    const watched = {
      execute: async (query: never) => {
        const rows = await db.execute<{ "QUERY PLAN": string }>(drizzleSql`explain ${query}`);
        seen.push(rows.map((row) => row["QUERY PLAN"]).join("\n"));
        return [];
      },
    };
    await watched.execute(drizzleSql`select 1 where ${check}` as never);
    await listScope(watched as never, subject, org, "stack");
    await authorize(watched as never, subject, { orgId: org, type: "stack", action: "read", resourceId: "network" });
    expect(seen).toHaveLength(3);
    const big =
      /Seq Scan on (users|memberships|role_assignments|external_entitlements|group_role_bindings|identity_sources|group_role_binding_roles)/;
    for (const plan of seen) {
      expect(plan).not.toMatch(big);
      expect(plan).toMatch(/Index.* Scan using external_entitlements_pkey/);
    }
  }, 120_000);
});

describe("bindings over HTTP", () => {
  const bindings = (id: string, of = org) => `/api/v1/orgs/${of}/identity-sources/${id}/bindings`;
  const post = (id: string, body: object, token = admin) => api.call("POST", bindings(id), { token, body });

  test("created, listed, read, replaced, deleted", async () => {
    const id = await source({ ...OIDC, client_id: "http" });
    const [a, b] = [await roleOf([["org", "read"]]), await roleOf([["org", "update"]])];
    const { status, body } = await post(id, { group_key: "Ops Team/ä", role_ids: [a, b, a] });
    expect(status).toBe(201);
    expect(body.group_key).toBe("Ops Team/ä");
    expect(body.roles.map((role: { id: string }) => role.id)).toEqual([a, b].sort());
    expect((await post(id, { group_key: "Ops Team/ä", role_ids: [a] })).body.code).toBe("conflict");
    const one = `${bindings(id)}/${body.id}`;
    expect((await api.call("GET", one, { token: admin })).body).toEqual(body);
    await post(id, { group_key: "dev", role_ids: [b] });
    const { body: list } = await api.call("GET", `${bindings(id)}?limit=1`, { token: admin });
    const { body: next } = await api.call("GET", `${bindings(id)}?limit=1&cursor=${list.next_cursor}`, {
      token: admin,
    });
    expect([...list.items, ...next.items].map((each: { group_key: string }) => each.group_key).sort()).toEqual([
      "Ops Team/ä",
      "dev",
    ]);
    const put = (group_key: string) => api.call("PUT", one, { token: admin, body: { group_key, role_ids: [b] } });
    expect((await put("dev")).status).toBe(409);
    expect((await put("sre")).body).toMatchObject({ id: body.id, group_key: "sre", roles: [{ id: b }] });
    expect((await api.call("DELETE", one, { token: admin })).status).toBe(204);
    for (const method of ["GET", "DELETE", "PUT"]) {
      const sent = method === "PUT" ? { body: { group_key: "x", role_ids: [a] } } : {};
      expect((await api.call(method, one, { token: admin, ...sent })).status).toBe(404);
    }
  });

  test("one to five roles, of this organization", async () => {
    const id = await source({ ...OIDC, client_id: "five" });
    const roles = [];
    for (let i = 0; i < 6; i++) roles.push(await roleOf([["org", "read"]]));
    const foreign = await roleOf([["org", "read"]], await api.makeOrg());
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
      const answer = await post(id, body);
      expect([body, answer.status, fields(answer)]).toEqual([body, 422, [field]]);
    }
    const { status, body } = await post(id, { group_key: "g", role_ids: roles.slice(1) });
    expect(status).toBe(201);
    const put = await api.call("PUT", `${bindings(id)}/${body.id}`, {
      token: admin,
      body: { group_key: "g", role_ids: roles },
    });
    expect(put.status).toBe(422);
  });

  test("binding needs (identity_source, manage) and every permission of the roles, on each write", async () => {
    const id = await source({ ...OIDC, client_id: "cover" });
    const [reader, admins] = [await roleOf([["org", "read"]]), await roleOf([["*", "*"]])];
    const manager = await holding([
      ["identity_source", "manage"],
      ["org", "read"],
    ]);
    const powerless = await holding([
      ["identity_source", "read"],
      ["role", "*"],
      ["org", "read"],
    ]);
    expect((await post(id, { group_key: "a", role_ids: [admins] }, manager)).body.detail).toMatch(/do not hold/);
    expect((await post(id, { group_key: "a", role_ids: [reader, admins] }, manager)).status).toBe(403);
    const { status, body } = await post(id, { group_key: "a", role_ids: [reader] }, manager);
    expect(status).toBe(201);
    const one = `${bindings(id)}/${body.id}`;
    const put = (token: string, role: string, group_key = "a") =>
      api.call("PUT", one, { token, body: { group_key, role_ids: [role] } });
    expect((await put(manager, admins)).status).toBe(403);
    expect((await put(admin, admins)).status).toBe(200);
    // Pointing what others bound at another group confers it anew.
    expect((await put(manager, admins, "mine")).status).toBe(403);
    expect((await put(manager, reader)).status).toBe(200);
    const stranger = await holding([["*", "*"]], await api.makeOrg());
    for (const token of [powerless, stranger]) {
      expect((await post(id, { group_key: "b", role_ids: [reader] }, token)).status).toBe(403);
      expect((await put(token, reader)).status).toBe(403);
      for (const [method, path] of [
        ["GET", one],
        ["DELETE", one],
        ["GET", bindings(id)],
      ] as const) {
        expect([method, path, (await api.call(method, path, { token })).status]).toEqual([method, path, 403]);
      }
    }
    expect((await api.call("DELETE", one, { token: manager })).status).toBe(204);
  });

  test("another organization's source, and a binding of another source, are not found", async () => {
    const other = await api.makeOrg();
    const token = await holding([["*", "*"]], other);
    const [mine, foreign] = [
      await source({ ...OIDC, client_id: "own" }, other),
      await source({ ...OIDC, client_id: "x" }),
    ];
    const role = await roleOf([["org", "read"]]);
    const { body } = await post(foreign, { group_key: "g", role_ids: [role] });
    const ownRole = await roleOf([["org", "read"]], other);
    for (const id of [foreign, GONE, "nonsense"]) {
      expect((await api.call("GET", bindings(id, other), { token })).status).toBe(404);
      const sent = { token, body: { group_key: "g", role_ids: [ownRole] } };
      expect((await api.call("POST", bindings(id, other), sent)).status).toBe(404);
    }
    for (const where of [bindings(mine, other), bindings(foreign, other)]) {
      expect((await api.call("GET", `${where}/${body.id}`, { token })).status).toBe(404);
      expect((await api.call("DELETE", `${where}/${body.id}`, { token })).status).toBe(404);
    }
  });

  test("the binding by which the last Admin is one stays", async () => {
    const of = await api.makeOrg();
    const id = await source(OIDC, of);
    const user = await member(of);
    const [adminRole] = await api.database.sql`select id from roles where org_id is null and name = 'admin'`;
    await bind(id, "admins", [adminRole?.id]);
    await entitle(user, OIDC, "admins");
    const { body } = await api.call("GET", bindings(id, of), { user });
    const one = `${bindings(id, of)}/${body.items[0].id}`;
    expect((await api.call("DELETE", one, { user })).body).toMatchObject({ status: 409, code: "conflict" });
    expect(
      (await api.call("PUT", one, { user, body: { group_key: "others", role_ids: [adminRole?.id] } })).status,
    ).toBe(409);
    expect((await api.call("DELETE", `/api/v1/orgs/${of}/identity-sources/${id}`, { user })).status).toBe(409);
    await api.makeAccount(of, [["*", "*"]]);
    expect((await api.call("DELETE", one, { user })).status).toBe(204);
  });

  test("what proves a group is changed only by who holds what the source confers", async () => {
    const asked = { ...CODEHOST, provider_key: "workspace" };
    const id = await source(asked);
    const manager = await holding([["identity_source", "*"]]);
    await bind(id, "acme.example", [await roleOf([["stack", "deploy"]])]);
    const put = (enabled: boolean, token: string) =>
      api.call("PUT", `/api/v1/orgs/${org}/identity-sources/${id}`, { token, body: { display_name: "W", enabled } });
    expect((await put(true, manager)).status).toBe(200);
    expect((await put(false, manager)).status).toBe(200);
    expect((await put(true, manager)).body.detail).toMatch(/do not hold/);
    expect((await put(true, admin)).status).toBe(200);
  });
});

describe("access rules over HTTP", () => {
  const rules = (id: string, of = org) => `/api/v1/orgs/${of}/identity-sources/${id}/access-rules`;
  const post = (id: string, body: object, token = admin) => api.call("POST", rules(id), { token, body });

  test("all four types, each at a source of its provider", async () => {
    const of = await api.makeOrg();
    const token = await holding([["*", "*"]], of);
    const sources = {
      codehost: await source(CODEHOST, of),
      workspace: await source({ ...CODEHOST, provider_key: "workspace" }, of),
      oidc: await source(OIDC, of),
    };
    const every = [
      ["codehost", { rule_type: "codehost_org", org: "acme" }],
      ["codehost", { rule_type: "codehost_team", org: "acme", team: "ops" }],
      ["workspace", { rule_type: "workspace_hd", domains: ["acme.example", "b.example"] }],
      ["oidc", { rule_type: "oidc_group", group: "Infra: core" }],
    ] as const;
    for (const [provider, rule] of every) {
      for (const [key, id] of Object.entries(sources)) {
        const answer = await api.call("POST", rules(id, of), { token, body: rule });
        if (key !== provider) {
          expect([key, rule.rule_type, answer.status, fields(answer)]).toEqual([
            key,
            rule.rule_type,
            422,
            ["rule_type"],
          ]);
          continue;
        }
        expect(answer.status).toBe(201);
        expect(answer.body).toMatchObject(rule);
        expect((await api.call("POST", rules(id, of), { token, body: rule })).body.code).toBe("conflict");
        const { body: list } = await api.call("GET", rules(id, of), { token });
        expect(list.items).toContainEqual(answer.body);
        expect((await api.call("DELETE", `${rules(id, of)}/${answer.body.id}`, { token })).status).toBe(204);
        expect((await api.call("DELETE", `${rules(id, of)}/${answer.body.id}`, { token })).status).toBe(404);
      }
    }
  });

  test("one spelling of a list of domains; what is no rule is refused", async () => {
    const id = await source({ ...CODEHOST, provider_key: "workspace" }, await api.makeOrg());
    const [row] = await api.database.sql`select org_id from identity_sources where id = ${id}`;
    const token = await holding([["*", "*"]], row?.org_id);
    const add = (body: object) => api.call("POST", rules(id, row?.org_id), { token, body });
    const { body } = await add({ rule_type: "workspace_hd", domains: ["B.example", "a.example", "b.example"] });
    expect(body.domains).toEqual(["a.example", "b.example"]);
    expect((await add({ rule_type: "workspace_hd", domains: ["b.example", "a.example"] })).status).toBe(409);
    const refused: [object, string][] = [
      [{}, "rule_type"],
      [{ rule_type: "other" }, "rule_type"],
      [{ rule_type: "workspace_hd" }, "domains"],
      [{ rule_type: "workspace_hd", domains: [] }, "domains"],
      [{ rule_type: "workspace_hd", domains: ["not a domain"] }, "domains.0"],
      [{ rule_type: "workspace_hd", domains: "acme.example" }, "domains"],
      [{ rule_type: "workspace_hd", domains: ["a.example"], org: "x" }, "org"],
      [{ rule_type: "codehost_team", org: "x" }, "team"],
      [{ rule_type: "oidc_group", group: "" }, "group"],
    ];
    for (const [rule, field] of refused) {
      const answer = await add(rule);
      expect([rule, answer.status, fields(answer)]).toEqual([rule, 422, [field]]);
    }
  });

  test("need (identity_source, manage); another organization's source is not found", async () => {
    const id = await source({ ...OIDC, client_id: "rules" });
    const rule = { rule_type: "oidc_group", group: "g" };
    const powerless = await holding([
      ["identity_source", "read"],
      ["member", "*"],
    ]);
    expect((await post(id, rule, powerless)).status).toBe(403);
    expect((await api.call("GET", rules(id), { token: powerless })).status).toBe(403);
    expect((await api.call("DELETE", `${rules(id)}/${GONE}`, { token: powerless })).status).toBe(403);
    const { body } = await post(id, rule, await holding([["identity_source", "manage"]]));
    const other = await api.makeOrg();
    const token = await holding([["*", "*"]], other);
    const own = await source({ ...OIDC, client_id: "rules" }, other);
    for (const where of [rules(id, other), rules("nonsense", other), rules(GONE, other)]) {
      expect((await api.call("GET", where, { token })).status).toBe(404);
      expect((await api.call("POST", where, { token, body: rule })).status).toBe(404);
      expect((await api.call("DELETE", `${where}/${body.id}`, { token })).status).toBe(404);
    }
    expect((await api.call("DELETE", `${rules(own, other)}/${body.id}`, { token })).status).toBe(404);
    expect((await api.call("DELETE", `${rules(id)}/x`, { token: admin })).status).toBe(404);
  });
});
