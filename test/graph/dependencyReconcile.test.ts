/**
 * Edges follow what runs that count say: declared, inferred, unknown, renamed, deleted
 * (docs/rules/graph.md#unknown-is-not-empty).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import { deleteStack } from "../../src/core/stackLife/deleteStack.ts";
import { directDependents } from "../../src/graph/dependencies/edges.ts";
import { beginRun, storeAnalysis } from "../../src/graph/dependencies/storeAnalysis.ts";
import { enqueueTask } from "../../src/work/tasks/enqueue.ts";
import { unitOfWork } from "../../src/work/unitOfWork.ts";
import { type AnalysisWorld, analysisFile, openAnalysisWorld, type ResourceSeed } from "../support/analysis.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { BUDGETS, makeStacks } from "../support/dependencies.ts";
import { ACTOR, create, makeOrg, type TestOrg } from "../support/fixtures.ts";
import { poll } from "../support/lifecycle.ts";

let database: TestDatabase;
let world: AnalysisWorld;
let org: TestOrg;
beforeAll(async () => {
  database = await freshDatabase();
  world = await openAnalysisWorld(database);
});
afterAll(() => Promise.all([database.close(), world.close()]));
beforeEach(async () => {
  org = await makeOrg(database);
});

const stacks = <S extends string>(...slugs: S[]) => makeStacks(database, org.orgId, slugs);
/** A run ends with this file and its task runs. */
const apply = async (stackKey: string, file: object | Buffer | null, budgets = {}) => {
  const finished = await world.finish(org, stackKey, file);
  await world.reconcile(org.orgId, stackKey, budgets);
  return finished;
};
const edgesOf = (stackKey: string) => database.sql`
  select provenance, dependency_stack_slug as slug, dependency_stack_key as on, dependent_address as address,
    dependency_address as parent, trigger, file, line from dependency_edges where dependent_stack_key = ${stackKey}
  order by provenance, dependency_stack_slug, dependent_address collate "C" nulls first, dependency_address collate "C" nulls first`;
const NOTHING = { declared: null, identities: null, commentErrors: { shown: [], count: 0 }, problems: [] };
const state = async (stackKey: string) =>
  (await database.sql`select * from dependency_state where stack_key = ${stackKey}`)[0];
const tasks = () => database.sql`select kind, stack_key, status from org_tasks
  where org_id = ${org.orgId} and kind like 'dependency%' order by id`;
const request = (kind: "dependency_graph_reconcile" | "dependency_graph_rebuild", stackKey?: string) =>
  unitOfWork(world.service, ({ tx, messages }) =>
    enqueueTask(tx, messages, { orgId: org.orgId, kind, ...(stackKey === undefined ? {} : { stackKey }) }),
  );

const manages = (...identities: string[]): ResourceSeed[] =>
  identities.map((identity) => ({ address: `aws_vpc.${identity}`, identity }));
const reads = (...identities: string[]): ResourceSeed[] =>
  identities.map((identity) => ({ address: `data.aws_vpc.${identity}`, mode: "data", identity }));

describe("declared edges", () => {
  test("are what the newest run says: added, changed, removed; an empty section removes all", async () => {
    const { app } = await stacks("app");
    await apply(
      app,
      analysisFile({
        edges: [
          {
            from_stack: "net",
            from_resource: "output.vpc_id",
            resource: "aws_subnet.a",
            trigger: "always",
            file: "main.tf",
            line: 3,
          },
          { from_stack: "dns" },
        ],
      }),
    );
    expect(await edgesOf(app)).toEqual([
      {
        provenance: "declared",
        slug: "dns",
        on: null,
        address: null,
        parent: null,
        trigger: "manual",
        file: null,
        line: null,
      },
      {
        provenance: "declared",
        slug: "net",
        on: null,
        address: "aws_subnet.a",
        parent: "output.vpc_id",
        trigger: "always",
        file: "main.tf",
        line: 3,
      },
    ]);
    const before =
      await database.sql`select id from dependency_edges where dependency_stack_slug = 'net' and org_id = ${org.orgId}`;
    await apply(
      app,
      analysisFile({
        edges: [
          {
            from_stack: "net",
            from_resource: "output.vpc_id",
            resource: "aws_subnet.a",
            trigger: "never",
            file: "main.tf",
            line: 9,
          },
        ],
      }),
    );
    expect(await edgesOf(app)).toMatchObject([{ slug: "net", trigger: "never", line: 9 }]);
    expect(await database.sql`select id from dependency_edges where org_id = ${org.orgId}`).toEqual(before);
    await apply(app, analysisFile({ edges: [] }));
    expect(await edgesOf(app)).toEqual([]);
    expect(await state(app)).toMatchObject({ declared: "known", resources: "unknown", problem: null });
  });

  test.each([
    ["an absent section", analysisFile({})],
    ["a null section", analysisFile({ edges: null, resources: null })],
    [
      "a malformed section",
      { version: 1, dependencies: { edges: [{ from_stack: "a b" }] }, resources: { items: [{}] } },
    ],
    ["a file that is no JSON", Buffer.from("{")],
    ["another version", { version: 7, dependencies: { edges: [] }, resources: { complete: true, items: [] } }],
  ])("%s leaves every edge as it was, and says that nothing is known", async (_, file) => {
    const { app, net } = await stacks("app", "net");
    await apply(net, analysisFile({ resources: manages("v") }));
    await apply(app, analysisFile({ edges: [{ from_stack: "net", trigger: "always" }], resources: reads("v") }));
    const before = await edgesOf(app);
    expect(before).toHaveLength(2);
    await apply(app, file);
    expect(await edgesOf(app)).toEqual(before);
    expect(await state(app)).toMatchObject({ declared: "unknown", resources: "unknown" });
  });

  test("a stack that declares itself has no edge", async () => {
    const { app } = await stacks("app");
    await apply(app, analysisFile({ edges: [{ from_stack: "app", trigger: "always" }] }));
    expect(await edgesOf(app)).toEqual([]);
  });

  test("repeated declarations combine, manual over never over always", async () => {
    const { app } = await stacks("app");
    await apply(
      app,
      analysisFile({
        edges: [
          { from_stack: "net", trigger: "always" },
          { from_stack: "net", trigger: "never" },
        ],
      }),
    );
    expect(await edgesOf(app)).toMatchObject([{ trigger: "never" }]);
  });

  test("as many as a section may have are stored, changed and removed in seconds", async () => {
    const { app } = await stacks("app");
    const file = (trigger: string, count: number) =>
      analysisFile({ edges: Array.from({ length: count }, (_, i) => ({ from_stack: `s${i}`, trigger })) });
    const count = async () =>
      (
        await database.sql`select trigger, count(*)::int from dependency_edges where dependent_stack_key = ${app} group by 1`
      )[0];
    const started = performance.now();
    await apply(app, file("always", 10_000));
    expect(await count()).toEqual({ trigger: "always", count: 10_000 });
    await apply(app, file("never", 10_000));
    expect(await count()).toEqual({ trigger: "never", count: 10_000 });
    await apply(app, file("never", 5_000));
    expect(await count()).toEqual({ trigger: "never", count: 5_000 });
    expect(performance.now() - started).toBeLessThan(30_000);
  });

  test("a file that was cut or changed where it is stored is unknown, and nothing is lost", async () => {
    const { app } = await stacks("app");
    await apply(app, analysisFile({ edges: [{ from_stack: "net" }] }));
    const other = await world.finish(org, app, analysisFile({ edges: [] }));
    const { runId } = await world.finish(org, app, analysisFile({ edges: [] }));
    // The bytes of one run under the row of another do not open.
    await database.sql`update artifacts set object_key = (
      select object_key from artifacts where run_id = ${other.runId} and kind = 'analysis')
      where run_id = ${runId} and kind = 'analysis'`;
    await world.reconcile(org.orgId, app);
    expect(await edgesOf(app)).toHaveLength(1);
    expect((await state(app))?.problem).toMatch(/cannot be opened/);
  });
});

describe("which runs count", () => {
  test("the end of a lane deployment asks for a task when it left an analysis, once", async () => {
    const { app } = await stacks("app");
    await world.finish(org, app, null);
    expect(await tasks()).toEqual([]);
    await world.finish(org, app, analysisFile({ edges: [] }));
    await world.finish(org, app, analysisFile({ edges: [] }));
    expect(await tasks()).toEqual([{ kind: "dependency_graph_reconcile", stack_key: app, status: "pending" }]);
    expect(world.service.sent).toContainEqual(expect.objectContaining({ kind: "taskRequested", stackKey: app }));
    await world.reconcile(org.orgId, app);
    expect(await tasks()).toMatchObject([{ status: "done" }]);
    expect(world.measured).toContain(org.orgId);
  });

  test("a failed run, and a preview, say nothing about edges", async () => {
    const { app } = await stacks("app");
    const preview = await world.finish(org, app, analysisFile({ edges: [{ from_stack: "net" }] }), {
      mode: "plan_unlocked",
    });
    await create(world.service, app);
    const run = await poll({ service: world.service }, org);
    await acceptRun(world.service, run.runId, run.runnerId);
    await database.sql`insert into artifacts (run_id, kind, object_key, size, sha256)
      select ${run.runId}, kind, object_key, size, sha256 from artifacts where run_id = ${preview.runId} and kind = 'analysis'`;
    await reportDone(world.service, run.runId, run.runnerId, { status: "failure" });
    expect(await tasks()).toEqual([]);
    await request("dependency_graph_reconcile", app);
    await world.reconcile(org.orgId, app);
    expect(await edgesOf(app)).toEqual([]);
  });

  test("an analysis past its retention changes nothing and is said to be gone, unless it was read before", async () => {
    const { app, web } = await stacks("app", "web");
    await apply(app, analysisFile({ edges: [{ from_stack: "net" }] }));
    const read = await apply(app, analysisFile({ edges: [{ from_stack: "dns" }] }));
    await database.sql`delete from artifacts where run_id = ${read.runId}`;
    await request("dependency_graph_reconcile", app);
    await world.reconcile(org.orgId, app);
    expect(await state(app)).toMatchObject({ declared: "known", problem: null });
    const unread = await world.finish(org, web, analysisFile({ edges: [{ from_stack: "net" }] }));
    await database.sql`delete from artifacts where run_id = ${unread.runId}`;
    await world.reconcile(org.orgId, web);
    expect(await state(web)).toMatchObject({ declared: "unknown", run_id: unread.runId });
    expect((await state(web))?.problem).toMatch(/removed/);
    expect(await edgesOf(app)).toHaveLength(1);
  });

  test("comments that were ignored are told with the edges of their run, and gone with the next one", async () => {
    const { app } = await stacks("app");
    const ignored = { edges: [{ from_stack: "dns" }], errors: ["main.tf:3: unknown field from_stak", 7] };
    await apply(app, { version: 1, dependencies: ignored });
    expect(await state(app)).toMatchObject({
      declared: "known",
      comment_errors: ["main.tf:3: unknown field from_stak"],
      comment_errors_count: 1,
    });
    const newer = await world.finish(org, app, { version: 2 });
    const [run] = await database.sql`select id, completed_at::text from runs where id = ${newer.runId}`;
    await beginRun(database.db, {
      orgId: org.orgId,
      stackKey: app,
      run: { runId: run?.id, completedAt: run?.completed_at },
    });
    expect(await state(app)).toMatchObject({ run_id: newer.runId, reconciled_at: null, comment_errors_count: 0 });
    await world.reconcile(org.orgId, app);
    expect(await state(app)).toMatchObject({
      declared: "unknown",
      problem: "the version of the analysis is unknown",
      comment_errors: [],
    });
    expect(await edgesOf(app)).toHaveLength(1);
    await apply(app, analysisFile({ edges: [] }));
    expect(await state(app)).toMatchObject({ declared: "known", problem: null, comment_errors_count: 0 });
  });

  test("a slice of an older run stops when a newer one took over", async () => {
    const { app } = await stacks("app");
    const older = await world.finish(org, app, analysisFile({ edges: [{ from_stack: "old" }] }));
    await apply(app, analysisFile({ edges: [{ from_stack: "new" }] }));
    const [run] = await database.sql`select id, completed_at::text from runs where id = ${older.runId}`;
    const target = { orgId: org.orgId, stackKey: app, run: { runId: run?.id, completedAt: run?.completed_at } };
    await expect(beginRun(database.db, target)).rejects.toMatchObject({ name: "SupersededError" });
    await expect(storeAnalysis(database.db, target, { ...NOTHING, declared: "[]" })).rejects.toMatchObject({
      name: "SupersededError",
    });
    expect(await edgesOf(app)).toMatchObject([{ slug: "new" }]);
  });
});

describe("inferred edges", () => {
  test("a stack that reads what one other manages depends on it, whichever was applied first", async () => {
    const { net, app, web } = await stacks("net", "app", "web");
    await apply(app, analysisFile({ resources: reads("v") }));
    expect(await edgesOf(app)).toEqual([]);
    await apply(net, analysisFile({ resources: manages("v", "unread") }));
    await apply(web, analysisFile({ resources: [...reads("v"), ...manages("other")] }));
    for (const reader of [app, web]) {
      expect(await edgesOf(reader)).toMatchObject([
        { provenance: "inferred", on: net, address: "data.aws_vpc.v", parent: "aws_vpc.v", trigger: "manual" },
      ]);
    }
    expect(await edgesOf(net)).toEqual([]);
  });

  test("two managers are none; when one lets go the edge is there", async () => {
    const { a, b, app } = await stacks("a", "b", "app");
    await apply(a, analysisFile({ resources: manages("v") }));
    await apply(app, analysisFile({ resources: reads("v") }));
    expect(await edgesOf(app)).toMatchObject([{ on: a }]);
    await apply(b, analysisFile({ resources: manages("v") }));
    expect(await edgesOf(app)).toEqual([]);
    await apply(a, analysisFile({ resources: [] }));
    expect(await edgesOf(app)).toMatchObject([{ on: b }]);
    await apply(b, analysisFile({ resources: manages("w") }));
    expect(await edgesOf(app)).toEqual([]);
  });

  test("another realm, an ignored resource and one without identity are nobody's", async () => {
    const { net, app } = await stacks("net", "app");
    await apply(
      net,
      analysisFile({
        resources: [
          { address: "a.realm", identity: "v", realm: "elsewhere" },
          { address: "a.ignored", identity: "w", ignore: true },
          { address: "a.unknown", identity: null },
        ],
      }),
    );
    await apply(app, analysisFile({ resources: reads("v", "w") }));
    expect(await edgesOf(app)).toEqual([]);
  });

  test("a stack that reads what it manages itself does not depend on itself", async () => {
    const { net } = await stacks("net");
    await apply(net, analysisFile({ resources: [...manages("v"), ...reads("v")] }));
    expect(await edgesOf(net)).toEqual([]);
  });

  test("another organization's resources are nobody's here", async () => {
    const { app } = await stacks("app");
    await apply(app, analysisFile({ resources: reads("v") }));
    const here = org;
    org = await makeOrg(database);
    const { net } = await stacks("net");
    await apply(net, analysisFile({ resources: manages("v") }));
    org = here;
    expect(await edgesOf(app)).toEqual([]);
  });

  test("an incomplete list adds and changes, and removes nothing; an unknown one does nothing", async () => {
    const { net, app } = await stacks("net", "app");
    await apply(app, analysisFile({ resources: reads("v", "w", "x") }));
    await apply(net, analysisFile({ resources: manages("v", "w") }));
    await apply(net, analysisFile({ resources: manages("x"), complete: false }));
    expect((await edgesOf(app)).map((edge) => edge.parent)).toEqual(["aws_vpc.v", "aws_vpc.w", "aws_vpc.x"]);
    await apply(net, analysisFile({ edges: [] }));
    expect(await edgesOf(app)).toHaveLength(3);
    await apply(net, analysisFile({ resources: manages("w") }));
    expect((await edgesOf(app)).map((edge) => edge.parent)).toEqual(["aws_vpc.w"]);
  });

  test("declared and inferred edges of one stack are kept apart: each follows its own section", async () => {
    const { net, app } = await stacks("net", "app");
    await apply(net, analysisFile({ resources: manages("v") }));
    await apply(app, analysisFile({ edges: [{ from_stack: "net", trigger: "always" }], resources: reads("v") }));
    await apply(app, analysisFile({ edges: [] }));
    expect(await edgesOf(app)).toMatchObject([{ provenance: "inferred" }]);
    await apply(app, analysisFile({ edges: [{ from_stack: "net" }], resources: [] }));
    expect(await edgesOf(app)).toMatchObject([{ provenance: "declared" }]);
  });

  test("beyond the budget of one stack the same edges stay, and it says so", async () => {
    const { net, app } = await stacks("net", "app");
    const names = ["a", "b", "c", "d", "e"];
    await apply(net, analysisFile({ resources: manages(...names) }));
    await apply(app, analysisFile({ resources: reads(...names) }), { maxInferredEdgesPerStack: 3 });
    expect((await edgesOf(app)).map((edge) => edge.parent)).toEqual(["aws_vpc.a", "aws_vpc.b", "aws_vpc.c"]);
    expect(await state(app)).toMatchObject({ inferred_truncated: true });
    await apply(app, analysisFile({ resources: reads(...names) }), { maxInferredEdgesPerStack: 5 });
    expect(await edgesOf(app)).toHaveLength(5);
    expect(await state(app)).toMatchObject({ inferred_truncated: false });
  });

  test("addresses beyond 1,024 bytes have no edge; those of that length have", async () => {
    const { net, app } = await stacks("net", "app");
    const address = (bytes: number) => `aws_vpc.xy["${"é".repeat((bytes - 14) / 2)}"]`;
    await apply(
      net,
      analysisFile({
        resources: [
          { address: address(1_024), identity: "v" },
          { address: address(1_026), identity: "w" },
        ],
      }),
    );
    await apply(app, analysisFile({ resources: reads("v", "w") }));
    expect((await edgesOf(app)).map((edge) => Buffer.byteLength(edge.parent))).toEqual([1_024]);
  });

  test("thousands of resources go in and out in chunks, and only what changed is written", async () => {
    const { net, app } = await stacks("net", "app");
    const names = Array.from({ length: 2_345 }, (_, i) => `v${i}`);
    await apply(net, analysisFile({ resources: manages(...names) }));
    await apply(app, analysisFile({ resources: reads(...names) }));
    expect(await edgesOf(app)).toHaveLength(2_345);
    const count = async () =>
      (
        await database.sql`select count(*)::int, max(xmin::text::bigint) as newest from stack_resource_identities where stack_key = ${net}`
      )[0];
    const before = await count();
    await apply(net, analysisFile({ resources: manages(...[...names].reverse()) }));
    expect(await count()).toEqual(before);
    await apply(net, analysisFile({ resources: manages(...names.filter((_, i) => i % 2 === 0)) }));
    expect(await edgesOf(app)).toHaveLength(1_173);
    await apply(net, analysisFile({ resources: [] }));
    expect(await edgesOf(app)).toEqual([]);
    expect(await count()).toMatchObject({ count: 0 });
  });

  test("a reader and its manager that are stored at the same moment find each other, 40 rounds", async () => {
    const { net, app } = await stacks("net", "app");
    for (let round = 0; round < 40; round++) {
      await world.finish(org, net, analysisFile({ resources: manages(`r${round}`) }));
      await world.finish(org, app, analysisFile({ resources: reads(`r${round}`) }));
      await Promise.all([world.reconcile(org.orgId, net), world.reconcile(org.orgId, app)]);
      // A mark that one of them left for the other is worked off by whoever comes next.
      await request("dependency_graph_reconcile", app);
      await world.reconcile(org.orgId, app);
      expect(await edgesOf(app)).toMatchObject([{ on: net, parent: `aws_vpc.r${round}` }]);
    }
  });
});

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

  test("stacks that are stored at the same moment, again and again, end with the edges that one after the other would give", async () => {
    const keys = await stacks(...SLUGS);
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
        await world.finish(org, keys[slug], analysisFile({ resources: [...manages(...managed), ...reads(...data)] }));
      }
      await Promise.all(SLUGS.map((slug) => world.reconcile(org.orgId, keys[slug])));
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
  test("a deleted stack leaves nothing behind, and what others read of it has no manager", async () => {
    const { net, app } = await stacks("net", "app");
    await apply(net, analysisFile({ edges: [{ from_stack: "dns" }], resources: manages("v") }));
    await apply(app, analysisFile({ edges: [{ from_stack: "net", trigger: "always" }], resources: reads("v") }));
    const subject = { ...ACTOR, kind: "service_account" } as never;
    await deleteStack(world.service, subject, net, false);
    expect(await directDependents(database.db, { orgId: org.orgId, stackKey: net }, BUDGETS)).toEqual([]);
    expect(await tasks()).toContainEqual({ kind: "dependency_graph_reconcile", stack_key: net, status: "pending" });
    await world.reconcile(org.orgId, net);
    expect(await edgesOf(net)).toEqual([]);
    expect(await state(net)).toBeUndefined();
    expect(await database.sql`select 1 from stack_resource_identities where stack_key = ${net}`).toEqual([]);
    // The declaration stays: it names an id, and a stack that takes it is meant.
    expect(await edgesOf(app)).toMatchObject([{ provenance: "declared", slug: "net" }]);
    const { net: next } = await stacks("net");
    await apply(next, analysisFile({ resources: manages("v") }));
    expect(await directDependents(database.db, { orgId: org.orgId, stackKey: next }, BUDGETS)).toMatchObject([
      { dependentSlug: "app", declared: true, trigger: "always" },
      { dependentSlug: "app", inferred: true, trigger: "manual" },
    ]);
  });

  test("a renamed stack keeps what was inferred, and is found by declarations of its new id", async () => {
    const { net, app } = await stacks("net", "app");
    await apply(net, analysisFile({ resources: manages("v") }));
    await apply(app, analysisFile({ edges: [{ from_stack: "network", trigger: "always" }], resources: reads("v") }));
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
  test("brings back edges and identities that were lost or made up, from the newest analyses, in slices of any size", async () => {
    const made = await stacks("net", "app", "web", "gone");
    await apply(made.net, analysisFile({ resources: manages("v") }));
    await apply(made.app, analysisFile({ edges: [{ from_stack: "net", trigger: "always" }], resources: reads("v") }));
    await apply(made.web, analysisFile({ edges: [{ from_stack: "app" }] }));
    await apply(made.gone, analysisFile({ edges: [{ from_stack: "app" }], resources: manages("w") }));
    const all = async () => [await edgesOf(made.net), await edgesOf(made.app), await edgesOf(made.web)];
    const expected = await all();
    const { sql } = database;
    await sql`delete from dependency_edges where dependent_stack_key = ${made.app}`;
    await sql`delete from stack_resource_identities where stack_key = ${made.net}`;
    await sql`update dependency_edges set dependency_stack_slug = 'made-up', edge_hash = '\\x01' where dependent_stack_key = ${made.web}`;
    await sql`update stacks set deleted_at = svc_now() where stack_key = ${made.gone}`;
    await request("dependency_graph_rebuild");
    let slices = 0;
    for (let view = { status: "pending" }; view.status !== "done"; slices++) {
      // A slice without any time stops at its first good place; the next one goes on from there.
      view = await world.rebuild(org.orgId, slices % 2 === 0 ? 0 : 120_000);
      expect(slices).toBeLessThan(10);
    }
    expect(slices).toBeGreaterThan(1);
    expect(await all()).toEqual(expected);
    expect(await sql`select 1 from dependency_state where stack_key = ${made.gone}`).toEqual([]);
  });

  test("an organization without stacks, and one without analyses, are done at once", async () => {
    await request("dependency_graph_rebuild");
    expect(await world.rebuild(org.orgId, 120_000)).toMatchObject({ status: "done" });
    await stacks("net");
    await request("dependency_graph_rebuild");
    expect(await world.rebuild(org.orgId, 120_000)).toMatchObject({ status: "done" });
  });
});
