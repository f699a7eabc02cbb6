/** `.../dependency-cycles`, and how much either answer may hold (docs/dependencies.md#reading-the-graph). */
import { describe, expect } from "vitest";
import { makeEdges, makeStacks } from "../support/dependencies.ts";
import { test } from "../support/dependencyReadsTest.ts";

describe("caps", () => {
  test("an answer keeps every neighbor before it keeps a second edge of one, and says that some are left out", async ({
    small,
    world,
  }) => {
    const inOrg = await small.makeOrg();
    const made = await makeStacks(small.database, inOrg, ["net", "a", "b"]);
    await makeEdges(small.database, inOrg, [
      ...Array.from({ length: 7 }, (_, i) => ({ from: made.a, slug: "net", parentAddress: `x.${i}` })),
      { from: made.b, slug: "net" },
    ]);
    const { token } = await small.makeAccount(inOrg, [["stack", "read"]]);
    const { body } = await world.get("net", { token }, "dependencies", small, inOrg);
    const from = (id: string) => body.edges.filter((edge: { dependent: string }) => edge.dependent === `stack:${id}`);
    expect(from("a")).toHaveLength(3);
    expect(from("b")).toHaveLength(1);
    expect(body).toMatchObject({ total_edges: 8, truncated: true, exceeded_budget: null });
  });

  test("no more edges than an answer may have", async ({ small, world }) => {
    const inOrg = await small.makeOrg();
    const slugs = Array.from({ length: 9 }, (_, i) => `s${i}` as const);
    const { net, ...others } = await makeStacks(small.database, inOrg, ["net", ...slugs]);
    await makeEdges(
      small.database,
      inOrg,
      Object.values(others).map((from) => ({ from, on: net })),
    );
    const { token } = await small.makeAccount(inOrg, [["stack", "read"]]);
    const { body } = await world.get("net", { token }, "dependencies", small, inOrg);
    expect(body.edges).toHaveLength(6);
    expect(body).toMatchObject({ total_edges: 9, truncated: true });
  });

  test("past the neighborhood budget cycles are not judged; past the organization's neither, in both reads", async ({
    small,
    world,
  }) => {
    const inOrg = await small.makeOrg();
    const { net, app } = await makeStacks(small.database, inOrg, ["net", "app"]);
    const { token } = await small.makeAccount(inOrg, [["stack", "read"]]);
    const seed = (from: number, count: number) =>
      makeEdges(
        small.database,
        inOrg,
        Array.from({ length: count }, (_, i) => ({ from: app, slug: "net", parentAddress: `x.${from + i}` })),
      );
    await seed(0, 13);
    const { body } = await world.get("net", { token }, "dependencies", small, inOrg);
    expect(body).toMatchObject({ truncated: true, exceeded_budget: "max_neighborhood_edges" });
    expect(body.nodes.every((node: { in_cycle: null }) => node.in_cycle === null)).toBe(true);
    expect((await world.get("net", { token }, "dependency-cycles", small, inOrg)).body.in_cycle).toBe(false);
    await seed(13, 28);
    expect((await world.get("net", { token }, "dependency-cycles", small, inOrg)).body).toMatchObject({
      in_cycle: null,
      exceeded_budget: "max_org_edges",
      members: [],
    });
    expect(net).toBeDefined();
  });
});

describe("cycles", () => {
  test("the way round, from the stack that was asked about, and all that lie on it", async ({ world }) => {
    await world.ring();
    const { body } = await world.get("b", await world.reader(), "dependency-cycles");
    const named = (id: string) => ({ id, name: id, restricted: false });
    expect(body).toEqual({
      in_cycle: true,
      exceeded_budget: null,
      cycle: ["b", "c", "a"].map(named),
      members: ["a", "b", "c"].map(named),
      total_members: 3,
      truncated: false,
    });
  });

  test("hidden stacks keep their place in it without a name", async ({ world }) => {
    await world.ring();
    const { body } = await world.get("b", await world.reader("a", "b"), "dependency-cycles");
    const hidden = { id: null, name: null, restricted: true };
    expect(body.cycle.map((member: { id: string | null }) => member.id)).toEqual(["b", null, "a"]);
    expect(body.members.at(-1)).toEqual(hidden);
    expect(body.total_members).toBe(3);
  });

  test("a stack that only hangs on one, and one without edges, lie on none", async ({ world }) => {
    await world.ring();
    await world.stacks("alone");
    const none = {
      in_cycle: false,
      exceeded_budget: null,
      cycle: null,
      members: [],
      total_members: 0,
      truncated: false,
    };
    expect((await world.get("d", await world.reader(), "dependency-cycles")).body).toEqual(none);
    expect((await world.get("alone", await world.reader(), "dependency-cycles")).body).toEqual(none);
  });
});
