/** The transitions on real Postgres, without HTTP and Temporal: what each does to deployment, run, stage, log and lane. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { acknowledgeCancel, reportDispatchFailed, reportDone } from "../../src/core/deployments/transitions/report.ts";
import type { PlanSummary } from "../../src/core/runs/protocol.ts";
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

const NONE = { add: 0, change: 0, destroy: 0, replace: 0, import: 0, forget: 0, move: 0 };
const CHANGES: PlanSummary = { has_changes: true, counts: { ...NONE, add: 1 }, gaps: [] };
const NO_CHANGES: PlanSummary = { has_changes: false, counts: NONE, gaps: [] };

async function planned(
  stackKey: string,
  summary: unknown = CHANGES,
  mode: "plan" | "destroy" | "plan_unlocked" = "plan",
) {
  const id = await create(service, stackKey, { mode });
  const { runId, runnerId } = await claim(database, org, id);
  expect(await acceptRun(service, runId, runnerId)).toEqual({ outcome: "accepted" });
  await uploadPlan(database, runId);
  expect(await reportDone(service, runId, runnerId, { status: "success", plan_summary: summary })).toEqual({
    outcome: "stored",
  });
  return { id, runId, runnerId };
}

describe("plan, confirm, apply", () => {
  test("a plan with changes waits, the apply consumes it, and the next deployment gets the lane in the same transaction", async () => {
    const stack = await makeStack(database, org.orgId);
    const { id, runId } = await planned(stack);
    expect(await statuses(database, id)).toMatchObject({
      deployment: "waiting",
      runs: ["plan_run:success"],
      stages: ["plan_run:done", "confirmation:running"],
    });
    const next = await create(service, stack);
    expect((await statuses(database, next)).deployment).toBe("queued");

    const answer = await decide(service, database, id, "confirm", { action: "apply", plan_run_id: runId });
    expect(answer).toMatchObject({ outcome: "done", deployment: { id, status: "applying" } });
    const apply = await claim(database, org, id);
    await acceptRun(service, apply.runId, apply.runnerId);
    await reportDone(service, apply.runId, apply.runnerId, { status: "success" });
    expect(await statuses(database, id)).toMatchObject({
      deployment: "finished",
      runs: ["plan_run:success", "apply_run:success"],
      stages: ["plan_run:done", "confirmation:done", "apply_run:done"],
      events: ["created", "confirmed_apply"],
    });
    expect(await statuses(database, next)).toMatchObject({ deployment: "pending", runs: ["plan_run:pending"] });
  });

  test("a plan without changes finishes and frees the lane; one without a measured summary waits", async () => {
    const stack = await makeStack(database, org.orgId);
    const { id } = await planned(stack, NO_CHANGES);
    expect((await statuses(database, id)).deployment).toBe("finished");
    const unmeasured = await planned(stack, { has_changes: "yes" });
    expect(await statuses(database, unmeasured.id)).toMatchObject({ deployment: "waiting", events: ["created"] });
  });

  test("success of a plan with changes needs the plan artifact; without it nothing changes", async () => {
    const id = await create(service, await makeStack(database, org.orgId));
    const { runId, runnerId } = await claim(database, org, id);
    await acceptRun(service, runId, runnerId);
    const report = { status: "success", plan_summary: CHANGES } as const;
    expect(await reportDone(service, runId, runnerId, report)).toMatchObject({
      outcome: "refused",
      code: "plan_artifact_missing",
    });
    expect(await statuses(database, id)).toMatchObject({ deployment: "planning", runs: ["plan_run:running"] });
    await uploadPlan(database, runId);
    expect(await reportDone(service, runId, runnerId, report)).toEqual({ outcome: "stored" });
    expect(await reportDone(service, runId, runnerId, report)).toEqual({ outcome: "stored" });
    expect(await reportDone(service, runId, runnerId, { status: "failure" })).toMatchObject({
      code: "run_already_terminal",
    });
  });

  test.each([
    [
      "auto",
      { ...CHANGES, counts: { ...NONE, destroy: 2, replace: 1 } },
      "applying",
      { kind: "auto_applied", details: { mode: "auto", destroy: 2, replace: 1 } },
    ],
    [
      "auto",
      { has_changes: true, counts: null, gaps: ["?"] },
      "applying",
      { kind: "auto_applied", details: { mode: "auto", blind: true } },
    ],
    [
      "non_destructive",
      CHANGES,
      "applying",
      { kind: "auto_applied", details: { mode: "non_destructive", destroy: 0, replace: 0 } },
    ],
    [
      "non_destructive",
      { ...CHANGES, counts: { ...NONE, forget: 1 } },
      "waiting",
      { kind: "auto_approve_suppressed", details: { mode: "non_destructive", reason: "destructive" } },
    ],
    [
      "non_destructive",
      { has_changes: true, counts: null, gaps: ["?"] },
      "waiting",
      { kind: "auto_approve_suppressed", details: { mode: "non_destructive", reason: "incomplete" } },
    ],
  ])("auto_approve_mode %s with %o ends %s", async (auto_approve_mode, summary, status, event) => {
    const { id } = await planned(await makeStack(database, org.orgId, { auto_approve_mode }), summary);
    const seen = await statuses(database, id);
    expect(seen.deployment).toBe(status);
    expect(seen.eventRows.at(-1)).toEqual(event);
    if (status === "applying") expect(seen.stages).toEqual(["plan_run:done", "apply_run:running"]);
  });

  test("auto-approve never acts on a destroy", async () => {
    const { id } = await planned(
      await makeStack(database, org.orgId, { auto_approve_mode: "auto" }),
      CHANGES,
      "destroy",
    );
    expect(await statuses(database, id)).toMatchObject({ deployment: "waiting", runs: ["destroy_run:success"] });
  });

  test("plan_unlocked neither takes nor awaits the lane and ends finished with changes too", async () => {
    const stack = await makeStack(database, org.orgId);
    const holder = await create(service, stack);
    const queued = await create(service, stack);
    const { id } = await planned(stack, CHANGES, "plan_unlocked");
    expect((await statuses(database, id)).deployment).toBe("finished");
    expect((await statuses(database, holder)).deployment).toBe("pending");
    expect((await statuses(database, queued)).deployment).toBe("queued");
  });
});

describe("decisions", () => {
  test("confirm is a conflict in any status but waiting, and names another plan", async () => {
    const stack = await makeStack(database, org.orgId);
    const { id, runId } = await planned(stack);
    const queued = await create(service, stack);
    expect(await decide(service, database, queued, "confirm", { action: "apply" })).toMatchObject({
      outcome: "conflict",
      code: "invalid_transition",
    });
    expect(await decide(service, database, id, "confirm", { action: "apply", plan_run_id: queued })).toMatchObject({
      code: "plan_changed",
    });
    expect(await decide(service, database, id, "confirm", { action: "apply", plan_run_id: runId })).toMatchObject({
      outcome: "done",
    });
    expect(await decide(service, database, id, "confirm", { action: "apply" })).toMatchObject({ outcome: "conflict" });
    expect((await statuses(database, id)).runs).toEqual(["plan_run:success", "apply_run:pending"]);
  });

  test("confirm racing with the plan's end is done after it, or a conflict without effect before it", async () => {
    const counts: Record<string, number> = {};
    for (let round = 0; round < 60; round++) {
      const id = await create(service, await makeStack(database, org.orgId));
      const { runId, runnerId } = await claim(database, org, id);
      await acceptRun(service, runId, runnerId);
      await uploadPlan(database, runId);
      const later = async () => {
        await database.sql`select pg_sleep(${(round % 12) / 1_000})`;
        return decide(service, database, id, "confirm", { action: "apply" });
      };
      const [answer] = await Promise.all([
        later(),
        reportDone(service, runId, runnerId, { status: "success", plan_summary: CHANGES }),
      ]);
      const { deployment, runs } = await statuses(database, id);
      counts[answer.outcome] = (counts[answer.outcome] ?? 0) + 1;
      if (answer.outcome === "done")
        expect([deployment, ...runs]).toEqual(["applying", "plan_run:success", "apply_run:pending"]);
      else {
        expect(answer).toMatchObject({ outcome: "conflict", code: "invalid_transition" });
        expect([deployment, ...runs]).toEqual(["waiting", "plan_run:success"]);
      }
    }
    // Which of the two wins a round is the machine's affair; it must not always be the conflict.
    expect(counts.done).toBeGreaterThan(0);
  });

  test("replan keeps the lane and runs the same kind of plan with the targets", async () => {
    const { id } = await planned(await makeStack(database, org.orgId), CHANGES, "destroy");
    const answer = await decide(service, database, id, "confirm", {
      action: "replan",
      targets: ['terraform_data.a["x y"]'],
    });
    expect(answer).toMatchObject({ outcome: "done", deployment: { status: "pending" } });
    expect(await statuses(database, id)).toMatchObject({
      runs: ["destroy_run:success", "destroy_run:pending"],
      stages: ["destroy_run:done", "confirmation:done", "destroy_run:running"],
      events: ["created", "confirmed_replan"],
    });
  });

  test("skip of a queued deployment discards its run, of a waiting one frees the lane", async () => {
    const stack = await makeStack(database, org.orgId);
    const { id } = await planned(stack);
    const second = await create(service, stack);
    const third = await create(service, stack);
    expect(await decide(service, database, second, "skip")).toMatchObject({ outcome: "done" });
    expect(await statuses(database, second)).toMatchObject({
      deployment: "skipped",
      runs: ["plan_run:discarded"],
      stages: ["plan_run:skipped"],
    });
    expect(await decide(service, database, id, "confirm", { action: "skip" })).toMatchObject({ outcome: "done" });
    expect(await statuses(database, id)).toMatchObject({
      deployment: "skipped",
      events: ["created", "confirmed_skip"],
    });
    expect((await statuses(database, third)).deployment).toBe("pending");
    expect(await decide(service, database, third, "skip")).toMatchObject({ outcome: "conflict" });
  });

  test("cancel ends at once what nobody accepted, and asks a runner to stop", async () => {
    const stack = await makeStack(database, org.orgId);
    const first = await create(service, stack);
    const second = await create(service, stack);
    await claim(database, org, first);
    expect(await decide(service, database, first, "cancel")).toMatchObject({
      outcome: "done",
      deployment: { status: "cancelled" },
    });
    expect(await statuses(database, first)).toMatchObject({
      runs: ["plan_run:cancelled"],
      stages: ["plan_run:cancelled"],
    });
    expect(await decide(service, database, first, "cancel")).toMatchObject({ outcome: "done" });

    const { runId, runnerId } = await claim(database, org, second);
    await acceptRun(service, runId, runnerId);
    expect(await decide(service, database, second, "cancel", { force: true })).toMatchObject({ outcome: "conflict" });
    await decide(service, database, second, "cancel");
    expect(await statuses(database, second)).toMatchObject({
      deployment: "requested_cancellation",
      runs: ["plan_run:requested_cancellation"],
    });
    expect(await acknowledgeCancel(service, runId, runnerId)).toEqual({ outcome: "stored" });
    expect(await acknowledgeCancel(service, runId, runnerId)).toEqual({ outcome: "stored" });
    expect(await reportDone(service, runId, runnerId, { status: "success", plan_summary: CHANGES })).toEqual({
      outcome: "stored",
    });
    expect(await statuses(database, second)).toMatchObject({ deployment: "cancelled", runs: ["plan_run:cancelled"] });
  });

  test("after a cancel an apply that succeeds is finished, because the change is real", async () => {
    const { id } = await planned(await makeStack(database, org.orgId));
    await decide(service, database, id, "confirm", { action: "apply" });
    const { runId, runnerId } = await claim(database, org, id);
    await acceptRun(service, runId, runnerId);
    await decide(service, database, id, "cancel");
    await reportDone(service, runId, runnerId, { status: "success" });
    expect(await statuses(database, id)).toMatchObject({
      deployment: "finished",
      runs: ["plan_run:success", "apply_run:success"],
    });
  });

  test("a forced cancel frees the lane at once and warns", async () => {
    const stack = await makeStack(database, org.orgId);
    const first = await create(service, stack);
    const second = await create(service, stack);
    const { runId, runnerId } = await claim(database, org, first);
    await acceptRun(service, runId, runnerId);
    await decide(service, database, first, "cancel");
    expect(await decide(service, database, first, "cancel", { force: true })).toMatchObject({
      outcome: "done",
      warning: expect.any(String),
    });
    expect(await statuses(database, first)).toMatchObject({ deployment: "cancelled", runs: ["plan_run:cancelled"] });
    expect((await statuses(database, second)).deployment).toBe("pending");
    expect(await reportDone(service, runId, runnerId, { status: "success" })).toMatchObject({
      code: "run_already_terminal",
    });
  });

  test("prioritize puts a queued deployment first, keeps the first timestamp, and marks its run", async () => {
    const stack = await makeStack(database, org.orgId);
    const first = await create(service, stack);
    const second = await create(service, stack);
    const third = await create(service, stack);
    await decide(service, database, third, "prioritize");
    const before = (await statuses(database, third)).row.prioritized_at;
    await decide(service, database, third, "prioritize");
    expect((await statuses(database, third)).row.prioritized_at).toEqual(before);
    expect((await statuses(database, third)).events).toEqual(["created", "prioritized"]);
    await decide(service, database, first, "cancel");
    expect((await statuses(database, third)).deployment).toBe("pending");
    expect((await statuses(database, second)).deployment).toBe("queued");
  });
});

describe("runner trouble", () => {
  test("a second accept by the same runner fails the run", async () => {
    const stack = await makeStack(database, org.orgId);
    const id = await create(service, stack);
    const { runId, runnerId } = await claim(database, org, id);
    await acceptRun(service, runId, runnerId);
    expect(await acceptRun(service, runId, runnerId)).toMatchObject({ code: "accept_response_undeliverable" });
    expect(await statuses(database, id)).toMatchObject({ deployment: "failed", runs: ["plan_run:failure"] });
    expect(await acceptRun(service, runId, runnerId)).toMatchObject({ outcome: "refused", code: null });
  });

  test("dispatch-failed fails the run and shows why on its group, until the next accept", async () => {
    const id = await create(service, await makeStack(database, org.orgId));
    const { runId, runnerId } = await claim(database, org, id);
    expect(await reportDispatchFailed(service, runId, runnerId, "no machine")).toEqual({ outcome: "stored" });
    expect((await statuses(database, id)).deployment).toBe("failed");
    const error = async () =>
      (await database.sql`select last_dispatch_error from runner_groups where id = ${org.groupId}`)[0]
        ?.last_dispatch_error;
    expect(await error()).toBe("no machine");
    await planned(await makeStack(database, org.orgId));
    expect(await error()).toBeNull();
  });

  test.each(["failure", "timed_out", "cancelled"] as const)(
    "a run that reports %s ends its deployment and frees the lane",
    async (status) => {
      const stack = await makeStack(database, org.orgId);
      const id = await create(service, stack);
      const next = await create(service, stack);
      const { runId, runnerId } = await claim(database, org, id);
      await acceptRun(service, runId, runnerId);
      await reportDone(service, runId, runnerId, { status, exit_code: 1, error: "boom" });
      expect((await statuses(database, id)).deployment).toBe(status === "cancelled" ? "cancelled" : "failed");
      expect((await statuses(database, next)).deployment).toBe("pending");
    },
  );
});
