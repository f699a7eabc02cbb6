/**
 * Background tasks: done ones are removed, and slots are fair between organizations
 * (docs/rules/workflows.md#background-tasks).
 */
import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { removeDoneTasks } from "../../src/graph/tasks/removeDone.ts";
import { sweepDependencies } from "../../src/graph/tasks/sweep.ts";
import { enqueueTask } from "../../src/work/tasks/enqueue.ts";
import { unitOfWork } from "../../src/work/unitOfWork.ts";
import { makeOrg, makeStack } from "../support/fixtures.ts";
import { KIND, test } from "../support/orgTasksTest.ts";

test.beforeAll(async ({ core }) => {
  await core.startWorker();
});

test.afterEach(async ({ world, database }) => {
  await Promise.all(world.workers.map((worker) => worker.stop()));
  await database.sql`delete from org_tasks`;
});

describe("housekeeping", () => {
  test("the sweep asks for one rebuild of each organization that has a stack, over pages", async ({
    database,
    core,
    world,
  }) => {
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
    expect(found).not.toContain(world.orgId);
    expect(found).toHaveLength(counted);
    await sweepDependencies(core.service);
    expect(await rebuilds()).toHaveLength(counted);
  });

  test("a task is forgotten a week after it was done", async ({ database, core, world }) => {
    const { orgId: other } = await makeOrg(database);
    await world.request();
    await world.slice(async () => ({ done: true }));
    await database.sql`update org_tasks set completed_at = svc_now() - interval '8 days'`;
    await unitOfWork(core.service, (work) => enqueueTask(work.tx, work.messages, { orgId: other, kind: KIND }));
    expect(await removeDoneTasks(database.db)).toEqual({ tasks: 1 });
    expect(await world.row()).toBeUndefined();
    expect(await world.row(other)).toMatchObject({ status: "pending" });
  });
});

describe("slots", () => {
  test("go round between organizations, however many tasks one of them has", async ({ database, core, world }) => {
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    const many = Array.from({ length: 60 }, () => randomUUID());
    for (const stackKey of many) await world.request({ stackKey });
    const { orgId: other } = await makeOrg(database);
    await world.startTasks(
      async ({ orgId: of }) => {
        if (order.length === 0) await gate.promise;
        order.push(of);
        return { done: true };
      },
      { slots: 1 },
    );
    await unitOfWork(core.service, (work) => enqueueTask(work.tx, work.messages, { orgId: other, kind: KIND }));
    for (const id of [...many, other]) await world.inLine(id);
    gate.resolve();
    await world.becomes("done", other);
    // Behind all sixty it would be without fairness.
    expect(order.indexOf(other)).toBeLessThan(10);
  });
});
