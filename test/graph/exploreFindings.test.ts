/**
 * Findings: cycles, orphans and duplicates of an organization, computed by a task, told once for each change
 * (docs/rules/graph.md#resources-and-findings).
 */
import { createHash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { deleteStack } from "../../src/core/stackLife/deleteStack.ts";
import { enqueueTask } from "../../src/work/tasks/enqueue.ts";
import { unitOfWork } from "../../src/work/unitOfWork.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { ACTOR, makeOrg, makeStack, type TestOrg, type TestService, testService } from "../support/fixtures.ts";
import { finishWithAnalysis, type TestTaskDeps, testTaskDeps, workOff } from "../support/tasks.ts";

let database: TestDatabase;
let service: TestService;
let deps: TestTaskDeps;
let org: TestOrg;

beforeAll(async () => {
  database = await freshDatabase();
  service = testService(database);
  deps = await testTaskDeps(database, service);
});
afterAll(async () => {
  await deps.close();
  await database.close();
});
beforeEach(async () => {
  org = await makeOrg(database);
});

const stack = (slug: string) => makeStack(database, org.orgId, { slug, name: slug });

/** A declaration in `dependent`, as its newest analysis left it. */
async function declare(dependent: string, fromStack: string, fromResource: string | null = null): Promise<void> {
  const hash = createHash("sha256").update(randomUUID()).digest();
  await database.sql`
    insert into dependency_edges (org_id, dependent_stack_key, provenance, dependency_stack_slug, dependency_address, trigger, file, line, edge_hash)
    values (${org.orgId}, ${dependent}, 'declared', ${fromStack}, ${fromResource}, 'always', 'main.tf', 3, ${hash})`;
}

const item = (address: string, identity: string | null = null, mode = "managed") => ({
  address,
  mode,
  type: "aws_vpc",
  provider: "aws",
  realm: identity === null ? null : "aws/1",
  identity,
  ignore: false,
});

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
const report = (change: object = {}) => ({
  cycles: 0,
  orphans: 0,
  duplicates: 0,
  cycles_complete: true,
  orphans_complete: true,
  ...change,
});

describe("cycles", () => {
  it("are groups of stacks that lead back to themselves; one that is cut is gone", async () => {
    const [a, b, c, d] = await Promise.all(["a", "b", "c", "d"].map(stack));
    await declare(a!, "b");
    await declare(b!, "a");
    await declare(c!, "d");
    await declare(d!, "c");
    await compute();
    const found = await findings();
    expect(found.map((row) => row.stack_keys.toSorted())).toEqual(
      expect.arrayContaining([[a, b].toSorted(), [c, d].toSorted()]),
    );
    expect(found).toHaveLength(2);
    await database.sql`delete from dependency_edges where dependent_stack_key = ${b!}`;
    await compute();
    expect((await findings()).map((row) => row.stack_keys.toSorted())).toEqual([[c, d].toSorted()]);
  });

  it("over a budget are unknown, and so are orphans; nothing says that there are none", async () => {
    const [a, b] = await Promise.all(["a", "b"].map(stack));
    await declare(a!, "b");
    await declare(b!, "a");
    await declare(b!, "nowhere");
    const small = { ...deps, budgets: { ...deps.budgets, maxOrgEdges: 2 } };
    await compute();
    await unitOfWork(service, (work) =>
      enqueueTask(work.tx, work.messages, { orgId: org.orgId, kind: "org_findings_rebuild" }),
    );
    await workOff(small, { kind: "org_findings_rebuild", orgId: org.orgId });
    expect(await events()).toEqual([
      { current: report({ cycles: 1, orphans: 1 }) },
      {
        current: report({ cycles_complete: false, orphans_complete: false }),
        previous: report({ cycles: 1, orphans: 1 }),
      },
    ]);
  });
});

describe("orphans", () => {
  it("are declarations of a stack or a resource that is not there; outputs are taken on trust", async () => {
    const [a, b] = await Promise.all(["a", "b"].map(stack));
    await holds(b!, [item("aws_vpc.main[0]"), item("module.net.aws_subnet.x"), item('aws_s3.b["k.1"]')]);
    for (const there of [null, "output.id", "aws_vpc.main", "aws_vpc.main[0]", "module.net", 'aws_s3.b["k.1"]']) {
      await declare(a!, "b", there);
    }
    await compute();
    expect(await findings()).toEqual([]);
    await declare(a!, "gone");
    for (const missing of ["aws_vpc.mai", "aws_vpc.main[1]", "module.ne", "aws_vpc"]) await declare(a!, "b", missing);
    await compute();
    const found = await findings();
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

  it("that cannot be judged, since the resources there are not all known, make the count incomplete", async () => {
    const [a, b] = await Promise.all(["a", "b"].map(stack));
    await declare(a!, "b", "aws_vpc.main");
    await compute();
    expect(await findings()).toEqual([]);
    expect(await events()).toEqual([{ current: report({ orphans_complete: false }) }]);
    await holds(b!, [], false);
    await compute();
    expect(await findings()).toEqual([]);
    await holds(b!, []);
    await compute();
    expect(await findings()).toHaveLength(1);
  });

  it("come and go with the stack that is named", async () => {
    const [a] = await Promise.all(["a", "b"].map(stack));
    await declare(a!, "b");
    await compute();
    const [b] = await database.sql`select stack_key from stacks where org_id = ${org.orgId} and slug = 'b'`;
    await deleteStack(service, ACTOR as never, b?.stack_key, false);
    await workOff(deps, { kind: "explore_purge", orgId: org.orgId, stackKey: b?.stack_key });
    await workOff(deps, { kind: "org_findings_rebuild", orgId: org.orgId });
    expect((await findings()).map(({ details }) => details.reason)).toEqual(["stack_missing"]);
    await stack("b");
    await compute();
    expect(await findings()).toEqual([]);
    expect(await events()).toEqual([
      { current: report({ orphans: 1 }), previous: report() },
      { current: report(), previous: report({ orphans: 1 }) },
    ]);
  });
});

describe("duplicates", () => {
  it("are things that two stacks manage; reading one, or managing it twice in one stack, is none", async () => {
    const [a, b, c] = await Promise.all(["a", "b", "c"].map(stack));
    await holds(a!, [item("x", "vpc-1"), item("y", "vpc-2"), item("z", "vpc-2")]);
    await holds(b!, [item("x", "vpc-1")]);
    await holds(c!, [item("x", "vpc-1", "data"), item("y", "vpc-2", "data")]);
    await compute();
    const found = await findings();
    expect(found).toMatchObject([
      { kind: "duplicate", stack_count: 2, details: { realm: "aws/1", identity: "vpc-1" } },
    ]);
    expect(found[0]?.stack_keys.toSorted()).toEqual([a, b].toSorted());
  });
});

describe("a change", () => {
  it("is told once, with what was before, whoever computes how often and in whatever slices", async () => {
    const [a, b] = await Promise.all(["a", "b"].map(stack));
    await compute();
    expect(await events()).toEqual([]);
    await declare(a!, "b");
    await declare(b!, "a");
    await declare(a!, "nowhere");
    expect(await compute({ sliceMs: 0 })).toBeGreaterThan(1);
    for (let i = 0; i < 3; i++) await compute();
    expect(await events()).toEqual([{ current: report({ cycles: 1, orphans: 1 }), previous: report() }]);
  });

  it("is not told of a lost explore database: findings wait until everything is indexed again", async () => {
    const [a, b] = await Promise.all(["a", "b"].map(stack));
    await holds(a!, [item("x", "vpc-1")]);
    await holds(b!, [item("x", "vpc-1")]);
    await compute();
    expect(await events()).toHaveLength(1);
    await database.sql`delete from explore.resources`;
    await database.sql`delete from explore.stacks`;
    await database.sql`delete from explore.findings`;
    await database.sql`update explore.installation set id = gen_random_uuid()`;
    await unitOfWork(service, (work) =>
      enqueueTask(work.tx, work.messages, { orgId: org.orgId, kind: "org_findings_rebuild" }),
    );
    await workOff(deps, { kind: "org_findings_rebuild", orgId: org.orgId });
    expect(await findings()).toEqual([]);
    await workOff(deps, { kind: "resource_index_rebuild", orgId: org.orgId });
    await workOff(deps, { kind: "org_findings_rebuild", orgId: org.orgId });
    expect(await findings()).toHaveLength(1);
    expect(await events()).toHaveLength(1);
  });
});
