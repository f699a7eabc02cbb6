/**
 * Edges of many stacks at once, of stacks that come and go, and after a rebuild
 * (docs/rules/graph.md#unknown-is-not-empty).
 */
import { describe, expect } from "vitest";
import { deleteStack } from "../../src/core/stackLife/deleteStack.ts";
import { directDependents } from "../../src/graph/dependencies/edges.ts";
import { analysisFile } from "../support/analysis.ts";
import { BUDGETS } from "../support/dependencies.ts";
import { manages, reads, test } from "../support/edgesTest.ts";
import { ACTOR } from "../support/fixtures.ts";

describe("many at once", () => {
  const SLUGS = ["s0", "s1", "s2", "s3", "s4", "s5"] as const;
  type Said = Record<string, { managed: string[]; data: string[] }>;

  /** What the rule says of all analyses together: one manager that is somebody else. */
  function expected(said: Said, keys: Record<string, string>): string[] {
    return SLUGS.flatMap((reader) =>
      said[reader]!.data.flatMap((identity) => {
        const managers = SLUGS.filter((slug) => said[slug]!.managed.includes(identity));
        return managers.length === 1 && managers[0] !== reader
          ? [`${keys[reader]} ${identity} ${keys[managers[0]!]}`]
          : [];
      }),
    ).sort();
  }

  test("stacks that are stored at the same moment, again and again, end with the edges that one after the other would give", async ({
    database,
    org,
    analysis,
    world,
  }) => {
    const keys = await world.stacks(...SLUGS);
    // The same pseudo-random sequence each time, so that a failure can be repeated.
    let seed = 7;
    const below = (limit: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % limit;
    };
    const some = () => Array.from({ length: 8 }, (_, i) => `i${i}`).filter(() => below(3) === 0);
    let edges = 0;
    for (let round = 0; round < 25; round++) {
      const said = Object.fromEntries(SLUGS.map((slug) => [slug, { managed: some(), data: some() }])) as Said;
      for (const slug of SLUGS) {
        const { managed, data } = said[slug]!;
        await analysis.finish(
          org,
          keys[slug],
          analysisFile({ resources: [...manages(...managed), ...reads(...data)] }),
        );
      }
      await Promise.all(SLUGS.map((slug) => analysis.reconcile(org.orgId, keys[slug])));
      const found = await database.sql`
        select dependent_stack_key || ' ' || split_part(dependent_address, '.', 3) || ' ' || dependency_stack_key as edge
        from dependency_edges where org_id = ${org.orgId}`;
      expect(found.map(({ edge }) => edge).sort()).toEqual(expected(said, keys));
      expect(await database.sql`select 1 from dependency_state where org_id = ${org.orgId} and inferred_stale`).toEqual(
        [],
      );
      edges += found.length;
    }
    expect(edges).toBeGreaterThan(50);
  });
});

describe("stacks that come and go", () => {
  test("a deleted stack leaves nothing behind, and what others read of it has no manager", async ({
    database,
    org,
    analysis,
    world,
  }) => {
    const { net, app } = await world.stacks("net", "app");
    await world.apply(net, analysisFile({ edges: [{ from_stack: "dns" }], resources: manages("v") }));
    await world.apply(app, analysisFile({ edges: [{ from_stack: "net", trigger: "always" }], resources: reads("v") }));
    const subject = { ...ACTOR, tokenId: null } as never;
    await deleteStack(analysis.service, subject, net, false);
    expect(await directDependents(database.db, { orgId: org.orgId, stackKey: net }, BUDGETS)).toEqual([]);
    expect(await world.tasks()).toContainEqual({
      kind: "dependency_graph_reconcile",
      stack_key: net,
      status: "pending",
    });
    await analysis.reconcile(org.orgId, net);
    expect(await world.edgesOf(net)).toEqual([]);
    expect(await world.state(net)).toBeUndefined();
    expect(await database.sql`select 1 from stack_resource_identities where stack_key = ${net}`).toEqual([]);
    // The declaration stays: it names an id, and a stack that takes it is meant.
    expect(await world.edgesOf(app)).toMatchObject([{ provenance: "declared", slug: "net" }]);
    const { net: next } = await world.stacks("net");
    await world.apply(next, analysisFile({ resources: manages("v") }));
    expect(await directDependents(database.db, { orgId: org.orgId, stackKey: next }, BUDGETS)).toMatchObject([
      { dependentSlug: "app", declared: true, trigger: "always" },
      { dependentSlug: "app", inferred: true, trigger: "manual" },
    ]);
  });

  test("a renamed stack keeps what was inferred, and is found by declarations of its new id", async ({
    database,
    org,
    world,
  }) => {
    const { net, app } = await world.stacks("net", "app");
    await world.apply(net, analysisFile({ resources: manages("v") }));
    await world.apply(
      app,
      analysisFile({ edges: [{ from_stack: "network", trigger: "always" }], resources: reads("v") }),
    );
    expect(await directDependents(database.db, { orgId: org.orgId, stackKey: net }, BUDGETS)).toMatchObject([
      { declared: false },
    ]);
    await database.sql`update stacks set slug = 'network', name = 'network' where stack_key = ${net}`;
    expect(await directDependents(database.db, { orgId: org.orgId, stackKey: net }, BUDGETS)).toMatchObject([
      { declared: true, dependencyId: "network" },
      { inferred: true },
    ]);
  });
});

describe("rebuild", () => {
  test("brings back edges and identities that were lost or made up, from the newest analyses, in slices of any size", async ({
    database,
    org,
    analysis,
    world,
  }) => {
    const made = await world.stacks("net", "app", "web", "gone");
    await world.apply(made.net, analysisFile({ resources: manages("v") }));
    await world.apply(
      made.app,
      analysisFile({ edges: [{ from_stack: "net", trigger: "always" }], resources: reads("v") }),
    );
    await world.apply(made.web, analysisFile({ edges: [{ from_stack: "app" }] }));
    await world.apply(made.gone, analysisFile({ edges: [{ from_stack: "app" }], resources: manages("w") }));
    const all = async () => [
      await world.edgesOf(made.net),
      await world.edgesOf(made.app),
      await world.edgesOf(made.web),
    ];
    const expected = await all();
    const { sql } = database;
    await sql`delete from dependency_edges where dependent_stack_key = ${made.app}`;
    await sql`delete from stack_resource_identities where stack_key = ${made.net}`;
    await sql`update dependency_edges set dependency_stack_slug = 'made-up', edge_hash = '\\x01' where dependent_stack_key = ${made.web}`;
    await sql`update stacks set deleted_at = svc_now() where stack_key = ${made.gone}`;
    await world.request("dependency_graph_rebuild");
    let slices = 0;
    for (let view = { status: "pending" }; view.status !== "done"; slices++) {
      // A slice without any time stops at its first good place; the next one goes on from there.
      view = await analysis.rebuild(org.orgId, slices % 2 === 0 ? 0 : 120_000);
      expect(slices).toBeLessThan(10);
    }
    expect(slices).toBeGreaterThan(1);
    expect(await all()).toEqual(expected);
    expect(await sql`select 1 from dependency_state where stack_key = ${made.gone}`).toEqual([]);
  });

  test("an organization without stacks, and one without analyses, are done at once", async ({
    org,
    analysis,
    world,
  }) => {
    await world.request("dependency_graph_rebuild");
    expect(await analysis.rebuild(org.orgId, 120_000)).toMatchObject({ status: "done" });
    await world.stacks("net");
    await world.request("dependency_graph_rebuild");
    expect(await analysis.rebuild(org.orgId, 120_000)).toMatchObject({ status: "done" });
  });
});
