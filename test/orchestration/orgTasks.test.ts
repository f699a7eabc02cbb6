/**
 * Background tasks: one at a time for each subject, in slices, resumed by whoever comes next, fair between
 * organizations (docs/rules/workflows.md#background-tasks).
 */
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { taskActivities } from "../../activities/tasks.ts";
import type { Deadline, KindOfWork, Task } from "../../src/graph/tasks/kinds.ts";
import { removeDoneTasks } from "../../src/graph/tasks/removeDone.ts";
import { runSlice, type TaskRunner } from "../../src/graph/tasks/runSlice.ts";
import { sweepDependencies } from "../../src/graph/tasks/sweep.ts";
import { reconcile } from "../../src/orchestration/reconciler/reconcile.ts";
import { enqueueTask, type TaskRequest } from "../../src/work/tasks/enqueue.ts";
import type { TaskKind } from "../../src/work/tasks/taskKind.ts";
import { unitOfWork } from "../../src/work/unitOfWork.ts";
import { taskKey, workflowIds } from "../../workflows/ids.ts";
import { openCore, type TestCore } from "../support/core.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { makeOrg, makeStack } from "../support/fixtures.ts";
import { type TestTaskDeps, testTaskDeps } from "../support/tasks.ts";
import { freshNamespace, type TestTemporal, type TestWorker } from "../support/temporal.ts";
import { waitFor } from "../support/waitFor.ts";

const KIND: TaskKind = "org_findings_rebuild";

let database: TestDatabase;
let temporal: TestTemporal;
let core: TestCore;
let orgId: string;
let workers: TestWorker[];
let deps: TestTaskDeps;

beforeAll(async () => {
  [database, temporal] = await Promise.all([freshDatabase(), freshNamespace()]);
  core = openCore(database, temporal);
  deps = await testTaskDeps(database, core.service);
  await core.startWorker();
});
afterAll(async () => {
  await core.close();
  await temporal.close();
  await deps.close();
  await database.close();
});
beforeEach(async () => {
  ({ orgId } = await makeOrg(database));
  workers = [];
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await database.sql`delete from org_tasks`;
});

type Work = (task: Task, deadline: Deadline) => Promise<{ done: true } | { done: false; cursor: unknown }>;

function runner(work: Work, choices: Partial<TaskRunner> & { version?: number } = {}): TaskRunner {
  const { version = 1, ...rest } = choices;
  const kind: KindOfWork = { cursorVersion: version, runSlice: (_deps, task, deadline) => work(task, deadline) };
  const kinds = { [KIND]: kind };
  return { deps, kinds, sliceMs: 120_000, sliceEnded: () => {}, ...rest };
}

async function startTasks(
  work: Work,
  choices: Parameters<typeof runner>[1] & { slots?: number } = {},
): Promise<TestWorker> {
  const worker = await temporal.startWorker({
    taskQueue: "tasks",
    maxConcurrentActivityTaskExecutions: choices.slots ?? 4,
    activities: taskActivities(runner(work, choices)),
  });
  workers.push(worker);
  return worker;
}

const request = (choices: Partial<TaskRequest> = {}) =>
  unitOfWork(core.service, (work) => enqueueTask(work.tx, work.messages, { orgId, kind: KIND, ...choices }));
const key = (id = orgId) => taskKey({ task: KIND, orgId: id, stackKey: null });
const slice = (work: Work, choices: Parameters<typeof runner>[1] = {}) =>
  runSlice(runner(work, choices), key(), new AbortController().signal);
const row = async (id = orgId) => {
  const [found] = await database.sql`select * from org_tasks where org_id = ${id}`;
  return found as Record<string, unknown>;
};
const becomes = (status: string, id = orgId) =>
  waitFor(async () => (await row(id))?.status === status, { what: `the task to be ${status}`, timeoutMs: 30_000 });
const ended = (id = orgId) =>
  waitFor(async () => (await core.temporal.describe(workflowIds.task(key(id))))?.open === false, {
    what: "the workflow to end",
  });

describe("a task", () => {
  it("asked for in a transaction is done after its commit, and its workflow ends; asked for again it is done again", async () => {
    let slices = 0;
    await startTasks(async () => {
      slices += 1;
      return { done: true };
    });
    await request();
    await becomes("done");
    await ended();
    expect(slices).toBe(1);
    await request();
    await becomes("done");
    await waitFor(() => slices === 2, { what: "a second round" });
    await ended();
  });

  it("asked for in a transaction that fails is not there", async () => {
    const failing = unitOfWork(core.service, async (work) => {
      await enqueueTask(work.tx, work.messages, { orgId, kind: KIND });
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await row()).toBeUndefined();
  });

  it("asked for while it is being done gets another round, and a hundred requests are one", async () => {
    const begun = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    let rounds = 0;
    await startTasks(async () => {
      rounds += 1;
      begun.resolve();
      await go.promise;
      return { done: true };
    });
    await request();
    await begun.promise;
    await Promise.all(Array.from({ length: 100 }, () => request()));
    go.resolve();
    await becomes("done");
    await ended();
    expect(rounds).toBe(2);
  });

  it("is never done twice at once, whoever races for it", async () => {
    let at = 0;
    let most = 0;
    let done = 0;
    const work: Work = async () => {
      at += 1;
      most = Math.max(most, at);
      await new Promise((resolve) => setImmediate(resolve));
      at -= 1;
      done += 1;
      return { done: true };
    };
    for (let round = 0; round < 20; round++) {
      await request();
      await Promise.all(Array.from({ length: 8 }, () => slice(work)));
    }
    expect(most).toBe(1);
    expect(done).toBe(20);
  });

  it("goes on where its last slice stopped", async () => {
    const seen: unknown[] = [];
    await startTasks(
      async ({ cursor }, deadline) => {
        seen.push(cursor);
        const at = (cursor as { at: number } | null)?.at ?? 0;
        expect(deadline.passed()).toBe(true);
        return at === 3 ? { done: true } : { done: false, cursor: { at: at + 1 } };
      },
      { sliceMs: 0 },
    );
    await request();
    await becomes("done");
    expect(seen).toEqual([null, { at: 1 }, { at: 2 }, { at: 3 }]);
    expect(await row()).toMatchObject({ cursor: null, attempts: 0, last_error: null });
  });

  it("whose worker was killed in the middle is taken up from what it had stored, and the dead one writes nothing more", async () => {
    const kept = Promise.withResolvers<void>();
    const revived = Promise.withResolvers<void>();
    await request();
    const dead = slice(async (_task, deadline) => {
      await deadline.keep({ at: 7 });
      kept.resolve();
      await revived.promise;
      await deadline.keep({ at: 8 });
      return { done: true };
    });
    await kept.promise;
    // Nobody else may have it yet.
    expect(await slice(async () => ({ done: true }))).toMatchObject({ status: "pending", nextMs: expect.any(Number) });
    // The dead do not renew.
    await database.sql`update org_tasks set claimed_until = svc_now() - interval '1 second'`;
    const cursors: unknown[] = [];
    const next = await slice(async ({ cursor }) => {
      cursors.push(cursor);
      return { done: false, cursor: { at: 9 } };
    });
    expect(cursors).toEqual([{ at: 7 }]);
    expect(next).toEqual({ status: "pending", nextMs: 0 });
    revived.resolve();
    await dead;
    expect(await row()).toMatchObject({ status: "pending", cursor: { at: 9 } });
  });

  it("that fails is put off longer each time, its cursor kept; its error is a class, never a text", async () => {
    await request();
    const failing: Work = async (_task, deadline) => {
      await deadline.keep({ at: 1 });
      throw new TypeError("postgres://user:secret@host");
    };
    const told: unknown[] = [];
    const sliceEnded: TaskRunner["sliceEnded"] = (task, outcome) => told.push([task.orgId, task.stackKey, outcome]);
    const first = await slice(failing, { sliceEnded });
    expect(told).toEqual([[orgId, null, "failed"]]);
    expect(first.failures).toBe(1);
    expect(first.nextMs).toBeGreaterThan(4_000);
    expect(first.nextMs).toBeLessThan(6_000);
    expect(await row()).toMatchObject({ attempts: 1, last_error: "TypeError", cursor: { at: 1 }, claimed_until: null });
    await database.sql`update org_tasks set due_at = svc_now()`;
    const second = await slice(failing);
    expect(second.nextMs).toBeGreaterThan(13_000);
    expect(second.failures).toBe(2);
    await database.sql`update org_tasks set due_at = svc_now()`;
    expect(await slice(async () => ({ done: true }))).toEqual({ status: "done", nextMs: null });
    expect(await row()).toMatchObject({ attempts: 0, last_error: null });
  });

  it("with a cursor of a newer version, or of a kind that is not known, is left untouched for newer workers", async () => {
    await request();
    await slice(async () => ({ done: false, cursor: { shape: "new" } }), { version: 2 });
    const before = await row();
    let slices = 0;
    const counted: Work = async () => {
      slices += 1;
      return { done: true };
    };
    expect(await slice(counted)).toEqual({ status: "newer", nextMs: 30_000 });
    expect(await slice(counted, { kinds: {} })).toMatchObject({ status: "newer" });
    expect(await row()).toEqual(before);
    expect(slices).toBe(0);
    expect(await slice(counted, { version: 2 })).toEqual({ status: "done", nextMs: null });
  });

  it("that waits is not hurried by being asked for again", async () => {
    await request({ delayMs: 60_000 });
    await request();
    expect((await slice(async () => ({ done: true }))).nextMs).toBeGreaterThan(50_000);
  });

  it("whose message was lost is started by the reconciler, and a workflow without a task is ended", async () => {
    await database.sql`insert into org_tasks (org_id, kind) values (${orgId}, ${KIND})`;
    const healed: string[] = [];
    await reconcile(core.service, core.temporal, {
      healed: (workflow, action) => healed.push(`${workflow} ${action}`),
    });
    expect(healed).toContain("task started");
    await startTasks(async () => ({ done: true }));
    await becomes("done");
    await ended();
  });
});

describe("housekeeping", () => {
  it("the sweep asks for one rebuild of each organization that has a stack, over pages", async () => {
    const rebuilds = () =>
      database.sql`select org_id from org_tasks where kind = 'dependency_graph_rebuild' and status = 'pending'`;
    const orgs = await Promise.all(Array.from({ length: 3 }, () => makeOrg(database)));
    for (const org of orgs) await makeStack(database, org.orgId);
    const deleted = await makeOrg(database);
    const key = await makeStack(database, deleted.orgId);
    await database.sql`update stacks set deleted_at = svc_now() where stack_key = ${key}`;
    const { rebuilds: counted } = await sweepDependencies(core.service);
    const found = (await rebuilds()).map((task) => task.org_id);
    expect(found).toEqual(expect.arrayContaining(orgs.map((org) => org.orgId)));
    expect(found).not.toContain(deleted.orgId);
    expect(found).not.toContain(orgId);
    expect(found).toHaveLength(counted);
    await sweepDependencies(core.service);
    expect(await rebuilds()).toHaveLength(counted);
  });

  it("a task is forgotten a week after it was done", async () => {
    const { orgId: other } = await makeOrg(database);
    await request();
    await slice(async () => ({ done: true }));
    await database.sql`update org_tasks set completed_at = svc_now() - interval '8 days'`;
    await unitOfWork(core.service, (work) => enqueueTask(work.tx, work.messages, { orgId: other, kind: KIND }));
    expect(await removeDoneTasks(database.db)).toEqual({ tasks: 1 });
    expect(await row()).toBeUndefined();
    expect(await row(other)).toMatchObject({ status: "pending" });
  });
});

describe("slots", () => {
  /** Until the task's slice waits for a slot, or has one. */
  const inLine = (subjectKey: string) =>
    waitFor(
      async () => {
        const workflow = temporal.client.workflow.getHandle(workflowIds.task(`${KIND}/${subjectKey}`));
        return (await workflow.describe()).raw.pendingActivities?.length === 1;
      },
      { what: "the slice to stand in line", timeoutMs: 30_000 },
    );

  it("go round between organizations, however many tasks one of them has", async () => {
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    const many = Array.from({ length: 60 }, () => randomUUID());
    for (const stackKey of many) await request({ stackKey });
    const { orgId: other } = await makeOrg(database);
    await startTasks(
      async ({ orgId: of }) => {
        if (order.length === 0) await gate.promise;
        order.push(of);
        return { done: true };
      },
      { slots: 1 },
    );
    await unitOfWork(core.service, (work) => enqueueTask(work.tx, work.messages, { orgId: other, kind: KIND }));
    for (const id of [...many, other]) await inLine(id);
    gate.resolve();
    await becomes("done", other);
    // Behind all sixty it would be without fairness.
    expect(order.indexOf(other)).toBeLessThan(10);
  });
});
