/**
 * Each deadline by a clock that stands still: a millisecond before it nothing happens, on it it does, and the sleep
 * ends there.
 */
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { passDeploymentDeadline } from "../../src/core/deployments/transitions/deploymentDeadline.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import { passRunDeadline } from "../../src/core/deployments/transitions/runDeadline.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import {
  claim,
  create,
  decide,
  makeOrg,
  makeStack,
  statuses,
  type TestOrg,
  type TestService,
  TIMEOUTS,
  testService,
  uploadPlan,
} from "../support/fixtures.ts";

const START = "2026-03-01 00:00:00.123456+00";
const HOUR_MS = 3_600_000;

let database: TestDatabase;
let service: TestService;
let org: TestOrg;
beforeAll(async () => {
  database = await freshDatabase();
  service = testService(database);
  org = await makeOrg(database);
});
afterAll(() => database.close());
beforeEach(() => database.stopClock(START));

/** Stop the clock this many milliseconds after the start. */
async function at(ms: number): Promise<void> {
  const [row] = await database.sql`select (${START}::text::timestamptz + ${ms} * interval '1 millisecond')::text as at`;
  await database.stopClock(row?.at);
}

/** Milliseconds until the next deadline, as its workflow sleeps. */
async function sleepOf(row: "deployment" | "run", id: string): Promise<number> {
  const next =
    row === "deployment"
      ? sql`next_deadline(t, ${JSON.stringify(TIMEOUTS)}::jsonb) from deployments t`
      : sql`next_deadline(t, ${JSON.stringify(TIMEOUTS)}::jsonb) from runs t`;
  const [found] = await database.db.execute<{ ms: number }>(
    sql`select (extract(epoch from n - svc_now()) * 1000)::float8 as ms from (select ${next} where t.id = ${id}) as s (n)`,
  );
  return found?.ms ?? Number.NaN;
}

async function started(key: string) {
  const id = await create(service, key);
  const { runId, runnerId } = await claim(database, org, id);
  await acceptRun(service, runId, runnerId);
  return { id, runId, runnerId };
}

async function waiting(key: string): Promise<string> {
  const { id, runId, runnerId } = await started(key);
  await uploadPlan(database, runId);
  await reportDone(service, runId, runnerId, { status: "success" });
  expect((await statuses(database, id)).deployment).toBe("waiting");
  return id;
}

describe("a deployment", () => {
  async function endsAt(id: string, dueMs: number, before: string, after: string, reason: string | null) {
    await at(dueMs - 1);
    expect(await sleepOf("deployment", id)).toBe(1);
    await passDeploymentDeadline(service, id);
    expect((await statuses(database, id)).deployment).toBe(before);
    await at(dueMs);
    expect(await sleepOf("deployment", id)).toBe(0);
    await passDeploymentDeadline(service, id);
    const { deployment, row } = await statuses(database, id);
    expect([deployment, row.skipped_reason]).toEqual([after, reason]);
  }

  it("queued_timeout, from its creation", async () => {
    const key = await makeStack(database, org.orgId, { queued_timeout_ms: HOUR_MS });
    await create(service, key);
    await endsAt(await create(service, key), HOUR_MS, "queued", "skipped", "queued_timeout");
  });

  it("confirmation_timeout, from the moment it waits", async () => {
    const key = await makeStack(database, org.orgId, { confirmation_timeout_ms: HOUR_MS });
    await at(5_000);
    await endsAt(await waiting(key), 5_000 + HOUR_MS, "waiting", "skipped", "confirmation_timeout");
  });

  it("supersede_age, from its creation once there is a newer one", async () => {
    const key = await makeStack(database, org.orgId, { supersede_age_ms: HOUR_MS });
    const older = await waiting(key);
    await at(2 * HOUR_MS);
    await passDeploymentDeadline(service, older);
    expect((await statuses(database, older)).deployment).toBe("waiting");
    const newer = await create(service, key);
    await passDeploymentDeadline(service, newer);
    await passDeploymentDeadline(service, older);
    expect((await statuses(database, older)).row.skipped_reason).toBe("superseded");
    expect((await statuses(database, newer)).deployment).toBe("pending");
  });

  it("supersede_age that comes after the newer one", async () => {
    const key = await makeStack(database, org.orgId, { supersede_age_ms: HOUR_MS });
    const older = await waiting(key);
    await create(service, key);
    await endsAt(older, HOUR_MS, "waiting", "skipped", "superseded");
  });

  it("a policy made shorter, longer and nothing, by the moment it counts from", async () => {
    const key = await makeStack(database, org.orgId, { queued_timeout_ms: HOUR_MS });
    await create(service, key);
    const id = await create(service, key);
    const policy = (ms: number | null) =>
      database.sql`update stacks set queued_timeout_ms = ${ms} where stack_key = ${key}`;
    await at(HOUR_MS);
    await policy(null);
    await passDeploymentDeadline(service, id);
    expect((await statuses(database, id)).deployment).toBe("queued");
    await policy(2 * HOUR_MS);
    expect(await sleepOf("deployment", id)).toBe(HOUR_MS);
    await policy(HOUR_MS + 1);
    await endsAt(id, HOUR_MS + 1, "queued", "skipped", "queued_timeout");
  });

  it("the startup deadline, from its run's first pending moment", async () => {
    const id = await create(service, await makeStack(database, org.orgId));
    await endsAt(id, TIMEOUTS.startupDeadlineMs, "pending", "failed", null);
  });
});

describe("a run", () => {
  async function endsAt(id: string, runId: string, dueMs: number, before: string, after: string) {
    await at(dueMs - 1);
    expect(await sleepOf("run", runId)).toBe(1);
    await passRunDeadline(service, runId);
    expect((await statuses(database, id)).runs).toEqual([`plan_run:${before}`]);
    await at(dueMs);
    expect(await sleepOf("run", runId)).toBe(0);
    await passRunDeadline(service, runId);
    expect((await statuses(database, id)).runs).toEqual([`plan_run:${after}`]);
  }

  it("its lease", async () => {
    const id = await create(service, await makeStack(database, org.orgId));
    const { runId } = await claim(database, org, id, TIMEOUTS.assignmentMs);
    await endsAt(id, runId, TIMEOUTS.assignmentMs, "assigned", "pending");
  });

  it("its runner's silence", async () => {
    const { id, runId } = await started(await makeStack(database, org.orgId));
    await endsAt(id, runId, TIMEOUTS.executionMs, "running", "failure");
  });

  it("max_run_duration, however busy its runner is", async () => {
    const { id, runId } = await started(await makeStack(database, org.orgId, { max_run_duration_ms: 60_000 }));
    await endsAt(id, runId, 60_000, "running", "timed_out");
  });

  it("a cancel that its runner does not answer", async () => {
    const { id, runId } = await started(await makeStack(database, org.orgId));
    await at(1_000);
    await decide(service, database, id, "cancel");
    await endsAt(id, runId, 1_000 + TIMEOUTS.cancellationMs, "requested_cancellation", "cancelled");
  });
});
