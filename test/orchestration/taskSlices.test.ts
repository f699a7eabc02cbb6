/**
 * Background tasks: one at a time for each subject, in slices, resumed by whoever comes next
 * (docs/rules/workflows.md#background-tasks).
 */
import { describe, expect } from "vitest";
import type { TaskRunner } from "../../src/graph/tasks/runSlice.ts";
import { reconcile } from "../../src/orchestration/reconciler/reconcile.ts";
import { enqueueTask } from "../../src/work/tasks/enqueue.ts";
import { unitOfWork } from "../../src/work/unitOfWork.ts";
import { KIND, test, type Work } from "../support/orgTasksTest.ts";
import { waitFor } from "../support/waitFor.ts";

test.beforeAll(async ({ core }) => {
  await core.startWorker();
});

test.afterEach(async ({ world, database }) => {
  await Promise.all(world.workers.map((worker) => worker.stop()));
  await database.sql`delete from org_tasks`;
});

describe("a task", () => {
  test("asked for in a transaction is done after its commit, and its workflow ends; asked for again it is done again", async ({
    world,
  }) => {
    let slices = 0;
    await world.startTasks(async () => {
      slices += 1;
      return { done: true };
    });
    await world.request();
    await world.becomes("done");
    await world.ended();
    expect(slices).toBe(1);
    await world.request();
    await world.becomes("done");
    await waitFor(() => slices === 2, { what: "a second round" });
    await world.ended();
  });

  test("asked for in a transaction that fails is not there", async ({ core, world }) => {
    const failing = unitOfWork(core.service, async (work) => {
      await enqueueTask(work.tx, work.messages, { orgId: world.orgId, kind: KIND });
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await world.row()).toBeUndefined();
  });

  test("asked for while it is being done gets another round, and a hundred requests are one", async ({ world }) => {
    const begun = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    let rounds = 0;
    await world.startTasks(async () => {
      rounds += 1;
      begun.resolve();
      await go.promise;
      return { done: true };
    });
    await world.request();
    await begun.promise;
    await Promise.all(Array.from({ length: 100 }, () => world.request()));
    go.resolve();
    await world.becomes("done");
    await world.ended();
    expect(rounds).toBe(2);
  });

  test("is never done twice at once, whoever races for it", async ({ world }) => {
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
      await world.request();
      await Promise.all(Array.from({ length: 8 }, () => world.slice(work)));
    }
    expect(most).toBe(1);
    expect(done).toBe(20);
  });

  test("goes on where its last slice stopped", async ({ world }) => {
    const seen: unknown[] = [];
    await world.startTasks(
      async ({ cursor }, deadline) => {
        seen.push(cursor);
        const at = (cursor as { at: number } | null)?.at ?? 0;
        expect(deadline.passed()).toBe(true);
        return at === 3 ? { done: true } : { done: false, cursor: { at: at + 1 } };
      },
      { sliceMs: 0 },
    );
    await world.request();
    await world.becomes("done");
    expect(seen).toEqual([null, { at: 1 }, { at: 2 }, { at: 3 }]);
    expect(await world.row()).toMatchObject({ cursor: null, attempts: 0, last_error: null });
  });

  test("whose worker was killed in the middle is taken up from what it had stored, and the dead one writes nothing more", async ({
    database,
    world,
  }) => {
    const kept = Promise.withResolvers<void>();
    const revived = Promise.withResolvers<void>();
    await world.request();
    const dead = world.slice(async (_task, deadline) => {
      await deadline.keep({ at: 7 });
      kept.resolve();
      await revived.promise;
      await deadline.keep({ at: 8 });
      return { done: true };
    });
    await kept.promise;
    // Nobody else may have it yet.
    expect(await world.slice(async () => ({ done: true }))).toMatchObject({
      status: "pending",
      nextMs: expect.any(Number),
    });
    // The dead do not renew.
    await database.sql`update org_tasks set claimed_until = svc_now() - interval '1 second'`;
    const cursors: unknown[] = [];
    const next = await world.slice(async ({ cursor }) => {
      cursors.push(cursor);
      return { done: false, cursor: { at: 9 } };
    });
    expect(cursors).toEqual([{ at: 7 }]);
    expect(next).toEqual({ status: "pending", nextMs: 0 });
    revived.resolve();
    await dead;
    expect(await world.row()).toMatchObject({ status: "pending", cursor: { at: 9 } });
  });

  test("that fails is put off longer each time, its cursor kept; its error is a class, never a text", async ({
    database,
    world,
  }) => {
    await world.request();
    const failing: Work = async (_task, deadline) => {
      await deadline.keep({ at: 1 });
      throw new TypeError("postgres://user:secret@host");
    };
    const told: unknown[] = [];
    const sliceEnded: TaskRunner["sliceEnded"] = (task, outcome) => told.push([task.orgId, task.stackKey, outcome]);
    const first = await world.slice(failing, { sliceEnded });
    expect(told).toEqual([[world.orgId, null, "failed"]]);
    expect(first.failures).toBe(1);
    expect(first.nextMs).toBeGreaterThan(4_000);
    expect(first.nextMs).toBeLessThan(6_000);
    expect(await world.row()).toMatchObject({
      attempts: 1,
      last_error: "TypeError",
      cursor: { at: 1 },
      claimed_until: null,
    });
    await database.sql`update org_tasks set due_at = svc_now()`;
    const second = await world.slice(failing);
    expect(second.nextMs).toBeGreaterThan(13_000);
    expect(second.failures).toBe(2);
    await database.sql`update org_tasks set due_at = svc_now()`;
    expect(await world.slice(async () => ({ done: true }))).toEqual({ status: "done", nextMs: null });
    expect(await world.row()).toMatchObject({ attempts: 0, last_error: null });
  });

  test("with a cursor of a newer version, or of a kind that is not known, is left untouched for newer workers", async ({
    world,
  }) => {
    await world.request();
    await world.slice(async () => ({ done: false, cursor: { shape: "new" } }), { version: 2 });
    const before = await world.row();
    let slices = 0;
    const counted: Work = async () => {
      slices += 1;
      return { done: true };
    };
    expect(await world.slice(counted)).toEqual({ status: "newer", nextMs: 30_000 });
    expect(await world.slice(counted, { kinds: {} })).toMatchObject({ status: "newer" });
    expect(await world.row()).toEqual(before);
    expect(slices).toBe(0);
    expect(await world.slice(counted, { version: 2 })).toEqual({ status: "done", nextMs: null });
  });

  test("that waits is not hurried by being asked for again", async ({ world }) => {
    await world.request({ delayMs: 60_000 });
    await world.request();
    expect((await world.slice(async () => ({ done: true }))).nextMs).toBeGreaterThan(50_000);
  });

  test("whose message was lost is started by the reconciler, and a workflow without a task is ended", async ({
    database,
    core,
    world,
  }) => {
    await database.sql`insert into org_tasks (org_id, kind) values (${world.orgId}, ${KIND})`;
    const healed: string[] = [];
    await reconcile(core.service, core.temporal, {
      healed: (workflow, action) => healed.push(`${workflow} ${action}`),
    });
    expect(healed).toContain("task started");
    await world.startTasks(async () => ({ done: true }));
    await world.becomes("done");
    await world.ended();
  });
});
