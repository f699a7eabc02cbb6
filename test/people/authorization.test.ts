/**
 * Authorization in one statement: every gate rule, and LIKE against a matcher written apart from it
 * (docs/rules/permissions.md#one-check-one-statement).
 */
import { sql } from "drizzle-orm";
import fc from "fast-check";
import { describe, expect } from "vitest";
import type { Subject } from "../../src/http/principal.ts";
import { authorize, authorizeAll } from "../../src/people/authorization/authorize.ts";
import { globToLike } from "../../src/people/authorization/glob.ts";
import { permitted } from "../../src/people/authorization/grants.ts";
import { listScope } from "../../src/people/authorization/listScope.ts";
import { InvalidPermissionError } from "../../src/people/authorization/matrix.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import type { Grant } from "../support/peopleApi.ts";
import { peopleTest } from "../support/test.ts";

const granted = { granted: true, superAdmin: false };
const noPermission = { granted: false, reason: "no_permission" };
const notMember = { granted: false, reason: "not_member" };

const test = peopleTest().extend("world", { scope: "file" }, async ({ api }) => {
  const org = await api.makeOrg();
  const otherOrg = await api.makeOrg();
  const person = async (grants: Grant[], orgs = [org]): Promise<Subject> => {
    const { user } = await api.makeUser({ orgs, grants });
    return { kind: "user", id: user };
  };
  const account = async (grants: Grant[], orgId = org): Promise<Subject> => {
    const { id } = await api.makeAccount(orgId, grants);
    return { kind: "service_account", id, orgId, tokenId: null };
  };
  const readStack = (subject: Subject, more: { resourceId?: string; resourceGroups?: string[] } = {}, orgId = org) =>
    authorize(api.database.db, subject, { orgId, type: "stack", action: "read", resourceId: "network", ...more });

  return { person, account, readStack, org, otherOrg };
});

describe("gate rules", () => {
  test("a grant on the exact pair is granted, another action or type is not", async ({ api, world }) => {
    for (const subject of [await world.person([["stack", "read"]]), await world.account([["stack", "read"]])]) {
      expect(await world.readStack(subject)).toEqual(granted);
      const db = api.database.db;
      expect(await authorize(db, subject, { orgId: world.org, type: "stack", action: "deploy" })).toEqual(noPermission);
      expect(await authorize(db, subject, { orgId: world.org, type: "org", action: "read" })).toEqual(noPermission);
    }
  });

  test("`*` stands for every type or action in a grant", async ({ world }) => {
    expect(await world.readStack(await world.person([["*", "read"]]))).toEqual(granted);
    expect(await world.readStack(await world.person([["stack", "*"]]))).toEqual(granted);
    expect(await world.readStack(await world.person([["*", "deploy"]]))).toEqual(noPermission);
  });

  test("nothing is granted without a membership, whatever roles are assigned", async ({ api, world }) => {
    const subject = await world.person([["*", "*"]]);
    await api.database.sql`delete from memberships where user_id = ${subject.id}`;
    expect(await world.readStack(subject)).toEqual(notMember);
  });

  test("an expired membership counts as absent at once", async ({ api, world }) => {
    const subject = await world.person([["*", "*"]]);
    await api.database
      .sql`update memberships set expires_at = svc_now() + interval '1 hour' where user_id = ${subject.id}`;
    expect(await world.readStack(subject)).toEqual(granted);
    await api.database.sql`update memberships set expires_at = svc_now() where user_id = ${subject.id}`;
    expect(await world.readStack(subject)).toEqual(notMember);
  });

  test("a super-admin is granted everything everywhere, a disabled one nothing", async ({ api, world }) => {
    const { user } = await api.makeUser({ superAdmin: true });
    const subject: Subject = { kind: "user", id: user };
    expect(await world.readStack(subject)).toEqual({ granted: true, superAdmin: true });
    await api.database.sql`update users set disabled_at = svc_now() where id = ${user}`;
    expect(await world.readStack(subject)).toEqual(notMember);
  });

  test("a disabled person or account is granted nothing", async ({ api, world }) => {
    const [one, other] = [await world.person([["*", "*"]]), await world.account([["*", "*"]])];
    await api.database.sql`update users set disabled_at = svc_now() where id = ${one.id}`;
    await api.database.sql`update service_accounts set disabled_at = svc_now() where id = ${other.id}`;
    expect(await world.readStack(one)).toEqual(notMember);
    expect(await world.readStack(other)).toEqual(notMember);
  });

  test("an assignment in one organization grants nothing in another", async ({ api, world }) => {
    const member = await world.person([["*", "*"]], [world.org]);
    await api.database.sql`insert into memberships (org_id, user_id) values (${world.otherOrg}, ${member.id})`;
    expect(await world.readStack(member, {}, world.otherOrg)).toEqual(noPermission);
    expect(await world.readStack(await world.account([["*", "*"]]), {}, world.otherOrg)).toEqual(notMember);
  });

  test("a custom role of another organization grants nothing, even when it is assigned here", async ({
    api,
    world,
  }) => {
    const subject = await world.person([]);
    const { roleId } = await api.makeAccount(world.otherOrg, [["*", "*"]]);
    await api.database
      .sql`insert into role_assignments (org_id, role_id, user_id) values (${world.org}, ${roleId}, ${subject.id})`;
    expect(await world.readStack(subject)).toEqual(noPermission);
  });

  test("system roles grant what the rules say (docs/rules/permissions.md#system-roles)", async ({ api, world }) => {
    const may = async (role: string, type: string, action: string) => {
      const subject = await world.person([]);
      await api.database.sql`insert into role_assignments (org_id, role_id, user_id)
        select ${world.org}, id, ${subject.id} from roles where org_id is null and name = ${role}`;
      return (await authorize(api.database.db, subject, { orgId: world.org, type, action } as never)).granted;
    };
    expect(await may("admin", "role", "create")).toBe(true);
    expect(await may("iam-admin", "role", "assign")).toBe(true);
    expect(await may("iam-admin", "role", "create")).toBe(false);
    expect(await may("operator", "stack", "run_command")).toBe(true);
    expect(await may("deployer", "stack", "confirm")).toBe(true);
    expect(await may("deployer", "stack", "update")).toBe(false);
    expect(await may("viewer", "stack", "read")).toBe(true);
    expect(await may("viewer", "stack", "deploy")).toBe(false);
  });

  test("an id that is no UUID, an unknown person and an unknown account are denied, not an error", async ({
    world,
  }) => {
    expect(await world.readStack(await world.person([["*", "*"]]), {}, "nonsense")).toEqual(notMember);
    expect(await world.readStack({ kind: "user", id: "nobody" })).toEqual(notMember);
    expect(
      await world.readStack({ kind: "service_account", id: world.otherOrg, orgId: world.org, tokenId: null }),
    ).toEqual(notMember);
  });
});

describe("targeting", () => {
  test("a pattern grants the names it matches, never an empty name", async ({ world }) => {
    const subject = await world.person([["stack", "read", { pattern: "net%" }]]);
    expect(await world.readStack(subject)).toEqual(granted);
    expect(await world.readStack(subject, { resourceId: "db" })).toEqual(noPermission);
    expect(await world.readStack(subject, { resourceId: "" })).toEqual(noPermission);
    expect(
      await world.readStack(await world.person([["stack", "read", { pattern: "%" }]]), { resourceId: "" }),
    ).toEqual(noPermission);
  });

  test("a group grants stacks that carry it; without groups no group grant matches", async ({ world }) => {
    const subject = await world.person([["stack", "read", { group: "prod" }]]);
    expect(await world.readStack(subject, { resourceGroups: ["dev", "prod"] })).toEqual(granted);
    expect(await world.readStack(subject, { resourceGroups: ["dev"] })).toEqual(noPermission);
    expect(await world.readStack(subject, { resourceGroups: [] })).toEqual(noPermission);
    expect(await world.readStack(subject)).toEqual(noPermission);
  });

  test("globs match as people expect, whatever characters they hold", async ({ api }) => {
    const text = fc.string({ unit: fc.constantFrom(..."ab%_\\*?.[\n"), minLength: 0, maxLength: 8 });
    const cases = fc.sample(fc.tuple(text, text), 2_000);
    // One statement decides them all; a wrong one is named in the difference.
    const rows = await api.database.sql`
      select c.name like c.pattern escape '\\' as matched
      from jsonb_to_recordset(${api.database.sql.json(cases.map(([glob, name], i) => ({ i, name, pattern: globToLike(glob) })))})
        as c (i int, name text, pattern text) order by c.i`;
    const wrong = cases.filter(([glob, name], i) => rows[i]?.matched !== globMatches(glob, name));
    expect(wrong).toEqual([]);
    expect(rows.filter((row) => row.matched).length).toBeGreaterThan(20);
  });
});

/** The reference: a glob by its definition, without LIKE or regular expressions. */
function globMatches(glob: string, name: string): boolean {
  if (glob === "") return name === "";
  if (glob[0] === "*") return globMatches(glob.slice(1), name) || (name !== "" && globMatches(glob, name.slice(1)));
  return name !== "" && (glob[0] === "?" || glob[0] === name[0]) && globMatches(glob.slice(1), name.slice(1));
}

describe("pairs", () => {
  test("a pair outside the matrix is a programmer's error, also `*`", async ({ api, world }) => {
    const subject = await world.person([["*", "*"]]);
    for (const [type, action] of [
      ["stack", "explode"],
      ["stack", "*"],
      ["*", "read"],
      ["__proto__", "read"],
    ]) {
      await expect(authorize(api.database.db, subject, { orgId: world.org, type, action } as never)).rejects.toThrow(
        InvalidPermissionError,
      );
    }
  });
});

describe("statements", () => {
  test("one per call, however many checks", async ({ api, world }) => {
    const subject = await world.person([
      ["stack", "read"],
      ["stack_authz_group", "assign", { pattern: "a%" }],
    ]);
    const { result, statements } = await countStatements(() =>
      authorizeAll(api.database.db, subject, world.org, [
        { type: "stack", action: "read", resourceId: "x" },
        { type: "stack_authz_group", action: "assign", resourceId: "alpha" },
        { type: "stack_authz_group", action: "assign", resourceId: "beta" },
      ]),
    );
    expect(result).toEqual([granted, granted, noPermission]);
    expect(statements).toHaveLength(1);
  });

  test("a check reads by index when there are many people, roles and permissions", async ({ api, world }) => {
    const { sql: bare, db } = api.database;
    const subject = await world.person([["stack", "read", { pattern: "net%" }]]);
    await bare`insert into users (id, provider_key, issuer, subject, login)
      select 'many:' || i, 'codehost', '', 'many:' || i, 'many' || i from generate_series(1, 5000) i`;
    await bare`insert into memberships (org_id, user_id) select ${world.org}, id from users where id like 'many:%'`;
    await bare`insert into roles (org_id, name) select ${world.org}, 'many' || i from generate_series(1, 2000) i`;
    await bare`insert into role_permissions (role_id, resource_type, action)
      select r.id, t, 'read' from roles r, unnest(array['stack', 'org', 'label', 'runner']) t where r.name like 'many%'`;
    await bare`insert into role_assignments (org_id, role_id, user_id)
      select ${world.org}, r.id, 'many:' || substr(r.name, 5) from roles r where r.name like 'many%'`;
    await bare`analyze users, memberships, roles, role_permissions, role_assignments`;
    const check = permitted(subject, world.org, { type: "stack", action: "read", name: sql`'network'` });
    const plan = await db.execute<{ "QUERY PLAN": string }>(sql`explain select 1 where ${check}`);
    const text = plan.map((row) => row["QUERY PLAN"]).join("\n");
    expect(text).not.toMatch(/Seq Scan on (users|memberships|role_permissions|role_assignments)/);
    expect(text).toMatch(/Index.* Scan using role_assignments_of_user/);
  });
});

describe("list scope", () => {
  test("says what the subject may list", async ({ api, world }) => {
    const scope = (subject: Subject, orgId = world.org) => listScope(api.database.db, subject, orgId, "stack");
    const nothing = { SuperAdmin: false, Member: false, HasUnscoped: false, Patterns: [], Groups: [] };
    expect(await scope(await world.person([["stack", "read"]]))).toEqual({
      ...nothing,
      Member: true,
      HasUnscoped: true,
    });
    const mixed: Grant[] = [
      ["stack", "read", { pattern: "b%" }],
      ["*", "*", { pattern: "a%" }],
      ["stack", "read", { group: "prod" }],
      ["stack", "deploy"],
    ];
    expect(await scope(await world.account(mixed))).toEqual({
      ...nothing,
      Member: true,
      Patterns: ["a%", "b%"],
      Groups: ["prod"],
    });
    expect(await scope(await world.person([["stack", "read"]]), world.otherOrg)).toEqual(nothing);
    expect(await scope({ kind: "user", id: "nobody" })).toEqual(nothing);
    const { user } = await api.makeUser({ superAdmin: true });
    expect(await scope({ kind: "user", id: user })).toEqual({ ...nothing, SuperAdmin: true });
  });
});
