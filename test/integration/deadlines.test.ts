/** Deadlines of runs and deployments by the database's clock: exact to the millisecond, repeatable, and never early (spec 3.3). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { acceptRun } from "../../src/deployments/transitions/accept.ts";
import { passDeploymentDeadline } from "../../src/deployments/transitions/deploymentDeadline.ts";
import { handBack } from "../../src/deployments/transitions/lapse.ts";
import { reportDone } from "../../src/deployments/transitions/report.ts";
import { passRunDeadline } from "../../src/deployments/transitions/runDeadline.ts";
import { deploymentView } from "../../src/deployments/view.ts";
import { runView } from "../../src/runs/view.ts";
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

let database: TestDatabase;
let service: TestService;
let org: TestOrg;
beforeAll(async () => {
  database = await freshDatabase();
  service = testService(database);
  org = await makeOrg(database);
});
afterAll(() => database.close());

/** A clock that stands still until moved, so that a millisecond is a millisecond. */
beforeEach(async () => {
  await database.sql`create or replace function svc_now() returns timestamptz language sql volatile as 'select at from public.stopped_clock'`.catch(
    async () => {
      await database.sql`create table stopped_clock (at timestamptz not null)`;
      await database.sql`insert into stopped_clock values (clock_timestamp())`;
      await database.sql`create or replace function svc_now() returns timestamptz language sql volatile as 'select at from public.stopped_clock'`;
    },
  );
});
const advance = (ms: number) => database.sql`update stopped_clock set at = at + ${ms} * interval '1 millisecond'`;

async function running(stackKey: string) {
  const id = await create(service, stackKey);
  const { runId, runnerId } = await claim(database, org, id);
  await acceptRun(service, runId, runnerId);
  return { id, runId, runnerId };
}

describe("the lease", () => {
  test("an unaccepted run is pending again at its lapse, not before; attempts count there; the lease is cleared (C105)", async () => {
    const id = await create(service, await makeStack(database, org.orgId));
    const { runId, runnerId } = await claim(database, org, id);
    expect(await runView(database.db, service.timeouts, runId)).toMatchObject({ live: true, deadlineMs: 120_000 });
    await advance(119_999);
    await passRunDeadline(service, runId);
    expect((await statuses(database, id)).runs).toEqual(["plan_run:assigned"]);
    await advance(1);
    expect(await acceptRun(service, runId, runnerId)).toMatchObject({ outcome: "refused", code: null });
    await passRunDeadline(service, runId);
    await passRunDeadline(service, runId);
    const [run] = await database.sql`select * from runs where id = ${runId}`;
    expect(run).toMatchObject({
      status: "pending",
      assignment_attempts: 1,
      assigned_expires_at: null,
      assigned_runner_id: runnerId,
    });
    expect(await runView(database.db, service.timeouts, runId)).toMatchObject({ live: false });
  });

  test("the fifth lapse is startup_timeout: deployment failed, lane free", async () => {
    const stack = await makeStack(database, org.orgId);
    const id = await create(service, stack);
    const next = await create(service, stack);
    for (let attempt = 1; attempt <= 5; attempt++) {
      const { runId } = await claim(database, org, id);
      await advance(120_000);
      await passRunDeadline(service, runId);
    }
    expect(await statuses(database, id)).toMatchObject({
      deployment: "failed",
      runs: ["plan_run:startup_timeout"],
      stages: ["plan_run:failed"],
    });
    expect((await statuses(database, next)).deployment).toBe("pending");
  });

  test("a hand-back is fenced by its claim and counts no attempt", async () => {
    const id = await create(service, await makeStack(database, org.orgId));
    const first = await claim(database, org, id);
    expect(await handBack(service, first.runId, 2)).toBe(false);
    expect(await handBack(service, first.runId, 1)).toBe(true);
    expect(await handBack(service, first.runId, 1)).toBe(false);
    await claim(database, org, id);
    expect(await handBack(service, first.runId, 1)).toBe(false);
    const [run] = await database.sql`select status, assignment_attempts from runs where id = ${first.runId}`;
    expect(run).toEqual({ status: "assigned", assignment_attempts: 0 });
  });
});

describe("the startup deadline", () => {
  test("ends a run that nobody claimed, never one that is assigned", async () => {
    const stack = await makeStack(database, org.orgId);
    const id = await create(service, stack);
    expect(await deploymentView(database.db, service.timeouts, id)).toMatchObject({
      status: "pending",
      deadlineMs: TIMEOUTS.startupDeadlineMs,
    });
    await advance(TIMEOUTS.startupDeadlineMs - 1);
    await passDeploymentDeadline(service, id);
    expect((await statuses(database, id)).deployment).toBe("pending");
    const { runId } = await claim(database, org, id);
    await advance(1);
    await passDeploymentDeadline(service, id);
    expect((await statuses(database, id)).runs).toEqual(["plan_run:assigned"]);
    expect(await deploymentView(database.db, service.timeouts, id)).toMatchObject({ deadlineMs: 119_999 });
    expect(await handBack(service, runId, 1)).toBe(true);
    expect(await statuses(database, id)).toMatchObject({ deployment: "failed", runs: ["plan_run:startup_timeout"] });
  });

  test("counts for an apply run that nobody claims too", async () => {
    const { id, runId, runnerId } = await running(await makeStack(database, org.orgId, { auto_approve_mode: "auto" }));
    await uploadPlan(database, runId);
    await reportDone(service, runId, runnerId, { status: "success" });
    await advance(TIMEOUTS.startupDeadlineMs);
    await passDeploymentDeadline(service, id);
    expect(await statuses(database, id)).toMatchObject({
      deployment: "failed",
      runs: ["plan_run:success", "apply_run:startup_timeout"],
    });
  });
});

describe("a running run", () => {
  test("is a failure RUNNER_EXECUTION_TIMEOUT after it was last seen; its late report changes nothing (C19, C22, C107)", async () => {
    const stack = await makeStack(database, org.orgId);
    const { id, runId, runnerId } = await running(stack);
    await advance(1_000_000);
    await database.sql`update run_liveness set last_seen_at = svc_now() where run_id = ${runId}`;
    expect(await runView(database.db, service.timeouts, runId)).toMatchObject({ deadlineMs: TIMEOUTS.executionMs });
    await advance(TIMEOUTS.executionMs - 1);
    await passRunDeadline(service, runId);
    expect((await statuses(database, id)).deployment).toBe("planning");
    await advance(1);
    await passRunDeadline(service, runId);
    expect(await statuses(database, id)).toMatchObject({ deployment: "failed", runs: ["plan_run:failure"] });
    expect(await reportDone(service, runId, runnerId, { status: "success" })).toMatchObject({
      code: "run_already_terminal",
    });
    expect((await statuses(database, id)).deployment).toBe("failed");
  });

  test("is timed_out at max_run_duration even while its runner keeps calling", async () => {
    const { id, runId } = await running(await makeStack(database, org.orgId, { max_run_duration_ms: 5_000 }));
    await advance(4_999);
    await database.sql`update run_liveness set last_seen_at = svc_now() where run_id = ${runId}`;
    await passRunDeadline(service, runId);
    expect((await statuses(database, id)).deployment).toBe("planning");
    await advance(1);
    await passRunDeadline(service, runId);
    expect(await statuses(database, id)).toMatchObject({ deployment: "failed", runs: ["plan_run:timed_out"] });
  });

  test("whose runner does not answer a cancel is cancelled RUNNER_CANCELLATION_TIMEOUT after the later of request and last call", async () => {
    const { id, runId } = await running(await makeStack(database, org.orgId));
    await advance(60_000);
    await decide(service, database, id, "cancel");
    expect(await runView(database.db, service.timeouts, runId)).toMatchObject({ deadlineMs: TIMEOUTS.cancellationMs });
    await advance(TIMEOUTS.cancellationMs - 1);
    await passRunDeadline(service, runId);
    expect((await statuses(database, id)).deployment).toBe("requested_cancellation");
    await advance(1);
    await passRunDeadline(service, runId);
    expect(await statuses(database, id)).toMatchObject({ deployment: "cancelled", runs: ["plan_run:cancelled"] });
  });

  test("that keeps calling after a cancel is cancelled at max_run_duration", async () => {
    const { id, runId } = await running(await makeStack(database, org.orgId, { max_run_duration_ms: 5_000 }));
    await decide(service, database, id, "cancel");
    await advance(5_000);
    await database.sql`update run_liveness set last_seen_at = svc_now() where run_id = ${runId}`;
    await passRunDeadline(service, runId);
    expect(await statuses(database, id)).toMatchObject({ deployment: "cancelled", runs: ["plan_run:cancelled"] });
  });
});

describe("queue policy", () => {
  test("queued_timeout counts from creation and discards the run", async () => {
    const stack = await makeStack(database, org.orgId, { queued_timeout_ms: 10_000 });
    await create(service, stack);
    const id = await create(service, stack);
    await advance(9_999);
    await passDeploymentDeadline(service, id);
    expect((await statuses(database, id)).deployment).toBe("queued");
    await advance(1);
    await passDeploymentDeadline(service, id);
    expect(await statuses(database, id)).toMatchObject({
      deployment: "skipped",
      runs: ["plan_run:discarded"],
      row: { skipped_reason: "queued_timeout" },
    });
  });

  test("confirmation_timeout counts from entering waiting and frees the lane", async () => {
    const stack = await makeStack(database, org.orgId, { confirmation_timeout_ms: 10_000 });
    const { id, runId, runnerId } = await running(stack);
    const next = await create(service, stack);
    await advance(60_000);
    await uploadPlan(database, runId);
    await reportDone(service, runId, runnerId, { status: "success" });
    await advance(9_999);
    await passDeploymentDeadline(service, id);
    expect((await statuses(database, id)).deployment).toBe("waiting");
    await advance(1);
    await passDeploymentDeadline(service, id);
    expect((await statuses(database, id)).row).toMatchObject({
      status: "skipped",
      skipped_reason: "confirmation_timeout",
    });
    expect((await statuses(database, next)).deployment).toBe("pending");
  });

  test("supersede_age acts once a newer plan exists, and tells only the one that was newest before", async () => {
    const stack = await makeStack(database, org.orgId, { supersede_age_ms: 10_000 });
    await create(service, stack);
    const old = await create(service, stack);
    await advance(20_000);
    await passDeploymentDeadline(service, old);
    expect((await statuses(database, old)).deployment).toBe("queued");
    service.sent.length = 0;
    await create(service, stack, { mode: "destroy" });
    expect(service.sent.filter((message) => message.kind === "signalDeployment")).toEqual([]);
    await create(service, stack);
    expect(service.sent).toContainEqual({ kind: "signalDeployment", deploymentId: old, signal: "newerPlan" });
    await passDeploymentDeadline(service, old);
    expect((await statuses(database, old)).row).toMatchObject({ status: "skipped", skipped_reason: "superseded" });
  });
});
