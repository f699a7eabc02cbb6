/** What groups of an identity source confer (docs/access.md#bindings). */
import { sql as drizzleSql } from "drizzle-orm";
import { describe, expect } from "vitest";
import type { Subject } from "../../src/http/principal.ts";
import { authorize } from "../../src/people/authorization/authorize.ts";
import { permitted } from "../../src/people/authorization/grants.ts";
import { listScope } from "../../src/people/authorization/listScope.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { CODEHOST, OIDC, test } from "../support/bindingsTest.ts";

describe("effective roles", () => {
  test("direct roles, entitlements, or both: each check and each list answers by the union", async ({ api, world }) => {
    const id = await world.source(OIDC);
    await world.bind(id, "union", [
      await world.roleOf([
        ["stack", "read", { pattern: "net%" }],
        ["stack", "read", { group: "prod" }],
      ]),
    ]);
    const direct = async (user: string) =>
      api.database.sql`insert into role_assignments (org_id, role_id, user_id)
        values (${world.org}, ${await world.roleOf([["stack", "read", { pattern: "db%" }]])}, ${user})`;
    const [onlyDirect, onlyGroup, both, neither] = [
      await world.member(),
      await world.member(),
      await world.member(),
      await world.member(),
    ];
    await direct(onlyDirect);
    await direct(both);
    await world.entitle(onlyGroup, OIDC, "union");
    await world.entitle(both, OIDC, "union");
    for (const [user, patterns, groups] of [
      [onlyDirect, ["db%"], []],
      [onlyGroup, ["net%"], ["prod"]],
      [both, ["db%", "net%"], ["prod"]],
      [neither, [], []],
    ] as const) {
      expect(await world.may(user)).toBe(patterns.includes("net%" as never));
      expect(await world.may(user, { resourceId: "db1" })).toBe(patterns.includes("db%" as never));
      expect(await world.may(user, { resourceId: "x", resourceGroups: ["prod"] })).toBe(groups.length > 0);
      const scope = await listScope(api.database.db, { kind: "user", id: user }, world.org, "stack");
      expect(scope).toMatchObject({ Member: true, HasUnscoped: false, Patterns: patterns, Groups: groups });
    }
  });

  test("all four of provider, issuer, client and claim must be the source's; the scope is no part of it", async ({
    api,
    world,
  }) => {
    const id = await world.source({ ...OIDC, client_id: "four" });
    await api.database.sql`update identity_sources set groups_scope = 'roles' where id = ${id}`;
    await world.bind(id, "g", [await world.roleOf([["stack", "read"]])]);
    const asked = { ...OIDC, client_id: "four" };
    for (const other of [
      { ...asked, provider_key: "workspace" },
      { ...asked, issuer: "https://evil.example" },
      { ...asked, client_id: "five" },
      { ...asked, groups_claim: "roles" },
      { ...asked, issuer: "" },
      CODEHOST,
    ]) {
      const user = await world.member();
      await world.entitle(user, other, "g");
      expect([other, await world.may(user)]).toEqual([other, false]);
    }
    const user = await world.member();
    await world.entitle(user, asked, "other");
    expect(await world.may(user)).toBe(false);
    await world.entitle(user, asked, "g");
    expect(await world.may(user)).toBe(true);
  });

  test("a platform-wide provider's entitlement activates the bindings of each organization that has a source of it", async ({
    api,
    world,
  }) => {
    const [one, other, without] = [await api.makeOrg(), await api.makeOrg(), await api.makeOrg()];
    const { user } = await api.makeUser();
    for (const org of [one, other, without]) {
      await api.database.sql`insert into memberships (org_id, user_id) values (${org}, ${user})`;
    }
    await world.bind(await world.source(CODEHOST, one), "acme/ops", [await world.roleOf([["stack", "read"]], one)]);
    await world.bind(await world.source(CODEHOST, other), "acme/ops", [
      await world.roleOf([["stack", "deploy"]], other),
    ]);
    await world.entitle(user, CODEHOST, "acme/ops");
    expect([
      await world.may(user, {}, one),
      await world.may(user, {}, other),
      await world.may(user, {}, without),
    ]).toEqual([true, false, false]);
  });

  test("expired entitlements, disabled and deleted sources end grants at once", async ({ api, world }) => {
    const asked = { ...OIDC, client_id: "ending" };
    const id = await world.source(asked);
    await world.bind(id, "g", [await world.roleOf([["stack", "read"]])]);
    const { sql } = api.database;
    const [late, user] = [await world.member(), await world.member()];
    await world.entitle(late, asked, "g", "0 seconds");
    await world.entitle(user, asked, "g");
    expect([await world.may(late), await world.may(user)]).toEqual([false, true]);
    await sql`update identity_sources set enabled = false where id = ${id}`;
    expect(await world.may(user)).toBe(false);
    await sql`update identity_sources set enabled = true where id = ${id}`;
    expect(await world.may(user)).toBe(true);
    await sql`delete from identity_sources where id = ${id}`;
    expect(await world.may(user)).toBe(false);
    // The same settings again find what the last sign-in learned.
    await world.bind(await world.source(asked), "g", [await world.roleOf([["stack", "read"]])]);
    expect(await world.may(user)).toBe(true);
  });

  test("membership comes first, and a binding confers no other organization's custom role", async ({ api, world }) => {
    const asked = { ...OIDC, client_id: "gate" };
    const id = await world.source(asked);
    await world.bind(id, "g", [await world.roleOf([["stack", "read"]])]);
    const { user } = await api.makeUser();
    await world.entitle(user, asked, "g");
    expect(await world.may(user)).toBe(false);
    await api.database.sql`insert into memberships (org_id, user_id) values (${world.org}, ${user})`;
    expect(await world.may(user)).toBe(true);
    const foreign = await world.member();
    await world.bind(id, "foreign", [await world.roleOf([["stack", "read"]], await api.makeOrg())]);
    await world.entitle(foreign, asked, "foreign");
    expect(await world.may(foreign)).toBe(false);
  });

  test("of an over-long binding the first five by role id count, in whatever order the rows were stored", async ({
    api,
    world,
  }) => {
    const asked = { ...OIDC, client_id: "trim" };
    const id = await world.source(asked);
    const roles = [];
    for (let i = 0; i < 7; i++) roles.push(await world.roleOf([["stack", "read", { pattern: `trim${i}` }]]));
    await world.bind(id, "g", [...roles].reverse());
    const user = await world.member();
    await world.entitle(user, asked, "g");
    const { Patterns } = await listScope(api.database.db, { kind: "user", id: user }, world.org, "stack");
    const counted = [...roles].sort().slice(0, 5);
    expect(Patterns).toEqual(roles.flatMap((role, i) => (counted.includes(role) ? [`trim${i}`] : [])).sort());
  });

  test("one statement for a check and for a scope, with bindings too", async ({ api, world }) => {
    const user = await world.member();
    const subject: Subject = { kind: "user", id: user };
    for (const work of [() => world.may(user), () => listScope(api.database.db, subject, world.org, "stack")]) {
      expect((await countStatements<unknown>(work)).statements).toHaveLength(1);
    }
  });

  test("checks and scopes stay on indexes among 100,000 people with entitlements", async ({ api, world }) => {
    const { sql: bare, db } = api.database;
    const asked = { ...OIDC, client_id: "many" };
    const id = await world.source(asked);
    const role = await world.roleOf([["stack", "read"]]);
    await bare.begin(async (tx) => {
      // The rows are right by construction; checking each reference costs most of the time.
      await tx`set local session_replication_role = replica`;
      await tx`insert into group_role_bindings (identity_source_id, group_key) select ${id}, 'g' || i from generate_series(1, 2000) i`;
      await tx`insert into group_role_binding_roles select id, ${role} from group_role_bindings
        where identity_source_id = ${id}`;
      await tx`insert into users (id, provider_key, issuer, subject, login)
        select 'many:' || i, 'codehost', '', 'many:' || i, 'many' || i from generate_series(1, 100000) i`;
      await tx`insert into memberships (org_id, user_id) select ${world.org}, id from users where id like 'many:%'`;
      await tx`insert into external_entitlements (user_id, provider_key, issuer, client_id, groups_claim, group_key, expires_at)
        select u.id, 'oidc', ${asked.issuer}, ${asked.client_id}, ${asked.groups_claim}, 'g' || (1 + (substr(u.id, 6)::int + k) % 2000), svc_now() + interval '1 day'
        from users u, generate_series(0, 1) k where u.id like 'many:%'`;
      await tx`insert into role_assignments (org_id, role_id, user_id)
        select ${world.org}, ${role}, id from users where id like 'many:%'`;
      await tx`insert into identity_sources (org_id, provider_key, source_slug, display_name, oidc_issuer, oidc_client_id, oidc_groups_claim)
        select ${world.org}, 'oidc', 'more-' || i, 'S', 'https://idp' || i, 'c', 'groups' from generate_series(1, 3000) i`;
    });
    await bare`analyze users, memberships, role_assignments, external_entitlements, identity_sources, group_role_bindings, group_role_binding_roles`;
    const subject: Subject = { kind: "user", id: "many:777" };
    expect(await world.may("many:777")).toBe(true);
    const check = permitted(subject, world.org, { type: "stack", action: "read", name: drizzleSql`'network'` });
    const seen: string[] = [];
    const watched = {
      execute: async (query: never) => {
        const rows = await db.execute<{ "QUERY PLAN": string }>(drizzleSql`explain ${query}`);
        seen.push(rows.map((row) => row["QUERY PLAN"]).join("\n"));
        return [];
      },
    };
    await watched.execute(drizzleSql`select 1 where ${check}` as never);
    await listScope(watched as never, subject, world.org, "stack");
    await authorize(watched as never, subject, {
      orgId: world.org,
      type: "stack",
      action: "read",
      resourceId: "network",
    });
    expect(seen).toHaveLength(3);
    const big =
      /Seq Scan on (users|memberships|role_assignments|external_entitlements|group_role_bindings|identity_sources|group_role_binding_roles)/;
    for (const plan of seen) {
      expect(plan).not.toMatch(big);
      expect(plan).toMatch(/Index.* Scan using external_entitlements_pkey/);
    }
  }, 120_000);
});
