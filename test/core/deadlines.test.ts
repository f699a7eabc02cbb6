/** Time passing: each deadline acts by itself within a second, decided by the database's clock. */
import { describe, expect } from "vitest";
import { workflowIds } from "../../workflows/ids.ts";
import { openCore, type TestCore } from "../support/core.ts";
import { create, makeOrg, makeStack, type TestOrg } from "../support/fixtures.ts";
import { accept, deploymentSees, leaseSees, poll, rowBecomes, untilWaiting } from "../support/lifecycle.ts";
import { freshNamespace } from "../support/temporal.ts";
import { databaseTest } from "../support/test.ts";
import { waitFor } from "../support/waitFor.ts";

const TIMEOUT_MS = 700;
/**
 * Loose: that a timer acts at all, and not early. How late it may be is held by the `deadline` bench on a calm machine.
 */
const OVERSHOOT_MS = 15_000;

type Running = { core: TestCore; org: TestOrg };

function expectOnTime(ms: number): void {
  expect(ms).toBeGreaterThanOrEqual(0);
  expect(ms).toBeLessThan(OVERSHOOT_MS);
}

const test = databaseTest()
  .extend("temporal", { scope: "file" }, async ({}, { onCleanup }) => {
    const temporal = await freshNamespace();
    onCleanup(() => temporal.close());
    return temporal;
  })
  .extend("world", ({ database, temporal }) => {
    /** A core of its own with one short timeout. Its namespace is shared, so only one lives at a time. */
    async function withTimeouts(
      timeouts: Record<string, number>,
      body: (running: Running) => Promise<void>,
    ): Promise<void> {
      await using core = openCore(database, temporal, timeouts);
      const worker = await core.startWorker();
      try {
        await body({ core, org: await makeOrg(database) });
      } finally {
        await worker.stop();
      }
    }

    /** Milliseconds from the deadline to the end of the row, by the database. */
    async function overshoot(table: "deployments" | "runs", id: string, from: string): Promise<number> {
      const { sql } = database;
      const [row] = await sql`
        select extract(epoch from completed_at - ${sql(from)})::float8 * 1000 - ${TIMEOUT_MS} as ms from ${sql(table)} where id = ${id}`;
      return row?.ms;
    }

    async function runBecomes(runId: string, status: string): Promise<void> {
      const { sql } = database;
      await waitFor(
        async () => (await sql`select 1 from runs where id = ${runId} and status = ${status}`).length === 1,
        {
          what: `run ${runId} to be ${status}`,
        },
      );
    }

    return { withTimeouts, overshoot, runBecomes };
  });

describe("a queue policy", () => {
  test("skips what has waited too long for the lane", async ({ database, world }) => {
    await world.withTimeouts({}, async ({ core, org }) => {
      const stackKey = await makeStack(database, org.orgId, { queued_timeout_ms: TIMEOUT_MS });
      await create(core.service, stackKey);
      const queued = await create(core.service, stackKey);
      await rowBecomes(database, queued, "skipped");
      expectOnTime(await world.overshoot("deployments", queued, "created_at"));
      const [row] = await database.sql`select skipped_reason from deployments where id = ${queued}`;
      expect(row?.skipped_reason).toBe("queued_timeout");
    });
  });

  test("skips what no person has confirmed, and passes the lane on", async ({ database, world }) => {
    await world.withTimeouts({}, async ({ core, org }) => {
      const stackKey = await makeStack(database, org.orgId, { confirmation_timeout_ms: TIMEOUT_MS });
      const waiting = await create(core.service, stackKey);
      const next = await create(core.service, stackKey);
      await untilWaiting(core, database, org);
      await rowBecomes(database, waiting, "skipped");
      await rowBecomes(database, next, "pending");
    });
  });

  test("skips an older plan once a newer one exists and the age is reached", async ({ database, world }) => {
    await world.withTimeouts({}, async ({ core, org }) => {
      const stackKey = await makeStack(database, org.orgId, { supersede_age_ms: TIMEOUT_MS });
      const older = await create(core.service, stackKey);
      await untilWaiting(core, database, org);
      await deploymentSees(core, older, "waiting");
      const newer = await create(core.service, stackKey);
      await rowBecomes(database, older, "skipped");
      await rowBecomes(database, newer, "pending");
    });
  });

  test("acts when it is changed while something waits", async ({ database, world }) => {
    await world.withTimeouts({}, async ({ core, org }) => {
      const stackKey = await makeStack(database, org.orgId);
      const waiting = await create(core.service, stackKey);
      await untilWaiting(core, database, org);
      await deploymentSees(core, waiting, "waiting");
      await database.sql`update stacks set confirmation_timeout_ms = 1 where stack_key = ${stackKey}`;
      await core.temporal.signal(workflowIds.deployment(waiting), "policyChanged");
      await rowBecomes(database, waiting, "skipped");
    });
  });
});

describe("a run", () => {
  test("ends startup_timeout when no runner claims it", async ({ database, world }) => {
    await world.withTimeouts({ startupDeadlineMs: TIMEOUT_MS }, async ({ core, org }) => {
      const deploymentId = await create(core.service, await makeStack(database, org.orgId));
      const [run] = await database.sql`select id from runs where deployment_id = ${deploymentId}`;
      await world.runBecomes(run?.id, "startup_timeout");
      expectOnTime(await world.overshoot("runs", run?.id, "first_pending_at"));
      await rowBecomes(database, deploymentId, "failed");
    });
  });

  test("ends startup_timeout at the last lapse that its attempts allow", async ({ database, world }) => {
    await world.withTimeouts({ assignmentMs: 300, maxAssignmentAttempts: 2 }, async ({ core, org }) => {
      const deploymentId = await create(core.service, await makeStack(database, org.orgId));
      const { runId } = await poll(core, org);
      await world.runBecomes(runId, "pending");
      expect((await poll(core, org)).runId).toBe(runId);
      await world.runBecomes(runId, "startup_timeout");
      await rowBecomes(database, deploymentId, "failed");
    });
  });

  test("ends failure when its runner falls silent", async ({ database, world }) => {
    await world.withTimeouts({ executionMs: TIMEOUT_MS }, async ({ core, org }) => {
      const deploymentId = await create(core.service, await makeStack(database, org.orgId));
      const run = await poll(core, org);
      await accept(core, run);
      await world.runBecomes(run.runId, "failure");
      expectOnTime(await world.overshoot("runs", run.runId, "started_at"));
      await rowBecomes(database, deploymentId, "failed");
    });
  });

  test("lives on while its runner is seen, and ends timed_out at its longest duration", async ({ database, world }) => {
    await world.withTimeouts({ executionMs: 400, maxRunDurationMs: 1_500 }, async ({ core, org }) => {
      const deploymentId = await create(core.service, await makeStack(database, org.orgId));
      const run = await poll(core, org);
      await accept(core, run);
      await waitFor(
        async () => {
          await database.sql`update run_liveness set last_seen_at = svc_now() where run_id = ${run.runId}`;
          return (await database.sql`select 1 from runs where id = ${run.runId} and status = 'timed_out'`).length === 1;
        },
        { what: "the run to be timed_out", everyMs: 100 },
      );
      await rowBecomes(database, deploymentId, "failed");
    });
  });

  test("ends cancelled when its runner does not answer a cancel, and the lane passes on", async ({
    database,
    world,
  }) => {
    await world.withTimeouts({ cancellationMs: TIMEOUT_MS }, async ({ core, org }) => {
      const stackKey = await makeStack(database, org.orgId);
      const deploymentId = await create(core.service, stackKey);
      const next = await create(core.service, stackKey);
      const run = await poll(core, org);
      await accept(core, run);
      await leaseSees(core, run.runId, "running");
      expect(await core.decide(deploymentId, "cancel")).toMatchObject({ answer: { outcome: "done" } });
      await world.runBecomes(run.runId, "cancelled");
      expectOnTime(await world.overshoot("runs", run.runId, "cancel_requested_at"));
      await rowBecomes(database, deploymentId, "cancelled");
      await rowBecomes(database, next, "pending");
    });
  });
});

describe("the database's clock", () => {
  test("decides, when Temporal's differs: a timer that fires early re-arms, a row that is due early ends at the next read", async ({
    database,
    world,
  }) => {
    await world.withTimeouts({ executionMs: 60_000 }, async ({ core, org }) => {
      const deploymentId = await create(core.service, await makeStack(database, org.orgId));
      const run = await poll(core, org);
      await accept(core, run);
      await leaseSees(core, run.runId, "running");
      await database.advanceClock(-3_600_000);
      await core.temporal.signal(workflowIds.lease(run.runId), "reread");
      await waitFor(
        async () => {
          const view = (await core.temporal.state(workflowIds.lease(run.runId))) as { deadlineMs: number } | null;
          return view !== null && view.deadlineMs > 3_000_000;
        },
        { what: "the lease to read the deadline anew" },
      );
      await database.advanceClock(3_600_000 + 61_000);
      await core.temporal.signal(workflowIds.lease(run.runId), "reread");
      await world.runBecomes(run.runId, "failure");
      await rowBecomes(database, deploymentId, "failed");
    });
  });
});
