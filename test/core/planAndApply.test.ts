/**
 * From plan to apply on real Postgres: what each step does to deployment, run, stage, log and lane; runners in trouble.
 */
import { describe, expect } from "vitest";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { reportDispatchFailed, reportDone } from "../../src/core/deployments/transitions/report.ts";
import type { PlanSummary } from "../../src/core/runs/protocol.ts";
import { claim, create, decide, makeStack, statuses, uploadPlan } from "../support/fixtures.ts";
import { CHANGES, NONE, test } from "../support/transitionsTest.ts";

const NO_CHANGES: PlanSummary = { has_changes: false, counts: NONE, gaps: [] };

describe("plan, confirm, apply", () => {
  test("a plan with changes waits, the apply consumes it, and the next deployment gets the lane in the same transaction", async ({
    database,
    service,
    org,
    planned,
  }) => {
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

  test("a plan without changes finishes and frees the lane; one without a measured summary waits", async ({
    database,
    org,
    planned,
  }) => {
    const stack = await makeStack(database, org.orgId);
    const { id } = await planned(stack, NO_CHANGES);
    expect((await statuses(database, id)).deployment).toBe("finished");
    const unmeasured = await planned(stack, { has_changes: "yes" });
    expect(await statuses(database, unmeasured.id)).toMatchObject({ deployment: "waiting", events: ["created"] });
  });

  test("success of a plan with changes needs the plan artifact; without it nothing changes", async ({
    database,
    service,
    org,
  }) => {
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

  test.for([
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
  ] as const)(
    "auto_approve_mode %s with %o ends %s",
    async ([auto_approve_mode, summary, status, event], { database, org, planned }) => {
      const { id } = await planned(await makeStack(database, org.orgId, { auto_approve_mode }), summary);
      const seen = await statuses(database, id);
      expect(seen.deployment).toBe(status);
      expect(seen.eventRows.at(-1)).toEqual(event);
      if (status === "applying") expect(seen.stages).toEqual(["plan_run:done", "apply_run:running"]);
    },
  );

  test("auto-approve never acts on a destroy", async ({ database, org, planned }) => {
    const { id } = await planned(
      await makeStack(database, org.orgId, { auto_approve_mode: "auto" }),
      CHANGES,
      "destroy",
    );
    expect(await statuses(database, id)).toMatchObject({ deployment: "waiting", runs: ["destroy_run:success"] });
  });

  test("plan_unlocked neither takes nor awaits the lane and ends finished with changes too", async ({
    database,
    service,
    org,
    planned,
  }) => {
    const stack = await makeStack(database, org.orgId);
    const holder = await create(service, stack);
    const queued = await create(service, stack);
    const { id } = await planned(stack, CHANGES, "plan_unlocked");
    expect((await statuses(database, id)).deployment).toBe("finished");
    expect((await statuses(database, holder)).deployment).toBe("pending");
    expect((await statuses(database, queued)).deployment).toBe("queued");
  });
});

describe("runner trouble", () => {
  test("a second accept by the same runner fails the run", async ({ database, service, org }) => {
    const stack = await makeStack(database, org.orgId);
    const id = await create(service, stack);
    const { runId, runnerId } = await claim(database, org, id);
    await acceptRun(service, runId, runnerId);
    expect(await acceptRun(service, runId, runnerId)).toMatchObject({ code: "accept_response_undeliverable" });
    expect(await statuses(database, id)).toMatchObject({ deployment: "failed", runs: ["plan_run:failure"] });
    expect(await acceptRun(service, runId, runnerId)).toMatchObject({ outcome: "refused", code: null });
  });

  test("dispatch-failed fails the run and shows why on its group, until the next accept", async ({
    database,
    service,
    org,
    planned,
  }) => {
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

  test.for(["failure", "timed_out", "cancelled"] as const)(
    "a run that reports %s ends its deployment and frees the lane",
    async (status, { database, service, org }) => {
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
