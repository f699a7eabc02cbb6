/** Races on one stack, raced for real: two pools stand for two processes. */
import { expect } from "vitest";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import { connect } from "../../src/platform/db/client.ts";
import {
  claim,
  create,
  decide,
  makeOrg,
  makeStack,
  statuses,
  type TestService,
  testService,
  uploadPlan,
} from "../support/fixtures.ts";
import { databaseTest } from "../support/test.ts";

const test = databaseTest()
  .extend("services", { scope: "file" }, ({ database }, { onCleanup }) => {
    const other = connect(database.url, { max: 10, name: "other" });
    onCleanup(() => other.$client.end());
    return [testService(database), { ...testService(database), db: other }];
  })
  .extend("world", { scope: "file" }, async ({ database, services }) => {
    const org = await makeOrg(database);
    const any = (index: number) => services[index % 2] as TestService;

    async function waiting(stackKey: string) {
      const id = await create(any(0), stackKey);
      const { runId, runnerId } = await claim(database, org, id);
      await acceptRun(any(0), runId, runnerId);
      await uploadPlan(database, runId);
      await reportDone(any(0), runId, runnerId, { status: "success" });
      return id;
    }

    return { any, waiting, org };
  });

test("50 parallel confirms give one apply run, one event and 49 conflicts", async ({ database, world }) => {
  for (let round = 0; round < 5; round++) {
    const id = await world.waiting(await makeStack(database, world.org.orgId));
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => decide(world.any(i), database, id, "confirm", { action: "apply" })),
    );
    expect(answers.filter((answer) => answer.outcome === "done")).toHaveLength(1);
    expect(answers.filter((answer) => answer.outcome === "conflict")).toHaveLength(49);
    const seen = await statuses(database, id);
    expect(seen.runs).toEqual(["plan_run:success", "apply_run:pending"]);
    expect(seen.events.filter((kind) => kind === "confirmed_apply")).toHaveLength(1);
  }
});

test("20 cancels at once neither hang nor free the lane twice", async ({ database, world }) => {
  for (let round = 0; round < 10; round++) {
    const stack = await makeStack(database, world.org.orgId);
    const first = await create(world.any(0), stack);
    const queued = [await create(world.any(0), stack), await create(world.any(1), stack)];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => decide(world.any(i), database, first, "cancel")),
    );
    expect(answers.every((answer) => answer.outcome === "done")).toBe(true);
    expect((await statuses(database, first)).events).toEqual(["created", "cancellation_requested"]);
    expect(await Promise.all(queued.map(async (id) => (await statuses(database, id)).deployment))).toEqual([
      "pending",
      "queued",
    ]);
  }
});

test("100 parallel calls on one stack leave one holder, and every answer true", async ({ database, world }) => {
  for (let round = 0; round < 5; round++) {
    const stack = await makeStack(database, world.org.orgId);
    const holder = await world.waiting(stack);
    const ids = [holder, ...(await Promise.all(Array.from({ length: 6 }, (_, i) => create(world.any(i), stack))))];
    const kinds = ["confirm", "skip", "cancel", "prioritize", "deprioritize"] as const;
    const calls = Array.from({ length: 100 }, (_, i) => ({
      id: ids[(i * 7) % ids.length] as string,
      kind: kinds[i % kinds.length] as (typeof kinds)[number],
    }));
    await Promise.all(
      calls.map(({ id, kind }, i) =>
        decide(world.any(i), database, id, kind, kind === "confirm" ? { action: "apply" } : {}),
      ),
    );
    const holders = await database.sql`
      select id from deployments where stack_key = ${stack} and mode <> 'plan_unlocked'
        and status in ('pending', 'planning', 'applying', 'waiting', 'requested_cancellation', 'cancelling')`;
    const queued = await database.sql`select id from deployments where stack_key = ${stack} and status = 'queued'`;
    expect(holders.length).toBeLessThanOrEqual(1);
    // A free lane with a queue would be a lane lost.
    if (queued.length > 0) expect(holders).toHaveLength(1);
    const [projection] = await database.sql`
      select latest_deployment_id, latest_deployment_status, d.status from stacks s join deployments d on d.id = s.latest_deployment_id where s.stack_key = ${stack}`;
    expect(projection?.latest_deployment_status).toBe(projection?.status);
    const decided = await database.sql`
      select d.answer ->> 'outcome' as outcome, count(*)::int as n from decisions d join deployments p on p.id = d.deployment_id
      where p.stack_key = ${stack} group by 1`;
    expect(decided.reduce((sum, row) => sum + row.n, 0)).toBe(100);
    const skippedOrCancelled = await database.sql`
      select p.id from deployments p where p.stack_key = ${stack} and p.status in ('skipped', 'cancelled')`;
    for (const { id } of skippedOrCancelled) {
      const ending = (await statuses(database, id)).events.filter(
        (kind) => kind === "skipped" || kind === "cancellation_requested",
      );
      expect(ending).toHaveLength(1);
    }
  }
});

test("done racing with cancel and with its own repeat stores one result", async ({ database, world }) => {
  for (let round = 0; round < 30; round++) {
    const stack = await makeStack(database, world.org.orgId);
    const id = await create(world.any(0), stack);
    const next = await create(world.any(1), stack);
    const { runId, runnerId } = await claim(database, world.org, id);
    await acceptRun(world.any(0), runId, runnerId);
    const report = () => reportDone(world.any(round), runId, runnerId, { status: "failure", exit_code: 1 });
    const [first, second, cancel] = await Promise.all([
      report(),
      report(),
      decide(world.any(round + 1), database, id, "cancel"),
    ]);
    expect([first.outcome, second.outcome]).toEqual(["stored", "stored"]);
    const { deployment } = await statuses(database, id);
    expect(deployment).toBe(cancel.outcome === "done" ? "cancelled" : "failed");
    expect((await statuses(database, next)).deployment).toBe("pending");
  }
});

test("100 creates at once queue in one order behind one holder", async ({ database, world }) => {
  const stack = await makeStack(database, world.org.orgId);
  const ids = await Promise.all(Array.from({ length: 100 }, (_, i) => create(world.any(i), stack)));
  const seen =
    await database.sql`select status, count(*)::int as n from deployments where stack_key = ${stack} group by 1 order by 1`;
  expect(seen).toEqual([
    { status: "pending", n: 1 },
    { status: "queued", n: 99 },
  ]);
  expect(new Set(ids).size).toBe(100);
});
