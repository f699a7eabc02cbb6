/**
 * Findings: cycles, orphans and duplicates of an organization, computed by a task, told once for each change
 * (docs/rules/graph.md#resources-and-findings).
 */
import { createHash, randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { deleteStack } from "../../src/core/stackLife/deleteStack.ts";
import { enqueueTask } from "../../src/work/tasks/enqueue.ts";
import { unitOfWork } from "../../src/work/unitOfWork.ts";
import { ACTOR, makeOrg, makeStack, testService } from "../support/fixtures.ts";
import { finishWithAnalysis, testTaskDeps, workOff } from "../support/tasks.ts";
import { databaseTest } from "../support/test.ts";

const item = (address: string, identity: string | null = null, mode = "managed") => ({
  address,
  mode,
  type: "aws_vpc",
  provider: "aws",
  realm: identity === null ? null : "aws/1",
  identity,
  ignore: false,
});

const report = (change: object = {}) => ({
  cycles: 0,
  orphans: 0,
  duplicates: 0,
  cycles_complete: true,
  orphans_complete: true,
  ...change,
});

const test = databaseTest()
  .extend("service", { scope: "file" }, ({ database }) => testService(database))
  .extend("deps", { scope: "file" }, async ({ database, service }, { onCleanup }) => {
    const deps = await testTaskDeps(database, service);
    onCleanup(() => deps.close());
    return deps;
  })
  .extend("world", async ({ database, deps, service }) => {
    const org = await makeOrg(database);
    const stack = (slug: string) => makeStack(database, org.orgId, { slug, name: slug });

    /** A declaration in `dependent`, as its newest analysis left it. */
    async function declare(dependent: string, fromStack: string, fromResource: string | null = null): Promise<void> {
      const hash = createHash("sha256").update(randomUUID()).digest();
      await database.sql`
        insert into dependency_edges (org_id, dependent_stack_key, provenance, dependency_stack_slug, dependency_address, trigger, file, line, edge_hash)
        values (${org.orgId}, ${dependent}, 'declared', ${fromStack}, ${fromResource}, 'always', 'main.tf', 3, ${hash})`;
    }

    async function holds(stackKey: string, items: object[], complete = true): Promise<void> {
      await finishWithAnalysis(deps, database, { ...org, stackKey }, { version: 1, resources: { complete, items } });
      await workOff(deps, { kind: "resource_index_reconcile", orgId: org.orgId, stackKey });
    }

    async function compute(options = {}): Promise<number> {
      for (const kind of ["resource_index_rebuild", "org_findings_rebuild"] as const) {
        await unitOfWork(service, (work) => enqueueTask(work.tx, work.messages, { orgId: org.orgId, kind }));
      }
      await workOff(deps, { kind: "resource_index_rebuild", orgId: org.orgId });
      return workOff(deps, { kind: "org_findings_rebuild", orgId: org.orgId }, options);
    }
    const findings = () =>
      database.sql`select kind, stack_keys, stack_count, details from explore.findings where org_id = ${org.orgId} order by kind, details::text`;
    const events = async () =>
      (
        await database.sql`select data from domain_events where org_id = ${org.orgId} and name = 'explore_findings_changed' order by id`
      ).map(({ data }) => data as Record<string, unknown>);

    return { stack, declare, holds, compute, findings, events, org };
  });

describe("cycles", () => {
  test("are groups of stacks that lead back to themselves; one that is cut is gone", async ({ database, world }) => {
    const [a, b, c, d] = await Promise.all(["a", "b", "c", "d"].map(world.stack));
    await world.declare(a!, "b");
    await world.declare(b!, "a");
    await world.declare(c!, "d");
    await world.declare(d!, "c");
    await world.compute();
    const found = await world.findings();
    expect(found.map((row) => row.stack_keys.toSorted())).toEqual(
      expect.arrayContaining([[a, b].toSorted(), [c, d].toSorted()]),
    );
    expect(found).toHaveLength(2);
    await database.sql`delete from dependency_edges where dependent_stack_key = ${b!}`;
    await world.compute();
    expect((await world.findings()).map((row) => row.stack_keys.toSorted())).toEqual([[c, d].toSorted()]);
  });

  test("over a budget are unknown, and so are orphans; nothing says that there are none", async ({
    service,
    deps,
    world,
  }) => {
    const [a, b] = await Promise.all(["a", "b"].map(world.stack));
    await world.declare(a!, "b");
    await world.declare(b!, "a");
    await world.declare(b!, "nowhere");
    const small = { ...deps, budgets: { ...deps.budgets, maxOrgEdges: 2 } };
    await world.compute();
    await unitOfWork(service, (work) =>
      enqueueTask(work.tx, work.messages, { orgId: world.org.orgId, kind: "org_findings_rebuild" }),
    );
    await workOff(small, { kind: "org_findings_rebuild", orgId: world.org.orgId });
    expect(await world.events()).toEqual([
      { current: report({ cycles: 1, orphans: 1 }) },
      {
        current: report({ cycles_complete: false, orphans_complete: false }),
        previous: report({ cycles: 1, orphans: 1 }),
      },
    ]);
  });
});

describe("orphans", () => {
  test("are declarations of a stack or a resource that is not there; outputs are taken on trust", async ({ world }) => {
    const [a, b] = await Promise.all(["a", "b"].map(world.stack));
    await world.holds(b!, [item("aws_vpc.main[0]"), item("module.net.aws_subnet.x"), item('aws_s3.b["k.1"]')]);
    for (const there of [null, "output.id", "aws_vpc.main", "aws_vpc.main[0]", "module.net", 'aws_s3.b["k.1"]']) {
      await world.declare(a!, "b", there);
    }
    await world.compute();
    expect(await world.findings()).toEqual([]);
    await world.declare(a!, "gone");
    for (const missing of ["aws_vpc.mai", "aws_vpc.main[1]", "module.ne", "aws_vpc"])
      await world.declare(a!, "b", missing);
    await world.compute();
    const found = await world.findings();
    // A type alone is no address, but all that is in it would be named by it.
    expect(found.map(({ details }) => [details.reason, details.from_resource])).toEqual(
      expect.arrayContaining([
        ["stack_missing", null],
        ["resource_missing", "aws_vpc.mai"],
        ["resource_missing", "aws_vpc.main[1]"],
        ["resource_missing", "module.ne"],
      ]),
    );
    expect(found).toHaveLength(4);
    expect(found[0]?.details).toMatchObject({ file: "main.tf", line: 3 });
  });

  test("that cannot be judged, since the resources there are not all known, make the count incomplete", async ({
    world,
  }) => {
    const [a, b] = await Promise.all(["a", "b"].map(world.stack));
    await world.declare(a!, "b", "aws_vpc.main");
    await world.compute();
    expect(await world.findings()).toEqual([]);
    expect(await world.events()).toEqual([{ current: report({ orphans_complete: false }) }]);
    await world.holds(b!, [], false);
    await world.compute();
    expect(await world.findings()).toEqual([]);
    await world.holds(b!, []);
    await world.compute();
    expect(await world.findings()).toHaveLength(1);
  });

  test("come and go with the stack that is named", async ({ database, service, deps, world }) => {
    const [a] = await Promise.all(["a", "b"].map(world.stack));
    await world.declare(a!, "b");
    await world.compute();
    const [b] = await database.sql`select stack_key from stacks where org_id = ${world.org.orgId} and slug = 'b'`;
    await deleteStack(service, ACTOR as never, b?.stack_key, false);
    await workOff(deps, { kind: "explore_purge", orgId: world.org.orgId, stackKey: b?.stack_key });
    await workOff(deps, { kind: "org_findings_rebuild", orgId: world.org.orgId });
    expect((await world.findings()).map(({ details }) => details.reason)).toEqual(["stack_missing"]);
    await world.stack("b");
    await world.compute();
    expect(await world.findings()).toEqual([]);
    expect(await world.events()).toEqual([
      { current: report({ orphans: 1 }), previous: report() },
      { current: report(), previous: report({ orphans: 1 }) },
    ]);
  });
});

describe("duplicates", () => {
  test("are things that two stacks manage; reading one, or managing it twice in one stack, is none", async ({
    world,
  }) => {
    const [a, b, c] = await Promise.all(["a", "b", "c"].map(world.stack));
    await world.holds(a!, [item("x", "vpc-1"), item("y", "vpc-2"), item("z", "vpc-2")]);
    await world.holds(b!, [item("x", "vpc-1")]);
    await world.holds(c!, [item("x", "vpc-1", "data"), item("y", "vpc-2", "data")]);
    await world.compute();
    const found = await world.findings();
    expect(found).toMatchObject([
      { kind: "duplicate", stack_count: 2, details: { realm: "aws/1", identity: "vpc-1" } },
    ]);
    expect(found[0]?.stack_keys.toSorted()).toEqual([a, b].toSorted());
  });
});

describe("a change", () => {
  test("is told once, with what was before, whoever computes how often and in whatever slices", async ({ world }) => {
    const [a, b] = await Promise.all(["a", "b"].map(world.stack));
    await world.compute();
    expect(await world.events()).toEqual([]);
    await world.declare(a!, "b");
    await world.declare(b!, "a");
    await world.declare(a!, "nowhere");
    expect(await world.compute({ sliceMs: 0 })).toBeGreaterThan(1);
    for (let i = 0; i < 3; i++) await world.compute();
    expect(await world.events()).toEqual([{ current: report({ cycles: 1, orphans: 1 }), previous: report() }]);
  });

  test("is not told of a lost explore database: findings wait until everything is indexed again", async ({
    database,
    service,
    deps,
    world,
  }) => {
    const [a, b] = await Promise.all(["a", "b"].map(world.stack));
    await world.holds(a!, [item("x", "vpc-1")]);
    await world.holds(b!, [item("x", "vpc-1")]);
    await world.compute();
    expect(await world.events()).toHaveLength(1);
    await database.sql`delete from explore.resources`;
    await database.sql`delete from explore.stacks`;
    await database.sql`delete from explore.findings`;
    await database.sql`update explore.installation set id = gen_random_uuid()`;
    await unitOfWork(service, (work) =>
      enqueueTask(work.tx, work.messages, { orgId: world.org.orgId, kind: "org_findings_rebuild" }),
    );
    await workOff(deps, { kind: "org_findings_rebuild", orgId: world.org.orgId });
    expect(await world.findings()).toEqual([]);
    await workOff(deps, { kind: "resource_index_rebuild", orgId: world.org.orgId });
    await workOff(deps, { kind: "org_findings_rebuild", orgId: world.org.orgId });
    expect(await world.findings()).toHaveLength(1);
    expect(await world.events()).toHaveLength(1);
  });
});
