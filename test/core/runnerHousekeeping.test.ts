/** Which rows a housekeeping pass removes, and which never (docs/rules/runs.md#runner-rows). */
import { expect } from "vitest";
import { housekeep } from "../../src/core/runners/housekeeping.ts";
import { create, makeOrg, makeStack } from "../support/fixtures.ts";
import { coordinator, runner } from "../support/runnerApi.ts";
import { runnerTest } from "../support/test.ts";

const TIMEOUTS = { assignmentMs: 120_000, executionMs: 600_000 };

const test = runnerTest({ timeouts: TIMEOUTS }).extend("world", { scope: "file" }, async ({ database, api }) => {
  const org = await makeOrg(database);

  async function claimed() {
    await create(api.service, await makeStack(database, org.orgId));
    return runner(api, org, await (await coordinator(api, org)).claim());
  }
  const exists = async (id: string) => (await database.sql`select 1 from runners where id = ${id}`).length === 1;

  return { claimed, exists };
});

test("runner rows go by creation when never accepted, by last call when ended, and never while they hold a run", async ({
  database,
  api,
  world,
}) => {
  const [unaccepted, ready, busy, ended] = [
    await world.claimed(),
    await world.claimed(),
    await world.claimed(),
    await world.claimed(),
  ];
  await ready.ready();
  await busy.accept();
  await ended.accept();
  await ended.done({ status: "failure" });
  expect((await housekeep(api.service)).runners).toBe(0);
  // Leases are over, the runs not yet taken back.
  await database.advanceClock(TIMEOUTS.assignmentMs + 1_000);
  expect((await housekeep(api.service)).runners).toBe(2);
  expect(await Promise.all([unaccepted, ready, busy, ended].map((r) => world.exists(r.runner_id)))).toEqual([
    false,
    false,
    true,
    true,
  ]);
  const [run] = await database.sql`select status, assigned_runner_id from runs where id = ${unaccepted.run_id}`;
  expect(run).toEqual({ status: "assigned", assigned_runner_id: null });
  await database.advanceClock(TIMEOUTS.executionMs);
  expect((await housekeep(api.service)).runners).toBe(1);
  expect(await Promise.all([busy, ended].map((r) => world.exists(r.runner_id)))).toEqual([true, false]);
  expect((await housekeep(api.service)).runners).toBe(0);
});

test("a row is kept while its run's lease runs, however old it is", async ({ database, api, world }) => {
  const holding = await world.claimed();
  await database.sql`update runners set created_at = svc_now() - interval '1 day' where id = ${holding.runner_id}`;
  await housekeep(api.service);
  expect(await world.exists(holding.runner_id)).toBe(true);
});

test("accepts and passes at once: no accepted run loses its runner", async ({ database, api, world }) => {
  for (let round = 0; round < 20; round++) {
    const racing = await world.claimed();
    await database.sql`update runners set created_at = svc_now() - interval '1 day' where id = ${racing.runner_id}`;
    await database.sql`update runs set assigned_expires_at = svc_now() + ${round} * interval '1 ms' where id = ${racing.run_id}`;
    const [accepted] = await Promise.all([racing.accept(), housekeep(api.service)]);
    const [run] = await database.sql`select status, assigned_runner_id from runs where id = ${racing.run_id}`;
    if (accepted.status === 200) expect(run).toEqual({ status: "running", assigned_runner_id: racing.runner_id });
    else expect(run?.status).toBe("assigned");
  }
});

test("each statement finds its rows by index", async ({ database }) => {
  for (const [query, index] of [
    [
      "select id from runners where status in ('not-ready', 'ready') and created_at < now() order by created_at limit 500",
      "runners_unaccepted",
    ],
    [
      "select id from runners where status in ('busy', 'finished', 'failed', 'gone') and last_seen_at < now() order by last_seen_at limit 500",
      "runners_accepted",
    ],
  ] as const) {
    const plan = await database.sql.begin(async (tx) => {
      await tx`set local enable_seqscan = off`;
      return tx.unsafe(`explain ${query}`);
    });
    expect(plan.map((row) => row["QUERY PLAN"]).join("\n")).toContain(index);
  }
});
