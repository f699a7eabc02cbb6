/** Checks for drift are nobody's who waits (docs/drift.md#what-a-check-never-does). */
import { describe, expect } from "vitest";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { claimRun } from "../../src/core/dispatch/claim.ts";
import { createMetrics } from "../../src/platform/telemetry/metrics.ts";
import { driftWorld, refreshed } from "../support/driftTest.ts";
import { create, makeOrg, makeStack, statuses } from "../support/fixtures.ts";
import { runner } from "../support/runnerApi.ts";
import { runnerTest } from "../support/test.ts";

const test = runnerTest().extend("world", async ({ api, database }) => {
  const org = await makeOrg(database);
  const drift = driftWorld(database, api.service, org);
  const poll = async (rateLimit = false) =>
    claimRun(
      { service: api.service, limits: { rateLimit, maxPerOrg: undefined }, metrics: createMetrics() },
      org,
      () => false,
    );
  /** The deployment whose run a poll was given. */
  const claimed = async (rateLimit = false) => {
    const outcome = await poll(rateLimit);
    if (outcome.outcome !== "claimed") return outcome.outcome;
    const [run] = await database.sql`select deployment_id from runs where id = ${outcome.run.runId}`;
    return run?.deployment_id as string;
  };
  return { ...drift, poll, claimed };
});

test("a check is claimed after everything else, however long it has waited", async ({ world, database }) => {
  const check = await world.checking(await world.applied());
  const person = await create(world.service, await makeStack(database, world.org.orgId));
  const preview = await create(world.service, await makeStack(database, world.org.orgId), { mode: "plan_unlocked" });
  expect([await world.claimed(), await world.claimed(), await world.claimed()]).toEqual([person, preview, check]);
});

test("a group has as many checks at once as it gives to them, and others beside them", async ({ world, database }) => {
  const checks: string[] = [];
  await database.sql`update runner_groups set max_drift_runs = 2 where org_id = ${world.org.orgId}`;
  for (let i = 0; i < 2; i++) checks.push(await world.checking(await world.applied()));
  await database.sql`update runner_groups set max_drift_runs = 1 where org_id = ${world.org.orgId}`;
  expect(checks).toContain(await world.claimed());
  expect(await world.claimed()).toBe("nothing");
  const person = await create(world.service, await makeStack(database, world.org.orgId));
  expect(await world.claimed()).toBe(person);
});

test("a check takes nothing of the runs per hour, and needs none", async ({ world, database }) => {
  await world.checking(await world.applied());
  const tokens = async () =>
    (await database.sql`select tokens from dispatch_orgs where org_id = ${world.org.orgId}`)[0]?.tokens;
  await database.sql`update dispatch_orgs set tokens = 0.5, refilled_at = svc_now() where org_id = ${world.org.orgId}`;
  await database.sql`update organizations set runs_per_hour_limit = 1 where id = ${world.org.orgId}`;
  const before = await tokens();
  expect((await world.poll(true)).outcome).toBe("claimed");
  expect(await tokens()).toBe(before);
});

test("a check counts in no quota of deployments that wait", async ({ world }) => {
  const stackKey = await world.applied();
  const service = { ...world.service, quotas: { organizations: 1, stacks: 1, queued_deployments: 1 } };
  await world.checking(stackKey);
  await expect(create(service, stackKey)).resolves.toEqual(expect.any(String));
});

describe("a check that runs is stopped for what waits for its group", () => {
  test.for([
    { what: "a plan", mode: "plan", provenance: "branch", wall: "none", stops: true },
    { what: "a preview", mode: "plan_unlocked", provenance: "pull_request", wall: "none", stops: true },
    {
      what: "a fork's preview, by a wall that is there",
      mode: "plan_unlocked",
      provenance: "fork",
      wall: "now",
      stops: true,
    },
    { what: "no fork's preview without a wall", mode: "plan_unlocked", provenance: "fork", wall: "none", stops: false },
    { what: "nor with one that has gone", mode: "plan_unlocked", provenance: "fork", wall: "gone", stops: false },
    { what: "nor another check", mode: "drift", provenance: "branch", wall: "now", stops: false },
  ] as const)("$what", async ({ mode, provenance, wall, stops }, { world, api, database }) => {
    const { sql } = database;
    const { orgId } = world.org;
    await sql`update runner_groups set walled_contact_at = ${wall === "none" ? null : sql`svc_now() - ${wall === "now" ? "5 seconds" : "3 minutes"}::interval`}
      where org_id = ${orgId}`;
    await world.checking(await world.applied());
    const outcome = await world.poll();
    if (outcome.outcome !== "claimed") throw new Error(outcome.outcome);
    const { runId, runnerId } = outcome.run;
    await acceptRun(world.service, runId, runnerId);
    const own = await runner(api, world.org, { run_id: runId, runner_id: runnerId });
    const other = await create(world.service, await makeStack(database, orgId), { mode, provenance });
    await sql`update runs set first_pending_at = svc_now() - interval '6 seconds' where deployment_id = ${other}`;
    // A younger one that goes before it changes nothing.
    const younger = await create(world.service, await makeStack(database, orgId), { mode, provenance });
    await sql`update runs set prioritized_at = svc_now() where deployment_id = ${younger}`;
    const { status } = (await (await own.status()).json()) as { status: string };
    expect(status).toBe(stops ? "requested_cancellation" : "running");
  });
});

test("one whose place is waited for is stopped, says nothing and comes again", async ({ world, api, database }) => {
  const stackKey = await world.applied();
  const id = await world.checking(stackKey);
  const outcome = await world.poll();
  if (outcome.outcome !== "claimed") throw new Error(outcome.outcome);
  const { runId, runnerId } = outcome.run;
  await acceptRun(world.service, runId, runnerId);
  const own = await runner(api, world.org, { run_id: runId, runner_id: runnerId });
  const status = async () => ((await (await own.status()).json()) as { status: string }).status;
  expect(await status()).toBe("running");
  const person = await create(world.service, await makeStack(database, world.org.orgId));
  // It may be on its way to a runner that is free.
  expect(await status()).toBe("running");
  await database.sql`update runs set first_pending_at = svc_now() - interval '6 seconds' where deployment_id = ${person}`;
  expect(await status()).toBe("requested_cancellation");
  expect(await status()).toBe("requested_cancellation");
  expect((await statuses(database, id)).deployment).toBe("requested_cancellation");
  expect((await own.done({ status: "cancelled" })).status).toBe(204);
  await world.step();
  const row = await world.row(stackKey);
  expect(row).toMatchObject({ put_off: "gave_way", status: "unknown", check_id: null });
  expect((row.due_at as Date).getTime()).toBeLessThan(Date.now() + 120_000);
  expect(await world.news(stackKey)).toEqual([]);
  await world.check(stackKey, refreshed());
});
