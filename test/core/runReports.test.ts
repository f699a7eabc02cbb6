/** What a runner reports of its run, and each call's answers (docs/rules/runner-protocol.md). */
import { randomBytes } from "node:crypto";
import { describe, expect } from "vitest";
import type { RunContext } from "../../src/core/runs/protocol.ts";
import { create, decide, makeOrg, makeStack, statuses } from "../support/fixtures.ts";
import { coordinator, makeGroup, PLAN_WITH_CHANGES, runner } from "../support/runnerApi.ts";
import { test, verdict } from "../support/runnerProtocolTest.ts";

test.afterEach(({ api }) => expect(api.unexpected).toEqual([]));

describe("done", () => {
  test("of a run nobody accepted is 409 and changes nothing", async ({ world }) => {
    const { runner, stub } = await world.claimed();
    expect(await verdict(runner.done({ status: "failure" }))).toEqual({ status: 409, code: "invalid_transition" });
    expect((await world.runRow(stub.run_id)).status).toBe("assigned");
  });

  test("repeated equal is 204 once more, another report is 409, and neither has a second effect", async ({
    database,
    api,
    world,
  }) => {
    const { runner, stackKey, deploymentId } = await world.claimed();
    const next = await create(api.service, stackKey);
    await create(api.service, stackKey);
    await runner.accept();
    await runner.upload("plan", randomBytes(10));
    const report = { ...PLAN_WITH_CHANGES, exit_code: 0, error: null };
    const reordered = {
      error: null,
      exit_code: 0,
      plan_summary: { ...PLAN_WITH_CHANGES.plan_summary },
      status: "success",
    };
    expect((await runner.done(report)).status).toBe(204);
    expect((await runner.done(reordered)).status).toBe(204);
    expect(await verdict(runner.done({ status: "failure" }))).toEqual({ status: 409, code: "run_already_terminal" });
    expect((await statuses(database, deploymentId)).deployment).toBe("waiting");
    expect((await statuses(database, next)).deployment).toBe("queued");
  });

  test("at once and many times, the lane passes on once", async ({ database, api, world }) => {
    for (let round = 0; round < 10; round++) {
      const { runner, stackKey, deploymentId } = await world.claimed();
      const queued = [await create(api.service, stackKey), await create(api.service, stackKey)];
      await runner.accept();
      const answers = await Promise.all(Array.from({ length: 6 }, () => runner.done({ status: "failure" })));
      expect(answers.map((answer) => answer.status)).toEqual(Array(6).fill(204));
      expect((await statuses(database, deploymentId)).deployment).toBe("failed");
      expect(await Promise.all(queued.map(async (id) => (await statuses(database, id)).deployment))).toEqual([
        "pending",
        "queued",
      ]);
    }
  });

  test("of a run the service gave up is 409 and touches nothing", async ({ database, api, world }) => {
    const { runner, stackKey, stub } = await world.claimed();
    await runner.accept();
    await runner.upload("plan", randomBytes(10));
    await database.sql`update runs set status = 'failure', completed_at = svc_now() where id = ${stub.run_id}`;
    await database.sql`update deployments set status = 'failed', completed_at = svc_now() where stack_key = ${stackKey}`;
    const next = await create(api.service, stackKey);
    expect(await verdict(runner.done(PLAN_WITH_CHANGES))).toEqual({ status: 409, code: "run_already_terminal" });
    expect((await statuses(database, next)).deployment).toBe("pending");
    // Also when housekeeping has removed the runner's row meanwhile.
    await database.sql`delete from runners where id = ${stub.runner_id}`;
    expect(await verdict(runner.done(PLAN_WITH_CHANGES))).toEqual({ status: 409, code: "run_already_terminal" });
    expect(await (await runner.status()).json()).toEqual({ status: "failure" });
  });

  test("of a plan with changes that was never uploaded is 409 and can be repeated after the upload", async ({
    database,
    world,
  }) => {
    const { runner, stub, deploymentId } = await world.claimed();
    await runner.accept();
    expect(await verdict(runner.done(PLAN_WITH_CHANGES))).toEqual({ status: 409, code: "plan_artifact_missing" });
    expect((await world.runRow(stub.run_id)).status).toBe("running");
    await runner.upload("plan", randomBytes(10));
    expect((await runner.done(PLAN_WITH_CHANGES)).status).toBe(204);
    expect((await statuses(database, deploymentId)).deployment).toBe("waiting");
  });

  test("with an invalid summary counts as changes nobody measured; with an invalid status it is 400", async ({
    world,
  }) => {
    const { runner, stub } = await world.claimed();
    await runner.accept();
    await runner.upload("plan", randomBytes(10));
    expect(await verdict(runner.done({ status: "finished" }))).toEqual({ status: 400, code: "malformed_request" });
    expect((await runner.done({ status: "success", plan_summary: { has_changes: "no" } })).status).toBe(204);
    expect((await world.runRow(stub.run_id)).plan_summary).toMatchObject({ has_changes: true, counts: null });
  });

  test("tells message and author of a commit of which only the id is known, once, bounded", async ({
    database,
    world,
  }) => {
    const { runner, deploymentId } = await world.claimed();
    const context = (await (await runner.accept()).json()) as RunContext;
    expect(context.source).toMatchObject({ describe_commit: true });
    const row = async () => {
      const [deployment] = await database.sql`
        select commit_message, commit_author from deployments where id = ${deploymentId}`;
      return deployment;
    };
    expect(await row()).toEqual({ commit_message: null, commit_author: null });
    const commit = { message: "Widen the network\u0000\n".padEnd(5_000, "x"), author: "A".repeat(400) };
    expect((await runner.done({ status: "failure", commit })).status).toBe(204);
    const message = "Widen the network\n".padEnd(4_000, "x");
    expect(await row()).toEqual({ commit_message: message, commit_author: "A".repeat(300) });
  });

  test("tells the author of a commit that has no message", async ({ database, world }) => {
    const { runner, deploymentId } = await world.claimed();
    await runner.accept();
    await runner.done({ status: "failure", commit: { message: "", author: "Ada" } });
    const [row] = await database.sql`select commit_message, commit_author from deployments where id = ${deploymentId}`;
    expect(row).toEqual({ commit_message: null, commit_author: "Ada" });
  });

  test("leaves alone what is known of a commit, and takes nothing malformed", async ({ api, database, world }) => {
    const known = await world.claimed();
    await database.sql`update deployments set commit_message = 'of the host' where id = ${known.deploymentId}`;
    const context = (await (await known.runner.accept()).json()) as RunContext;
    expect(context.source).not.toHaveProperty("describe_commit");
    const malformed = await world.claimed();
    await malformed.runner.accept();
    await known.runner.done({ status: "failure", commit: { message: "another", author: null } });
    expect((await malformed.runner.done({ status: "failure", commit: { message: 7 } })).status).toBe(204);
    const rows = await database.sql`
      select commit_message from deployments where id in ${database.sql([known.deploymentId, malformed.deploymentId])}
      order by commit_message`;
    expect(rows.map((row) => row.commit_message)).toEqual(["of the host", null]);
    expect(api.unexpected).toEqual([]);
  });

  test("with an exit code of more than 32 bits is 400 and can be repeated with a true one", async ({ world }) => {
    const { runner } = await world.claimed();
    await runner.accept();
    for (const exit_code of [1e308, 2 ** 31, -(2 ** 31) - 1]) {
      expect(await verdict(runner.done({ status: "failure", exit_code }))).toEqual({
        status: 400,
        code: "malformed_request",
      });
    }
    expect((await runner.done({ status: "failure", exit_code: 2 ** 31 - 1 })).status).toBe(204);
  });

  test("with text that Postgres cannot keep is stored without it, never refused", async ({ world }) => {
    const { runner, stub } = await world.claimed();
    await runner.accept();
    expect((await runner.done({ status: "failure", error: "no\0 such\ud800 thing" })).status).toBe(204);
    expect((await world.runRow(stub.run_id)).error).toBe("no such\ufffd thing");
  });

  test("with a field of a later version is stored, and the field counted", async ({ api, world }) => {
    const { runner } = await world.claimed();
    await runner.accept();
    expect((await runner.done({ status: "failure", colour: "red" })).status).toBe(204);
    const { values } = await api.deps.metrics.unknownRunnerFields.get();
    expect(values).toContainEqual(expect.objectContaining({ labels: { route: "done" }, value: 1 }));
  });
});

describe("ready, status, acknowledging-cancel, deregister, dispatch-failed", () => {
  test("ready is 204 again and again, and a conflict once the runner is busy", async ({ world }) => {
    const { runner } = await world.claimed();
    expect([(await runner.ready()).status, (await runner.ready()).status]).toEqual([204, 204]);
    await runner.accept();
    expect(await verdict(runner.ready())).toEqual({ status: 409 });
  });

  test("a runner whose row was removed is refused by ready and may still deregister", async ({ database, world }) => {
    const { runner, stub } = await world.claimed();
    await database.sql`update runs set status = 'pending', assigned_expires_at = null where id = ${stub.run_id}`;
    await database.sql`delete from runners where id = ${stub.runner_id}`;
    expect(await verdict(runner.ready())).toEqual({ status: 409 });
    expect(await verdict(runner.status())).toEqual({ status: 409 });
    expect((await runner.live(0, Buffer.from("x"))).status).toBe(204);
    expect((await runner.deregister()).status).toBe(204);
    expect(await database.sql`select 1 from log_chunks where run_id = ${stub.run_id}`).toHaveLength(0);
  });

  test("a cancellation is shown, acknowledged once and again, and the end is cancelled", async ({
    database,
    api,
    world,
  }) => {
    const { runner, deploymentId, polling, org } = await world.claimed();
    await create(api.service, await makeStack(database, org.orgId));
    await runner.accept();
    await decide(api.service, database, deploymentId, "cancel");
    expect(await (await runner.status()).json()).toEqual({ status: "requested_cancellation" });
    expect((await runner.live(0, Buffer.from("stopping"))).status).toBe(204);
    expect((await runner.acknowledge()).status).toBe(204);
    expect((await runner.acknowledge()).status).toBe(204);
    expect((await statuses(database, deploymentId)).deployment).toBe("cancelling");
    expect((await runner.done({ status: "cancelled" })).status).toBe(204);
    expect((await statuses(database, deploymentId)).deployment).toBe("cancelled");
    expect((await polling.poll()).status).toBe(200);
  });

  test("acknowledging what nobody asked for is 409", async ({ world }) => {
    const { runner } = await world.claimed();
    await runner.accept();
    expect(await verdict(runner.acknowledge())).toEqual({ status: 409, code: "invalid_transition" });
  });

  test("deregister is refused while the runner holds a run, and 204 after its lease lapsed or its run ended", async ({
    database,
    world,
  }) => {
    const holding = await world.claimed();
    expect(await verdict(holding.runner.deregister())).toEqual({ status: 409 });
    await holding.runner.accept();
    expect(await verdict(holding.runner.deregister())).toEqual({ status: 409 });
    await holding.runner.done({ status: "failure" });
    expect((await holding.runner.deregister()).status).toBe(204);
    expect((await holding.runner.deregister()).status).toBe(204);
    const lapsed = await world.claimed();
    await database.sql`update runs set assigned_expires_at = svc_now() - interval '1 ms' where id = ${lapsed.stub.run_id}`;
    expect((await lapsed.runner.deregister()).status).toBe(204);
    expect((await world.runRow(lapsed.stub.run_id)).assigned_runner_id).toBe(null);
  });

  test("accept and deregister at once: the run runs with its runner, or was not accepted", async ({
    database,
    world,
  }) => {
    for (let round = 0; round < 20; round++) {
      const { runner, stub } = await world.claimed();
      await database.sql`update runs set assigned_expires_at = svc_now() + ${round * 2} * interval '1 ms' where id = ${stub.run_id}`;
      const [accepted, removed] = await Promise.all([runner.accept(), runner.deregister()]);
      const { status, assigned_runner_id } = await world.runRow(stub.run_id);
      if (accepted.status === 200)
        expect([status, assigned_runner_id, removed.status]).toEqual(["running", stub.runner_id, 409]);
      else expect(status).toBe("assigned");
    }
  });

  test("dispatch-failed fails the run at once, shows on the group until the next accept, and repeats as 204", async ({
    database,
    api,
    world,
  }) => {
    const { polling, stub, deploymentId, org, stackKey } = await world.claimed();
    const report = () => polling.call("POST", "dispatch-failed", { ...stub, error: "no machine left" });
    expect((await report()).status).toBe(204);
    expect((await report()).status).toBe(204);
    expect(await statuses(database, deploymentId)).toMatchObject({ deployment: "failed", runs: ["plan_run:failure"] });
    const group = async () =>
      (await database.sql`select last_dispatch_error from runner_groups where id = ${org.id}`)[0]?.last_dispatch_error;
    expect(await group()).toBe("no machine left");
    await create(api.service, stackKey);
    await (await runner(api, org, await polling.claim())).accept();
    expect(await group()).toBe(null);
  });

  test("dispatch-failed for a run of another group or organization is 403, for an accepted one 409", async ({
    database,
    api,
    world,
  }) => {
    const { org, stub, runner: own } = await world.claimed();
    const sibling = await coordinator(api, await makeGroup(database, org.orgId, { labels: { pool: "x" } }));
    const stranger = await coordinator(api, await makeOrg(database));
    for (const other of [sibling, stranger]) {
      expect((await other.call("POST", "dispatch-failed", { ...stub, error: "x" })).status).toBe(403);
    }
    await own.accept();
    const late = await (await coordinator(api, org)).call("POST", "dispatch-failed", { ...stub, error: "x" });
    expect(await verdict(late)).toEqual({ status: 409, code: "invalid_transition" });
    expect((await world.runRow(stub.run_id)).status).toBe("running");
  });

  test("heartbeat refreshes the group's last contact and version", async ({ database, world }) => {
    const { polling, org } = await world.claimed();
    expect((await polling.call("POST", "heartbeat", { version: "1.2.3" })).status).toBe(204);
    expect((await polling.call("POST", "heartbeat")).status).toBe(204);
    const [group] = await database.sql`select last_contact_at, runner_version from runner_groups where id = ${org.id}`;
    expect(group).toMatchObject({ runner_version: "1.2.3", last_contact_at: expect.any(Date) });
  });
});
