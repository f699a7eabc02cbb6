/**
 * The resource index: what the newest analysis of each stack says, kept by background tasks in the second database
 * (docs/rules/workflows.md#background-tasks).
 */
import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { deleteStack } from "../../src/core/stackLife/deleteStack.ts";
import { runSlice } from "../../src/graph/tasks/runSlice.ts";
import { KINDS_OF_WORK } from "../../src/main/service/kindsOfWork.ts";
import { connect } from "../../src/platform/db/client.ts";
import { migrateExplore } from "../../src/platform/db/migrate.ts";
import { enqueueTask } from "../../src/work/tasks/enqueue.ts";
import type { TaskKind } from "../../src/work/tasks/taskKind.ts";
import { unitOfWork } from "../../src/work/unitOfWork.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { ACTOR, makeOrg, makeStack, type TestOrg, type TestService, testService } from "../support/fixtures.ts";
import { type Analysis, finishWithAnalysis, type TestTaskDeps, testTaskDeps, workOff } from "../support/tasks.ts";

let database: TestDatabase;
let service: TestService;
let deps: TestTaskDeps;
let org: TestOrg;
let stackKey: string;

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
  stackKey = await makeStack(database, org.orgId);
});

const item = (address: string, change: object = {}) => ({
  address,
  mode: "managed",
  type: "aws_vpc",
  provider: "registry.terraform.io/hashicorp/aws",
  realm: "aws/1",
  identity: `id-${address}`,
  ignore: false,
  ...change,
});
const analysis = (items: object[], complete = true) => ({ version: 1, resources: { complete, items } });
const finish = (document: Analysis, key = stackKey) =>
  finishWithAnalysis(deps, database, { ...org, stackKey: key }, document);
const reindex = (key = stackKey, options = {}) =>
  workOff(deps, { kind: "resource_index_reconcile", orgId: org.orgId, stackKey: key }, options);
const ask = (kind: TaskKind) =>
  unitOfWork(service, (work) => enqueueTask(work.tx, work.messages, { orgId: org.orgId, kind }));
const rebuild = async (options = {}) => {
  await ask("resource_index_rebuild");
  return workOff(deps, { kind: "resource_index_rebuild", orgId: org.orgId }, options);
};
const addresses = async (key = stackKey) =>
  (await database.sql`select address from explore.resources where stack_key = ${key} order by address`).map(
    (row) => row.address as string,
  );
const indexed = async (key = stackKey) =>
  (await database.sql`select state, complete from explore.stacks where stack_key = ${key}`)[0];
const pending = async () =>
  (
    await database.sql`select kind from org_tasks where org_id = ${org.orgId} and status = 'pending' and kind not like 'dependency%' order by kind`
  ).map((row) => row.kind as string);

describe("a finished deployment", () => {
  it("is indexed by its analysis; the next one replaces what differs", async () => {
    await finish(analysis([item("a"), item("b", { mode: "data", identity: null }), item("c")]));
    await reindex();
    expect(await addresses()).toEqual(["a", "b", "c"]);
    expect(await indexed()).toEqual({ state: "known", complete: true });
    const before =
      await database.sql`select xmin::text, address from explore.resources where stack_key = ${stackKey} and address = 'a'`;
    await finish(analysis([item("a"), item("c", { identity: "other" }), item("d")], false));
    await reindex();
    // An incomplete list removes nothing.
    expect(await addresses()).toEqual(["a", "b", "c", "d"]);
    expect(await indexed()).toEqual({ state: "known", complete: false });
    const [c] =
      await database.sql`select identity from explore.resources where stack_key = ${stackKey} and address = 'c'`;
    expect(c?.identity).toBe("other");
    // What did not change was not written.
    expect(
      await database.sql`select xmin::text, address from explore.resources where stack_key = ${stackKey} and address = 'a'`,
    ).toEqual(before);
  });

  it("asks for its index; one without an analysis, and a preview with one, ask for nothing", async () => {
    await finish(null);
    await finishWithAnalysis(deps, database, { ...org, stackKey }, analysis([]), { mode: "plan_unlocked" });
    expect(await pending()).toEqual([]);
    await finish(analysis([]));
    expect(await pending()).toEqual(["resource_index_reconcile"]);
    // A preview's analysis is not what is.
    await finishWithAnalysis(deps, database, { ...org, stackKey }, analysis([item("p")]), { mode: "plan_unlocked" });
    await reindex();
    expect(await addresses()).toEqual([]);
  });

  it("whose analysis is gzipped, unknown, unreadable or gone leaves what is there", async () => {
    await finish(gzipSync(JSON.stringify(analysis([item("a")]))));
    await reindex();
    expect(await addresses()).toEqual(["a"]);
    for (const broken of [{ version: 1, resources: null }, "no json", "[]", gzipSync("{").subarray(0, 8)]) {
      await finish(broken);
      await reindex();
      expect(await addresses()).toEqual(["a"]);
      expect(await indexed()).toEqual({ state: "unknown", complete: false });
    }
    const { runId } = await finish(analysis([]));
    const [{ object_key }] =
      (await database.sql`select object_key from artifacts where run_id = ${runId} and kind = 'analysis'`) as unknown as [
        { object_key: string },
      ];
    await deps.objects.delete(object_key);
    await reindex();
    expect(await addresses()).toEqual(["a"]);
    await finish(analysis([]));
    await reindex();
    expect(await addresses()).toEqual([]);
  });

  it("of many resources is written in ranges; a slice that ends in between goes on, also with a newer analysis", async () => {
    const many = Array.from({ length: 4_500 }, (_, i) => item(`r${String(i).padStart(5, "0")}`));
    await finish(analysis(many));
    expect(await reindex(stackKey, { sliceMs: 0 })).toBe(5);
    expect(await addresses()).toHaveLength(4_500);
    await finish(analysis(many.slice(0, 4_400)));
    const key = `resource_index_reconcile/${stackKey}`;
    await runSlice({ deps, kinds: KINDS_OF_WORK, sliceMs: 0, sliceEnded: () => {} }, key, new AbortController().signal);
    await finish(analysis([...many.slice(0, 3_000), item("z")]));
    await reindex(stackKey, { sliceMs: 0 });
    expect(await addresses()).toHaveLength(3_001);
  });

  it("is not overwritten by an older analysis that was still being written", async () => {
    await finish(analysis([item("old")]));
    await database.sql`insert into explore.stacks (stack_key, org_id, run_id, run_completed_at, state, complete)
      values (${stackKey}, ${org.orgId}, ${randomUUID()}, svc_now() + interval '1 hour', 'known', true)`;
    await reindex();
    expect(await addresses()).toEqual([]);
  });
});

describe("who is gone", () => {
  it("a deleted stack's rows are removed, and an index that was on its way brings none back", async () => {
    await finish(analysis([item("a")]));
    await reindex();
    await finish(analysis([item("a"), item("b")]));
    await deleteStack(service, ACTOR as never, stackKey, false);
    expect(await pending()).toContain("explore_purge");
    await workOff(deps, { kind: "explore_purge", orgId: org.orgId, stackKey });
    expect(await addresses()).toEqual([]);
    await reindex();
    expect(await addresses()).toEqual([]);
    expect(await indexed()).toBeUndefined();
  });

  it("an organization's rows are removed once it is gone, never before", async () => {
    await finish(analysis([item("a")]));
    await reindex();
    const purge = async () => {
      await ask("explore_purge");
      await workOff(deps, { kind: "explore_purge", orgId: org.orgId });
    };
    await purge();
    expect(await addresses()).toEqual(["a"]);
    await database.sql`delete from deployments where org_id = ${org.orgId}`;
    await database.sql`update organizations set default_runner_group_id = null where id = ${org.orgId}`;
    await database.sql`delete from organizations where id = ${org.orgId}`;
    await purge();
    expect(await addresses()).toEqual([]);
  });
});

describe("a rebuild", () => {
  it("brings everything back after the explore database was lost, and removes what only the explore database knows", async () => {
    const other = await makeStack(database, org.orgId);
    await finish(analysis([item("a")]));
    await finish(analysis([item("b")]), other);
    await reindex();
    expect(await pending()).toContain("resource_index_rebuild");
    await rebuild();
    await reindex(other);
    expect(await pending()).toEqual(["org_findings_rebuild"]);

    const ghost = randomUUID();
    await database.sql`insert into explore.stacks (stack_key, org_id, run_id, run_completed_at, state) values (${ghost}, ${org.orgId}, ${ghost}, now(), 'known')`;
    await database.sql`delete from explore.resources`;
    await database.sql`update explore.installation set id = gen_random_uuid()`;
    await finish(analysis([item("b2")]), other);
    await reindex(other);
    // The other stacks' rows are missed at the first look.
    expect(await pending()).toContain("resource_index_rebuild");
    expect(await rebuild({ sliceMs: 0 })).toBeGreaterThan(1);
    expect(await addresses()).toEqual(["a"]);
    expect(await addresses(other)).toEqual(["b2"]);
    expect(await indexed(ghost)).toBeUndefined();
    const [report] = await database.sql`
      select installation = (select id from explore.installation) as current from explore_reports where org_id = ${org.orgId}`;
    expect(report?.current).toBe(true);
  });
});

describe("the explore database", () => {
  it("is made by its own migrations, twice at once and again, also without the extension for search", async () => {
    const address = new URL(database.url);
    const name = `explore_${randomUUID().slice(0, 8)}`;
    await database.sql.unsafe(`create database ${name}`);
    address.pathname = `/${name}`;
    const applied = (await Promise.all([migrateExplore(address.href), migrateExplore(address.href)])).flatMap(
      (r) => r.applied,
    );
    expect(applied.filter((file) => file === "0001_explore.sql")).toHaveLength(1);
    const explore = connect(address.href, { max: 1 });
    expect(await explore.execute(sql`select id from explore.installation`)).toHaveLength(1);
    await explore.$client.end();
    await database.sql.unsafe(`drop database ${name}`);
  });

  it("being away fails and puts off its tasks, while deployments go on", async () => {
    const away = connect("postgres://nobody@127.0.0.1:1/none", { max: 1 });
    await finish(analysis([item("a")]));
    const outcomes: string[] = [];
    const attempt = workOff(
      { ...deps, explore: away },
      { kind: "resource_index_reconcile", orgId: org.orgId, stackKey },
      {
        ended: (_kind, outcome) => outcomes.push(outcome),
      },
    );
    await expect(attempt).rejects.toThrow(/put off/);
    expect(outcomes).toEqual(["failed"]);
    const [task] =
      await database.sql`select attempts, last_error from org_tasks where stack_key = ${stackKey} and kind not like 'dependency%'`;
    expect(task).toEqual({ attempts: 1, last_error: "a database is out of reach" });
    await finish(analysis([item("a"), item("b")]));
    await reindex();
    expect(await addresses()).toEqual(["a", "b"]);
    await away.$client.end({ timeout: 1 });
  });
});
