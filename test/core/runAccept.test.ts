/** Accepting a run: who is refused, and with what (docs/rules/runner-protocol.md). */
import { describe, expect } from "vitest";
import { create, decide, makeOrg, makeStack, statuses } from "../support/fixtures.ts";
import { coordinator, runner, startRunnerApi } from "../support/runnerApi.ts";
import { type claimRun, test, verdict } from "../support/runnerProtocolTest.ts";

type Claimed = Awaited<ReturnType<typeof claimRun>>;

test.afterEach(({ api }) => expect(api.unexpected).toEqual([]));

describe("accept refuses", () => {
  const CASES: [string, (c: Claimed) => Promise<unknown>, object, string][] = [
    [
      "a run cancelled before it was accepted",
      ({ api, database, deploymentId }) => decide(api.service, database, deploymentId, "cancel"),
      { status: 409, code: "run_already_terminal" },
      "cancelled",
    ],
    [
      "a run discarded with its skipped deployment",
      ({ database, stub }) =>
        database.sql`update runs set status = 'discarded', assigned_expires_at = null, completed_at = svc_now() where id = ${stub.run_id}`,
      { status: 409, code: "run_already_terminal" },
      "discarded",
    ],
    [
      "a run whose runner could not be started",
      ({ polling, stub }) => polling.call("POST", "dispatch-failed", { ...stub, error: "no machine" }),
      { status: 409 },
      "failure",
    ],
    [
      "a run given up before it started",
      ({ database, stub }) =>
        database.sql`update runs set status = 'startup_timeout', assigned_expires_at = null, completed_at = svc_now() where id = ${stub.run_id}`,
      { status: 409 },
      "startup_timeout",
    ],
    [
      "a lease that lapsed and was not yet taken back",
      ({ database, stub }) =>
        database.sql`update runs set assigned_expires_at = svc_now() - interval '1 ms' where id = ${stub.run_id}`,
      { status: 409 },
      "assigned",
    ],
    [
      "a run that is pending again",
      ({ database, stub }) =>
        database.sql`update runs set status = 'pending', assigned_expires_at = null where id = ${stub.run_id}`,
      { status: 409 },
      "pending",
    ],
    [
      "a run that another runner has now",
      async ({ database, stub, polling }) => {
        await database.sql`update runs set status = 'pending', assigned_expires_at = null where id = ${stub.run_id}`;
        expect((await polling.claim()).run_id).toBe(stub.run_id);
      },
      { status: 409 },
      "assigned",
    ],
    [
      "a runner whose row is gone",
      async ({ database, stub }) => {
        await database.sql`update runs set status = 'pending', assigned_expires_at = null where id = ${stub.run_id}`;
        await database.sql`delete from runners where id = ${stub.runner_id}`;
      },
      { status: 409 },
      "pending",
    ],
  ];
  test.for(CASES)("%s", async ([_name, arrange, answer, status], { world }) => {
    const it = await world.claimed();
    await arrange(it);
    expect(await verdict(it.runner.accept())).toEqual(answer);
    expect((await world.runRow(it.stub.run_id)).status).toBe(status);
  });

  test("the replay by the runner that accepted, and ends the run", async ({ database, api, world }) => {
    const { runner, deploymentId, stackKey } = await world.claimed();
    const next = await create(api.service, stackKey);
    expect((await runner.accept()).status).toBe(200);
    expect(await verdict(runner.accept())).toEqual({ status: 409, code: "accept_response_undeliverable" });
    expect(await statuses(database, deploymentId)).toMatchObject({ deployment: "failed", runs: ["plan_run:failure"] });
    expect((await statuses(database, next)).deployment).toBe("pending");
    expect(await verdict(runner.accept())).toEqual({ status: 409 });
  });

  test("the replay while a cancellation is asked for, and ends the run cancelled", async ({ database, api, world }) => {
    const { runner, deploymentId } = await world.claimed();
    await runner.accept();
    await decide(api.service, database, deploymentId, "cancel");
    expect(await verdict(runner.accept())).toEqual({ status: 409, code: "accept_response_undeliverable" });
    expect(await statuses(database, deploymentId)).toMatchObject({
      deployment: "cancelled",
      runs: ["plan_run:cancelled"],
    });
    expect(await verdict(runner.accept())).toEqual({ status: 409, code: "run_already_terminal" });
  });

  test("all but one of many at once", async ({ database, world }) => {
    for (let round = 0; round < 10; round++) {
      const { runner, deploymentId } = await world.claimed();
      const answers = await Promise.all(Array.from({ length: 5 }, () => verdict(runner.accept())));
      const accepted = answers.filter((answer) => answer.status === 200);
      expect(accepted).toHaveLength(1);
      expect(answers).toContainEqual({ status: 409, code: "accept_response_undeliverable" });
      expect((await statuses(database, deploymentId)).deployment).toBe("failed");
    }
  });
});

test("accept answers 503 when credentials take too long, and the lease goes on", async ({ database, world }) => {
  const slow = await startRunnerApi(database, {
    timeouts: { assignmentMs: 600 },
    sources: {
      environment: async () => [],
      cloudAccess: () => new Promise(() => {}),
      scmCredentials: async () => null,
    },
  });
  try {
    const org = await makeOrg(database);
    await create(slow.service, await makeStack(database, org.orgId));
    const stub = await (await coordinator(slow, org)).claim();
    const late = await runner(slow, org, stub);
    expect(await verdict(late.accept())).toEqual({ status: 503, code: "credentials_unavailable" });
    expect((await world.runRow(stub.run_id)).status).toBe("assigned");
  } finally {
    await slow.close();
  }
});
