/** The edges a cascade decides by, and the cycles of an organization's graph (docs/rules/graph.md#cycles). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Budgets } from "../../src/graph/analysis/budgets.ts";
import { directDependents } from "../../src/graph/dependencies/edges.ts";
import { graphOf } from "../../src/graph/dependencies/graph.ts";
import { cycleMembers, cycleThrough, inCycle, onCycle } from "../../src/graph/dependencies/graphCycles.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { BUDGETS, makeEdges, makeStacks } from "../support/dependencies.ts";
import { makeOrg } from "../support/fixtures.ts";

let database: TestDatabase;
let orgId: string;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  orgId = (await makeOrg(database)).orgId;
});

const dependents = (stackKey: string, budgets: Partial<Budgets> = {}) =>
  directDependents(database.db, { orgId, stackKey }, { ...BUDGETS, ...budgets });
const graph = (budgets: Partial<Budgets> = {}) => graphOf(database.db, orgId, { ...BUDGETS, ...budgets });

describe("direct dependents", () => {
  test("a declared and an inferred edge of the same endpoints are one, with the declared trigger", async () => {
    const { net, app } = await makeStacks(database, orgId, ["net", "app"]);
    const ends = { address: "data.aws_vpc.main", parentAddress: "aws_vpc.main" };
    await makeEdges(database, orgId, [
      { from: app, slug: "net", trigger: "always", ...ends },
      { from: app, on: net, ...ends },
      { from: app, on: net, address: "data.aws_subnet.a", parentAddress: "aws_subnet.a" },
    ]);
    expect(await dependents(net)).toMatchObject([
      { dependentId: "data.aws_subnet.a", trigger: "manual", declared: false, inferred: true },
      {
        dependentStackKey: app,
        dependentSlug: "app",
        dependentKind: "resource",
        dependentId: "data.aws_vpc.main",
        dependencyKind: "resource",
        dependencyId: "aws_vpc.main",
        trigger: "always",
        declared: true,
        inferred: true,
        onCycle: false,
        overBudget: false,
        exceeded: null,
      },
    ]);
    expect(await dependents(app)).toEqual([]);
  });

  test("a whole stack goes by its present id; a stack that declares itself depends on nothing", async () => {
    const { net, app } = await makeStacks(database, orgId, ["net", "app"]);
    await makeEdges(database, orgId, [
      { from: app, slug: "net" },
      { from: net, slug: "net", address: "aws_vpc.main" },
    ]);
    const [edge, ...others] = await dependents(net);
    expect(others).toEqual([]);
    expect(edge).toMatchObject({
      dependentKind: "stack",
      dependentId: "app",
      dependencyKind: "stack",
      dependencyId: "net",
    });
  });

  test("a renamed parent loses what names its old id and keeps what was inferred; a new stack of that id takes over", async () => {
    const { net, app } = await makeStacks(database, orgId, ["net", "app"]);
    await makeEdges(database, orgId, [
      { from: app, slug: "net", trigger: "always" },
      { from: app, on: net, address: "data.a.b", parentAddress: "a.b" },
    ]);
    await database.sql`update stacks set slug = 'network' where stack_key = ${net}`;
    expect(await dependents(net)).toMatchObject([{ declared: false, inferred: true }]);
    const { net: next } = await makeStacks(database, orgId, ["net"]);
    expect(await dependents(next)).toMatchObject([{ declared: true, inferred: false, dependencyId: "net" }]);
  });

  test("a deleted stack has no dependents and is none; one made anew with its id has what names it", async () => {
    const { net, app } = await makeStacks(database, orgId, ["net", "app"]);
    await makeEdges(database, orgId, [{ from: app, slug: "net" }]);
    await database.sql`update stacks set deleted_at = svc_now() where stack_key = ${net}`;
    expect(await dependents(net)).toEqual([]);
    const { net: next } = await makeStacks(database, orgId, ["net"]);
    expect(await dependents(next)).toHaveLength(1);
    await database.sql`update stacks set deleted_at = svc_now() where stack_key = ${app}`;
    expect(await dependents(next)).toEqual([]);
  });

  test("another organization's stack of that id is no parent", async () => {
    const { app } = await makeStacks(database, orgId, ["app"]);
    await makeEdges(database, orgId, [{ from: app, slug: "net" }]);
    const stranger = (await makeOrg(database)).orgId;
    const { net } = await makeStacks(database, stranger, ["net"]);
    expect(await directDependents(database.db, { orgId: stranger, stackKey: net }, BUDGETS)).toEqual([]);
    expect(await dependents(net)).toEqual([]);
  });

  test("past the budget of one dependent it alone waits for a person; its surplus is left out", async () => {
    const { net, app, web } = await makeStacks(database, orgId, ["net", "app", "web"]);
    await makeEdges(database, orgId, [
      ...Array.from({ length: 4 }, (_, i) => ({ from: app, slug: "net", parentAddress: `aws_vpc.a${i}` })),
      { from: web, slug: "net", trigger: "always" },
    ]);
    const edges = await dependents(net, { maxDirectDependentEdgesPerStack: 3 });
    expect(edges.filter((edge) => edge.dependentSlug === "app")).toHaveLength(3);
    for (const edge of edges) {
      const over = edge.dependentSlug === "app";
      expect(edge.overBudget).toBe(over);
      expect(edge.exceeded).toBe(over ? "max_direct_dependent_edges_per_stack" : null);
    }
  });

  test("past the budget of all together everyone waits for a person, and nobody is left out", async () => {
    const slugs = ["net", "a", "b", "c", "d"] as const;
    const stacks = await makeStacks(database, orgId, slugs);
    await makeEdges(
      database,
      orgId,
      (["a", "b", "c", "d"] as const).flatMap((slug) => [
        { from: stacks[slug], slug: "net", parentAddress: "x.one" },
        { from: stacks[slug], slug: "net", parentAddress: "x.two" },
      ]),
    );
    const edges = await dependents(stacks.net, { maxDirectDependentEdges: 3 });
    expect(new Set(edges.map((edge) => edge.dependentSlug)).size).toBe(4);
    expect(edges.every((edge) => edge.overBudget && edge.exceeded === "max_direct_dependent_edges")).toBe(true);
  });

  test("at most three statements, two when the graph has not changed", async () => {
    const { net, app } = await makeStacks(database, orgId, ["net", "app"]);
    await makeEdges(database, orgId, [{ from: app, slug: "net" }]);
    expect((await countStatements(() => dependents(net))).statements).toHaveLength(3);
    expect((await countStatements(() => dependents(net))).statements).toHaveLength(2);
  });
});

describe("cycles", () => {
  test("declared and inferred edges close them together; who only hangs on one is not in it", async () => {
    const { a, b, c, d } = await makeStacks(database, orgId, ["a", "b", "c", "d"]);
    await makeEdges(database, orgId, [
      { from: b, slug: "a", trigger: "always" },
      { from: c, on: b, address: "data.x.y", parentAddress: "x.y" },
      { from: a, slug: "c" },
      { from: d, slug: "a" },
    ]);
    const found = await graph();
    expect([a, b, c, d].map((key) => inCycle(found, key))).toEqual([true, true, true, false]);
    expect(onCycle(found, a, b)).toBe(true);
    expect(onCycle(found, a, d)).toBe(false);
    expect(cycleMembers(found, a, 10).sort()).toEqual([a, b, c].sort());
    expect(cycleMembers(found, a, 2)).toHaveLength(2);
    expect(await cycleThrough(found, b)).toEqual([b, c, a]);
    expect(await cycleThrough(found, d)).toBeNull();
    expect((await dependents(a)).map((edge) => [edge.dependentSlug, edge.onCycle])).toEqual(
      expect.arrayContaining([
        ["b", true],
        ["d", false],
      ]),
    );
  });

  test("a pair that only says never closes none, whatever is inferred beside it", async () => {
    const { a, b } = await makeStacks(database, orgId, ["a", "b"]);
    await makeEdges(database, orgId, [
      { from: b, slug: "a", trigger: "always" },
      { from: a, slug: "b", trigger: "never" },
      { from: a, on: b, address: "data.x.y", parentAddress: "x.y" },
    ]);
    expect(inCycle(await graph(), a)).toBe(false);
    await makeEdges(database, orgId, [{ from: a, slug: "b", address: "x.z" }]);
    expect(inCycle(await graph(), a)).toBe(true);
  });

  test("each change is seen at once: edges, renames, deletion, re-creation", async () => {
    const { a, b } = await makeStacks(database, orgId, ["a", "b"]);
    const known = async () => inCycle(await graph(), a);
    await makeEdges(database, orgId, [{ from: b, slug: "a" }]);
    expect(await known()).toBe(false);
    await makeEdges(database, orgId, [{ from: a, slug: "b" }]);
    expect(await known()).toBe(true);
    await database.sql`update dependency_edges set trigger = 'never' where dependent_stack_key = ${b}`;
    expect(await known()).toBe(false);
    await database.sql`update dependency_edges set trigger = 'always' where dependent_stack_key = ${b}`;
    expect(await known()).toBe(true);
    await database.sql`update stacks set slug = 'bb' where stack_key = ${b}`;
    expect(await known()).toBe(false);
    await database.sql`update stacks set slug = 'b' where stack_key = ${b}`;
    expect(await known()).toBe(true);
    await database.sql`update stacks set deleted_at = svc_now() where stack_key = ${b}`;
    expect(await known()).toBe(false);
    const { b: next } = await makeStacks(database, orgId, ["b"]);
    await makeEdges(database, orgId, [{ from: next, slug: "a" }]);
    expect(await known()).toBe(true);
    await database.sql`delete from dependency_edges where dependent_stack_key = ${next}`;
    expect(await known()).toBe(false);
  });

  test.each([
    ["max_org_edges", { maxOrgEdges: 2 }],
    ["max_org_stack_pairs", { maxOrgStackPairs: 1 }],
  ] as const)("past %s nothing is known about them, and every dependent waits for a person", async (name, budgets) => {
    const { a, b } = await makeStacks(database, orgId, ["a", "b"]);
    await makeEdges(database, orgId, [
      { from: b, slug: "a", trigger: "always" },
      { from: b, slug: "a", address: "x.y" },
      { from: a, slug: "b" },
    ]);
    expect((await graph()).exceeded).toBeNull();
    const found = await graph(budgets);
    expect(found.exceeded).toBe(name);
    expect(inCycle(found, a)).toBeNull();
    expect(onCycle(found, a, b)).toBeNull();
    const edges = await dependents(a, budgets);
    expect(edges.every((edge) => edge.overBudget && edge.onCycle === null && edge.exceeded === name)).toBe(true);
    expect(edges).toHaveLength(2);
  });

  test("a large graph is walked in a thread with the same result", async () => {
    const { sql } = database;
    const count = 60_000;
    await sql`insert into stacks (org_id, slug, name, repository_url, branch)
      select ${orgId}, 's' || i, 's' || i, 'https://git.example/r.git', 'main' from generate_series(1, ${count}::int) i`;
    await sql`insert into dependency_edges (org_id, dependent_stack_key, provenance, dependency_stack_slug, edge_hash)
      select ${orgId}, s.stack_key, 'declared', 's' || (case when i = ${count}::int then 1 else i + 1 end), '\\x00'
      from generate_series(1, ${count}::int) i join stacks s on s.org_id = ${orgId} and s.slug = 's' || i and s.deleted_at is null`;
    const [first] = await sql`select stack_key from stacks where org_id = ${orgId} and slug = 's1'`;
    const found = await graph();
    expect(found.components.sizes).toEqual(Int32Array.of(count));
    expect(await cycleThrough(found, first?.stack_key)).toHaveLength(count);
  });

  test("one that is read in a transaction that fails is read again by whoever waited for it", async () => {
    const { a, b } = await makeStacks(database, orgId, ["a", "b"]);
    await makeEdges(database, orgId, [
      { from: b, slug: "a" },
      { from: a, slug: "b" },
    ]);
    const failing = {
      execute: async (query: never) => {
        const rows = await database.db.execute(query);
        if ("keys" in ((rows[0] ?? {}) as object)) throw new Error("the transaction is aborted");
        return rows;
      },
    } as unknown as typeof database.db;
    const [first, second] = await Promise.allSettled([graphOf(failing, orgId, BUDGETS), graph()]);
    expect(first.status).toBe("rejected");
    expect(second.status === "fulfilled" && inCycle(second.value, a)).toBe(true);
  });

  test("an organization's end takes its graph along", async () => {
    const { a, b } = await makeStacks(database, orgId, ["a", "b"]);
    await makeEdges(database, orgId, [
      { from: b, slug: "a" },
      { from: b, on: a },
    ]);
    await graph();
    await database.sql`delete from organizations where id = ${orgId}`;
    expect(await database.sql`select 1 from dependency_edges where org_id = ${orgId}`).toEqual([]);
    expect((await graph()).edges).toBe(0);
  });

  test("keys and nodes are each other's", async () => {
    const stacks = await makeStacks(database, orgId, ["a", "b", "c"]);
    const found = await graph();
    for (const key of Object.values(stacks)) expect(inCycle(found, key)).toBe(false);
    expect(cycleMembers(found, stacks.a, 10)).toEqual([]);
    expect(onCycle(found, stacks.a, "00000000-0000-0000-0000-000000000000")).toBe(false);
  });
});
