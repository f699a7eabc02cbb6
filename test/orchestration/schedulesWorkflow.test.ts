/** The workflow of what comes by schedule, on real Temporal (docs/rules/workflows.md#what-each-watches). */
import { expect } from "vitest";
import { scheduleActivities } from "../../activities/schedules.ts";
import { isLive } from "../../src/orchestration/reconciler/isLive.ts";
import { reconcile } from "../../src/orchestration/reconciler/reconcile.ts";
import { unitOfWork } from "../../src/work/unitOfWork.ts";
import { TASK_QUEUES } from "../../workflows/contract.ts";
import { workflowIds } from "../../workflows/ids.ts";
import { makeOrg, makeStack } from "../support/fixtures.ts";
import { schedulesWorld } from "../support/schedulesTest.ts";
import type { TestWorker } from "../support/temporal.ts";
import { coreTest } from "../support/test.ts";
import { waitFor } from "../support/waitFor.ts";

const test = coreTest().extend("world", async ({ database, core, temporal }, { onCleanup }) => {
  const org = await makeOrg(database);
  const world = schedulesWorld(database, core.service, org);
  const id = workflowIds.schedules(org.orgId);
  const workers: TestWorker[] = [];
  onCleanup(async () => {
    for (const worker of workers) await worker.stop();
  });
  return {
    ...world,
    describe: () => core.temporal.describe(id),
    isOpen: async () => (await core.temporal.describe(id))?.open === true,
    changed: () =>
      unitOfWork(
        core.service,
        async ({ messages }) => void messages.push({ kind: "schedulesChanged", orgId: org.orgId }),
      ),
    async startWorkers() {
      workers.push(
        await temporal.startWorker({ taskQueue: TASK_QUEUES.notify }),
        await temporal.startWorker({ taskQueue: TASK_QUEUES.cascade, activities: scheduleActivities(world.deps) }),
      );
    },
  };
});

test("one that was lost is begun again by the reconciler, makes what is due at its time, and ends when nothing comes any more", async ({
  world,
  core,
  database,
}) => {
  const stackKey = await makeStack(database, world.org.orgId);
  const at = new Date(Date.now() + 1_500).toISOString();
  await world.schedule({ stack_key: stackKey, cron: null, once_at: at, next_at: at });
  expect(await world.describe()).toBeNull();
  expect(await reconcile(core.service, core.temporal)).toMatchObject({ started: expect.any(Number) });
  expect([await world.isOpen(), await isLive(database.db, "schedules", world.org.orgId)]).toEqual([true, true]);
  await world.startWorkers();
  await waitFor(async () => (await world.deployments(stackKey)).length === 1, { what: "the deployment" });
  await waitFor(async () => !(await world.isOpen()), { what: "the workflow to end", timeoutMs: 20_000 });
  expect(await isLive(database.db, "schedules", world.org.orgId)).toBe(false);
});

test("a new schedule wakes it from its sleep", async ({ world, database }) => {
  const stackKey = await makeStack(database, world.org.orgId);
  const id = await world.schedule({ stack_key: stackKey, next_at: new Date(Date.now() + 3_600_000) });
  await world.startWorkers();
  await world.changed();
  await waitFor(world.isOpen, { what: "the workflow" });
  await world.due(id);
  await world.changed();
  await waitFor(async () => (await world.deployments(stackKey)).length === 1, { what: "the deployment" });
});
