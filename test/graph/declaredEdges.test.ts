/** Declared edges, and which runs count (docs/rules/graph.md#unknown-is-not-empty). */
import { describe, expect } from "vitest";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import { beginRun, storeAnalysis } from "../../src/graph/dependencies/storeAnalysis.ts";
import { analysisFile } from "../support/analysis.ts";
import { manages, reads, test } from "../support/edgesTest.ts";
import { create } from "../support/fixtures.ts";
import { poll } from "../support/lifecycle.ts";

const NOTHING = { declared: null, identities: null, commentErrors: { shown: [], count: 0 }, problems: [] };

describe("declared edges", () => {
  test("are what the newest run says: added, changed, removed; an empty section removes all", async ({
    database,
    org,
    world,
  }) => {
    const { app } = await world.stacks("app");
    await world.apply(
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
    expect(await world.edgesOf(app)).toEqual([
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
    await world.apply(
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
    expect(await world.edgesOf(app)).toMatchObject([{ slug: "net", trigger: "never", line: 9 }]);
    expect(await database.sql`select id from dependency_edges where org_id = ${org.orgId}`).toEqual(before);
    await world.apply(app, analysisFile({ edges: [] }));
    expect(await world.edgesOf(app)).toEqual([]);
    expect(await world.state(app)).toMatchObject({
      declared: "known",
      resources: "unknown",
      problem: expect.stringMatching(/^resources: /),
    });
  });

  test.for([
    ["an absent section", analysisFile({})],
    ["a null section", analysisFile({ edges: null, resources: null })],
    [
      "a malformed section",
      { version: 1, dependencies: { edges: [{ from_stack: "a b" }] }, resources: { items: [{}] } },
    ],
    ["a file that is no JSON", Buffer.from("{")],
    ["another version", { version: 7, dependencies: { edges: [] }, resources: { complete: true, items: [] } }],
  ] as const)("%s leaves every edge as it was, and says that nothing is known", async ([_, file], { world }) => {
    const { app, net } = await world.stacks("app", "net");
    await world.apply(net, analysisFile({ resources: manages("v") }));
    await world.apply(app, analysisFile({ edges: [{ from_stack: "net", trigger: "always" }], resources: reads("v") }));
    const before = await world.edgesOf(app);
    expect(before).toHaveLength(2);
    await world.apply(app, file);
    expect(await world.edgesOf(app)).toEqual(before);
    expect(await world.state(app)).toMatchObject({ declared: "unknown", resources: "unknown" });
  });

  test("a stack that declares itself has no edge", async ({ world }) => {
    const { app } = await world.stacks("app");
    await world.apply(app, analysisFile({ edges: [{ from_stack: "app", trigger: "always" }] }));
    expect(await world.edgesOf(app)).toEqual([]);
  });

  test("repeated declarations combine, manual over never over always", async ({ world }) => {
    const { app } = await world.stacks("app");
    await world.apply(
      app,
      analysisFile({
        edges: [
          { from_stack: "net", trigger: "always" },
          { from_stack: "net", trigger: "never" },
        ],
      }),
    );
    expect(await world.edgesOf(app)).toMatchObject([{ trigger: "never" }]);
  });

  test("as many as a section may have are stored, changed and removed in seconds", async ({ database, world }) => {
    const { app } = await world.stacks("app");
    const file = (trigger: string, count: number) =>
      analysisFile({ edges: Array.from({ length: count }, (_, i) => ({ from_stack: `s${i}`, trigger })) });
    const count = async () =>
      (
        await database.sql`select trigger, count(*)::int from dependency_edges where dependent_stack_key = ${app} group by 1`
      )[0];
    const started = performance.now();
    await world.apply(app, file("always", 10_000));
    expect(await count()).toEqual({ trigger: "always", count: 10_000 });
    await world.apply(app, file("never", 10_000));
    expect(await count()).toEqual({ trigger: "never", count: 10_000 });
    await world.apply(app, file("never", 5_000));
    expect(await count()).toEqual({ trigger: "never", count: 5_000 });
    expect(performance.now() - started).toBeLessThan(30_000);
  });

  test("a file that was cut or changed where it is stored is unknown, and nothing is lost", async ({
    database,
    org,
    analysis,
    world,
  }) => {
    const { app } = await world.stacks("app");
    await world.apply(app, analysisFile({ edges: [{ from_stack: "net" }] }));
    const other = await analysis.finish(org, app, analysisFile({ edges: [] }));
    const { runId } = await analysis.finish(org, app, analysisFile({ edges: [] }));
    // The bytes of one run under the row of another do not open.
    await database.sql`update artifacts set object_key = (
      select object_key from artifacts where run_id = ${other.runId} and kind = 'analysis')
      where run_id = ${runId} and kind = 'analysis'`;
    await analysis.reconcile(org.orgId, app);
    expect(await world.edgesOf(app)).toHaveLength(1);
    expect((await world.state(app))?.problem).toMatch(/cannot be opened/);
  });
});

describe("which runs count", () => {
  test("the end of a lane deployment asks for a task when it left an analysis, once", async ({
    org,
    analysis,
    world,
  }) => {
    const { app } = await world.stacks("app");
    await analysis.finish(org, app, null);
    expect(await world.tasks()).toEqual([]);
    await analysis.finish(org, app, analysisFile({ edges: [] }));
    await analysis.finish(org, app, analysisFile({ edges: [] }));
    expect(await world.tasks()).toEqual([{ kind: "dependency_graph_reconcile", stack_key: app, status: "pending" }]);
    expect(analysis.service.sent).toContainEqual(expect.objectContaining({ kind: "taskRequested", stackKey: app }));
    await analysis.reconcile(org.orgId, app);
    expect(await world.tasks()).toMatchObject([{ status: "done" }]);
    expect(analysis.measured).toContain(org.orgId);
  });

  test("a failed run, and a preview, say nothing about edges", async ({ database, org, analysis, world }) => {
    const { app } = await world.stacks("app");
    const preview = await analysis.finish(org, app, analysisFile({ edges: [{ from_stack: "net" }] }), {
      mode: "plan_unlocked",
    });
    await create(analysis.service, app);
    const run = await poll({ service: analysis.service }, org);
    await acceptRun(analysis.service, run.runId, run.runnerId);
    await database.sql`insert into artifacts (run_id, kind, object_key, size, sha256)
      select ${run.runId}, kind, object_key, size, sha256 from artifacts where run_id = ${preview.runId} and kind = 'analysis'`;
    await reportDone(analysis.service, run.runId, run.runnerId, { status: "failure" });
    expect(await world.tasks()).toEqual([]);
    await world.request("dependency_graph_reconcile", app);
    await analysis.reconcile(org.orgId, app);
    expect(await world.edgesOf(app)).toEqual([]);
  });

  test("an analysis past its retention changes nothing and is said to be gone, unless it was read before", async ({
    database,
    org,
    analysis,
    world,
  }) => {
    const { app, web } = await world.stacks("app", "web");
    await world.apply(app, analysisFile({ edges: [{ from_stack: "net" }] }));
    const read = await world.apply(app, analysisFile({ edges: [{ from_stack: "dns" }] }));
    await database.sql`delete from artifacts where run_id = ${read.runId}`;
    await world.request("dependency_graph_reconcile", app);
    await analysis.reconcile(org.orgId, app);
    expect(await world.state(app)).toMatchObject({ declared: "known", problem: expect.stringMatching(/^resources: /) });
    const unread = await analysis.finish(org, web, analysisFile({ edges: [{ from_stack: "net" }] }));
    await database.sql`delete from artifacts where run_id = ${unread.runId}`;
    await analysis.reconcile(org.orgId, web);
    expect(await world.state(web)).toMatchObject({ declared: "unknown", run_id: unread.runId });
    expect((await world.state(web))?.problem).toMatch(/removed/);
    expect(await world.edgesOf(app)).toHaveLength(1);
  });

  test("comments that were ignored are told with the edges of their run, and gone with the next one", async ({
    database,
    org,
    analysis,
    world,
  }) => {
    const { app } = await world.stacks("app");
    const ignored = { edges: [{ from_stack: "dns" }], errors: ["main.tf:3: unknown field from_stak", 7] };
    await world.apply(app, { version: 1, dependencies: ignored });
    expect(await world.state(app)).toMatchObject({
      declared: "known",
      comment_errors: ["main.tf:3: unknown field from_stak"],
      comment_errors_count: 1,
    });
    const newer = await analysis.finish(org, app, { version: 2 });
    const [run] = await database.sql`select id, completed_at::text from runs where id = ${newer.runId}`;
    await beginRun(database.db, {
      orgId: org.orgId,
      stackKey: app,
      run: { runId: run?.id, completedAt: run?.completed_at },
    });
    expect(await world.state(app)).toMatchObject({ run_id: newer.runId, reconciled_at: null, comment_errors_count: 0 });
    await analysis.reconcile(org.orgId, app);
    expect(await world.state(app)).toMatchObject({
      declared: "unknown",
      problem: "the version of the analysis is unknown",
      comment_errors: [],
    });
    expect(await world.edgesOf(app)).toHaveLength(1);
    await world.apply(app, analysisFile({ edges: [] }));
    expect(await world.state(app)).toMatchObject({
      declared: "known",
      problem: expect.stringMatching(/^resources: /),
      comment_errors_count: 0,
    });
  });

  test("a slice of an older run stops when a newer one took over", async ({ database, org, analysis, world }) => {
    const { app } = await world.stacks("app");
    const older = await analysis.finish(org, app, analysisFile({ edges: [{ from_stack: "old" }] }));
    await world.apply(app, analysisFile({ edges: [{ from_stack: "new" }] }));
    const [run] = await database.sql`select id, completed_at::text from runs where id = ${older.runId}`;
    const target = { orgId: org.orgId, stackKey: app, run: { runId: run?.id, completedAt: run?.completed_at } };
    await expect(beginRun(database.db, target)).rejects.toMatchObject({ name: "SupersededError" });
    await expect(storeAnalysis(database.db, target, { ...NOTHING, declared: "[]" })).rejects.toMatchObject({
      name: "SupersededError",
    });
    expect(await world.edgesOf(app)).toMatchObject([{ slug: "new" }]);
  });
});
