/** What each decision does to deployment, run, stage, log and lane, without HTTP and Temporal. */
import { describe, expect } from "vitest";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { acknowledgeCancel, reportDone } from "../../src/core/deployments/transitions/report.ts";
import { claim, create, decide, makeStack, statuses, uploadPlan } from "../support/fixtures.ts";
import { CHANGES, test } from "../support/transitionsTest.ts";

describe("decisions", () => {
  test("confirm is a conflict in any status but waiting, and names another plan", async ({
    database,
    service,
    org,
    planned,
  }) => {
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

  test("confirm racing with the plan's end is done after it, or a conflict without effect before it", async ({
    database,
    service,
    org,
  }) => {
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

  test("replan keeps the lane and runs the same kind of plan with the targets", async ({
    database,
    service,
    org,
    planned,
  }) => {
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

  test("skip of a queued deployment discards its run, of a waiting one frees the lane", async ({
    database,
    service,
    org,
    planned,
  }) => {
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

  test("cancel ends at once what nobody accepted, and asks a runner to stop", async ({ database, service, org }) => {
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

  test("after a cancel an apply that succeeds is finished, because the change is real", async ({
    database,
    service,
    org,
    planned,
  }) => {
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

  test("a forced cancel frees the lane at once and warns", async ({ database, service, org }) => {
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

  test("prioritize puts a queued deployment first, keeps the first timestamp, and marks its run", async ({
    database,
    service,
    org,
  }) => {
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
