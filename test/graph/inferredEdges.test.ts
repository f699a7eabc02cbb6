/** Edges inferred from what one stack manages and another reads (docs/rules/graph.md#unknown-is-not-empty). */
import { describe, expect } from "vitest";
import { analysisFile } from "../support/analysis.ts";
import { makeStacks } from "../support/dependencies.ts";
import { manages, reads, test } from "../support/edgesTest.ts";
import { makeOrg } from "../support/fixtures.ts";

describe("inferred edges", () => {
  test("a stack that reads what one other manages depends on it, whichever was applied first", async ({ world }) => {
    const { net, app, web } = await world.stacks("net", "app", "web");
    await world.apply(app, analysisFile({ resources: reads("v") }));
    expect(await world.edgesOf(app)).toEqual([]);
    await world.apply(net, analysisFile({ resources: manages("v", "unread") }));
    await world.apply(web, analysisFile({ resources: [...reads("v"), ...manages("other")] }));
    for (const reader of [app, web]) {
      expect(await world.edgesOf(reader)).toMatchObject([
        { provenance: "inferred", on: net, address: "data.aws_vpc.v", parent: "aws_vpc.v", trigger: "manual" },
      ]);
    }
    expect(await world.edgesOf(net)).toEqual([]);
  });

  test("two managers are none; when one lets go the edge is there", async ({ world }) => {
    const { a, b, app } = await world.stacks("a", "b", "app");
    await world.apply(a, analysisFile({ resources: manages("v") }));
    await world.apply(app, analysisFile({ resources: reads("v") }));
    expect(await world.edgesOf(app)).toMatchObject([{ on: a }]);
    await world.apply(b, analysisFile({ resources: manages("v") }));
    expect(await world.edgesOf(app)).toEqual([]);
    await world.apply(a, analysisFile({ resources: [] }));
    expect(await world.edgesOf(app)).toMatchObject([{ on: b }]);
    await world.apply(b, analysisFile({ resources: manages("w") }));
    expect(await world.edgesOf(app)).toEqual([]);
  });

  test("another realm, an ignored resource and one without identity are nobody's", async ({ world }) => {
    const { net, app } = await world.stacks("net", "app");
    await world.apply(
      net,
      analysisFile({
        resources: [
          { address: "a.realm", identity: "v", realm: "elsewhere" },
          { address: "a.ignored", identity: "w", ignore: true },
          { address: "a.unknown", identity: null },
        ],
      }),
    );
    await world.apply(app, analysisFile({ resources: reads("v", "w") }));
    expect(await world.edgesOf(app)).toEqual([]);
  });

  test("a stack that reads what it manages itself does not depend on itself", async ({ world }) => {
    const { net } = await world.stacks("net");
    await world.apply(net, analysisFile({ resources: [...manages("v"), ...reads("v")] }));
    expect(await world.edgesOf(net)).toEqual([]);
  });

  test("another organization's resources are nobody's here", async ({ database, analysis, world }) => {
    const { app } = await world.stacks("app");
    await world.apply(app, analysisFile({ resources: reads("v") }));
    const stranger = await makeOrg(database);
    const { net } = await makeStacks(database, stranger.orgId, ["net"]);
    await analysis.finish(stranger, net, analysisFile({ resources: manages("v") }));
    await analysis.reconcile(stranger.orgId, net, {});
    expect(await world.edgesOf(app)).toEqual([]);
  });

  test("an incomplete list adds and changes, and removes nothing; an unknown one does nothing", async ({ world }) => {
    const { net, app } = await world.stacks("net", "app");
    await world.apply(app, analysisFile({ resources: reads("v", "w", "x") }));
    await world.apply(net, analysisFile({ resources: manages("v", "w") }));
    await world.apply(net, analysisFile({ resources: manages("x"), complete: false }));
    expect((await world.edgesOf(app)).map((edge) => edge.parent)).toEqual(["aws_vpc.v", "aws_vpc.w", "aws_vpc.x"]);
    await world.apply(net, analysisFile({ edges: [] }));
    expect(await world.edgesOf(app)).toHaveLength(3);
    await world.apply(net, analysisFile({ resources: manages("w") }));
    expect((await world.edgesOf(app)).map((edge) => edge.parent)).toEqual(["aws_vpc.w"]);
  });

  test("declared and inferred edges of one stack are kept apart: each follows its own section", async ({ world }) => {
    const { net, app } = await world.stacks("net", "app");
    await world.apply(net, analysisFile({ resources: manages("v") }));
    await world.apply(app, analysisFile({ edges: [{ from_stack: "net", trigger: "always" }], resources: reads("v") }));
    await world.apply(app, analysisFile({ edges: [] }));
    expect(await world.edgesOf(app)).toMatchObject([{ provenance: "inferred" }]);
    await world.apply(app, analysisFile({ edges: [{ from_stack: "net" }], resources: [] }));
    expect(await world.edgesOf(app)).toMatchObject([{ provenance: "declared" }]);
  });

  test("beyond the budget of one stack the same edges stay, and it says so", async ({ world }) => {
    const { net, app } = await world.stacks("net", "app");
    const names = ["a", "b", "c", "d", "e"];
    await world.apply(net, analysisFile({ resources: manages(...names) }));
    await world.apply(app, analysisFile({ resources: reads(...names) }), { maxInferredEdgesPerStack: 3 });
    expect((await world.edgesOf(app)).map((edge) => edge.parent)).toEqual(["aws_vpc.a", "aws_vpc.b", "aws_vpc.c"]);
    expect(await world.state(app)).toMatchObject({ inferred_truncated: true });
    await world.apply(app, analysisFile({ resources: reads(...names) }), { maxInferredEdgesPerStack: 5 });
    expect(await world.edgesOf(app)).toHaveLength(5);
    expect(await world.state(app)).toMatchObject({ inferred_truncated: false });
  });

  test("addresses beyond 1,024 bytes have no edge; those of that length have", async ({ world }) => {
    const { net, app } = await world.stacks("net", "app");
    const address = (bytes: number) => `aws_vpc.xy["${"é".repeat((bytes - 14) / 2)}"]`;
    await world.apply(
      net,
      analysisFile({
        resources: [
          { address: address(1_024), identity: "v" },
          { address: address(1_026), identity: "w" },
        ],
      }),
    );
    await world.apply(app, analysisFile({ resources: reads("v", "w") }));
    expect((await world.edgesOf(app)).map((edge) => Buffer.byteLength(edge.parent))).toEqual([1_024]);
  });

  test("thousands of resources go in and out in chunks, and only what changed is written", async ({
    database,
    world,
  }) => {
    const { net, app } = await world.stacks("net", "app");
    const names = Array.from({ length: 2_345 }, (_, i) => `v${i}`);
    await world.apply(net, analysisFile({ resources: manages(...names) }));
    await world.apply(app, analysisFile({ resources: reads(...names) }));
    expect(await world.edgesOf(app)).toHaveLength(2_345);
    const count = async () =>
      (
        await database.sql`select count(*)::int, max(xmin::text::bigint) as newest from stack_resource_identities where stack_key = ${net}`
      )[0];
    const before = await count();
    await world.apply(net, analysisFile({ resources: manages(...[...names].reverse()) }));
    expect(await count()).toEqual(before);
    await world.apply(net, analysisFile({ resources: manages(...names.filter((_, i) => i % 2 === 0)) }));
    expect(await world.edgesOf(app)).toHaveLength(1_173);
    await world.apply(net, analysisFile({ resources: [] }));
    expect(await world.edgesOf(app)).toEqual([]);
    expect(await count()).toMatchObject({ count: 0 });
  });

  test("a reader and its manager that are stored at the same moment find each other, 40 rounds", async ({
    org,
    analysis,
    world,
  }) => {
    const { net, app } = await world.stacks("net", "app");
    for (let round = 0; round < 40; round++) {
      await analysis.finish(org, net, analysisFile({ resources: manages(`r${round}`) }));
      await analysis.finish(org, app, analysisFile({ resources: reads(`r${round}`) }));
      await Promise.all([analysis.reconcile(org.orgId, net), analysis.reconcile(org.orgId, app)]);
      // A mark that one of them left for the other is worked off by whoever comes next.
      await world.request("dependency_graph_reconcile", app);
      await analysis.reconcile(org.orgId, app);
      expect(await world.edgesOf(app)).toMatchObject([{ on: net, parent: `aws_vpc.r${round}` }]);
    }
  });
});
