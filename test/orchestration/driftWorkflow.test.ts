/**
 * An organization's checks for drift as a durable workflow: begun by a setting, woken by time and by a check's end,
 * healed, and over when no stack is checked (docs/drift.md#when-a-stack-is-checked).
 */
import { expect } from "vitest";
import { driftActivities } from "../../activities/drift.ts";
import { isLive } from "../../src/orchestration/reconciler/isLive.ts";
import { reconcile } from "../../src/orchestration/reconciler/reconcile.ts";
import { unitOfWork } from "../../src/work/unitOfWork.ts";
import { STATE_QUERY, TASK_QUEUES } from "../../workflows/contract.ts";
import { workflowIds } from "../../workflows/ids.ts";
import type { DriftView } from "../../workflows/views.ts";
import { DAILY, driftWorld, refreshed } from "../support/driftTest.ts";
import { makeOrg } from "../support/fixtures.ts";
import type { TestWorker } from "../support/temporal.ts";
import { coreTest } from "../support/test.ts";
import { waitFor } from "../support/waitFor.ts";

const test = coreTest().extend("world", async ({ database, core, temporal }, { onCleanup }) => {
  const org = await makeOrg(database);
  const id = workflowIds.drift(org.orgId);
  const workers: TestWorker[] = [];
  onCleanup(async () => {
    for (const worker of workers) await worker.stop();
  });
  const describe = () => core.temporal.describe(id);
  return {
    ...driftWorld(database, core.service, org),
    id,
    describe,
    async startWorkers() {
      const activities = driftActivities({ service: core.service, checksPerHour: 1_000 });
      workers.push(
        await core.startWorker(),
        await temporal.startWorker({ taskQueue: TASK_QUEUES.notify }),
        await temporal.startWorker({ taskQueue: TASK_QUEUES.tasks, activities }),
      );
    },
    changed: () =>
      unitOfWork(core.service, async ({ messages }) => void messages.push({ kind: "driftChanged", orgId: org.orgId })),
    view: () => temporal.client.workflow.getHandle(id).query<DriftView | null>(STATE_QUERY),
    isOpen: async () => (await describe())?.open === true,
    isOver: () =>
      waitFor(async () => (await describe())?.open === false, { what: "the workflow to end", timeoutMs: 20_000 }),
  };
});

test("a setting begins it, time begins a check, whose end is read; it ends when no stack is checked", async ({
  world,
  database,
}) => {
  await world.startWorkers();
  const stackKey = await world.applied();
  await world.changed();
  await waitFor(async () => (await world.row(stackKey)).due_at !== null, { what: "the stack to be settled" });
  await world.due(stackKey);
  await world.changed();
  const { check_id } = await waitFor(
    async () => {
      const row = await world.row(stackKey);
      return row.check_id !== null && row;
    },
    { what: "the check to begin" },
  );
  // By its own end: nobody tells the workflow but the database.
  await world.run(check_id, refreshed("a.x"));
  await waitFor(async () => (await world.row(stackKey)).status === "drifted", { what: "the finding" });
  const view = await waitFor(
    async () => {
      const seen = await world.view();
      return seen?.running === 0 && seen;
    },
    { what: "the step to be over" },
  );
  expect(view).toMatchObject({ stacks: 1, waiting: 0, nextMs: expect.any(Number) });
  expect(await isLive(database.db, "drift", world.org.orgId)).toBe(true);
  await database.sql`update stack_drift set policy = ${database.sql.json({ ...DAILY, enabled: false })}, stale = true where stack_key = ${stackKey}`;
  await world.changed();
  await world.isOver();
  expect(await isLive(database.db, "drift", world.org.orgId)).toBe(false);
});

test("one that was lost is begun again by the reconciler, and one that nothing needs is ended", async ({
  world,
  core,
  database,
}) => {
  const stackKey = await world.applied();
  await world.step();
  expect(await world.describe()).toBeNull();
  expect(await reconcile(core.service, core.temporal)).toMatchObject({ started: expect.any(Number) });
  expect(await world.isOpen()).toBe(true);
  await database.sql`update stacks set deleted_at = svc_now() where stack_key = ${stackKey}`;
  await world.startWorkers();
  await world.isOver();
});

test("a check that is long over its deadline counts as overdue only when its workflow is lost", async ({
  world,
  core,
  database,
}) => {
  const stackKey = await world.applied();
  await world.step();
  await database.sql`update stack_drift set due_at = svc_now() - interval '1 hour' where stack_key = ${stackKey}`;
  await reconcile(core.service, core.temporal);
  expect(await reconcile(core.service, core.temporal)).toMatchObject({ poked: 0, restarted: 0 });
});
