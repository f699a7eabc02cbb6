/** A run's whole way over HTTP, and each call's answers (docs/rules/runner-protocol.md). */
import { createHash, randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { noSources } from "../../src/core/runnerProtocol/context.ts";
import type { RunContext } from "../../src/core/runs/protocol.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { COMMIT, create, decide, type Group, makeOrg, makeStack, statuses } from "../support/fixtures.ts";
import {
  coordinator,
  groupToken,
  makeGroup,
  PLAN_WITH_CHANGES,
  type RunnerApi,
  runner,
  startRunnerApi,
} from "../support/runnerApi.ts";

let database: TestDatabase;
let api: RunnerApi;

beforeAll(async () => {
  database = await freshDatabase({ max: 10 });
  api = await startRunnerApi(database, { sources: noSources });
});
afterAll(async () => {
  await api.close();
  await database.close();
});

afterEach(() => expect(api.unexpected).toEqual([]));

/** A claimed run of a new deployment, with its runner. */
async function claimed(group?: Group) {
  const org = group ?? (await makeOrg(database));
  const stackKey = await makeStack(database, org.orgId);
  const deploymentId = await create(api.service, stackKey);
  const polling = await coordinator(api, org);
  const stub = await polling.claim();
  return { org, stackKey, deploymentId, polling, stub, runner: await runner(api, org, stub) };
}

test("poll, accept, plan, done, confirm, apply with the same plan, done", async () => {
  const { org, deploymentId, polling, runner: planner } = await claimed();
  expect((await planner.ready()).status).toBe(204);
  const accepted = await planner.accept();
  expect(accepted.status).toBe(200);
  const context = (await accepted.json()) as RunContext;
  expect(context).toMatchObject({
    run: {
      id: planner.run_id,
      org_id: org.orgId,
      kind: "plan_run",
      state_locked: false,
      plan_run_id: null,
      targets: [],
    },
    deployment: { id: deploymentId, mode: "plan", origin_type: "manual", commit_sha: COMMIT },
    stack: { working_directory: ".", tool: "terraform", tool_version: null, labels: {} },
    source: { type: "git", repository_url: "https://git.example/r.git", branch: "main", commit_sha: COMMIT },
    environment: [],
    runtime_credentials: [],
    scm_credentials: null,
    limits: { max_run_duration_seconds: 21_600, log_chunk_bytes: 65_536, artifact_bytes: 4_000_000 },
  });
  const plan = randomBytes(300_000);
  expect((await planner.upload("plan", plan)).status).toBe(204);
  expect((await planner.done(PLAN_WITH_CHANGES)).status).toBe(204);
  expect((await statuses(database, deploymentId)).deployment).toBe("waiting");

  expect(await decide(api.service, database, deploymentId, "confirm", { action: "apply" } as never)).toMatchObject({
    outcome: "done",
  });
  const applier = await runner(api, org, await polling.claim());
  const applyContext = (await (await applier.accept()).json()) as RunContext;
  expect(applyContext.run).toMatchObject({
    kind: "apply_run",
    state_locked: true,
    plan_run_id: planner.run_id,
    plan_sha256: createHash("sha256").update(plan).digest("hex"),
  });
  const served = await applier.download("plan");
  expect(served.status).toBe(200);
  expect(served.headers.get("content-length")).toBe("300000");
  expect(Buffer.from(await served.arrayBuffer()).equals(plan)).toBe(true);
  expect((await applier.done({ status: "success", exit_code: 0 })).status).toBe(204);
  expect((await applier.deregister()).status).toBe(204);
  const { deployment, runs } = await statuses(database, deploymentId);
  expect({ deployment, runs }).toEqual({ deployment: "finished", runs: ["plan_run:success", "apply_run:success"] });
});

/** The parts of an answer that a runner acts on. */
async function verdict(given: Response | Promise<Response>): Promise<{ status: number; code?: string }> {
  const answer = await given;
  const problem = answer.headers.get("content-type") === "application/problem+json";
  const { code } = (problem ? await answer.json() : {}) as { code?: string };
  return code === undefined ? { status: answer.status } : { status: answer.status, code };
}

async function runRow(runId: string) {
  const [row] = await database.sql`select * from runs where id = ${runId}`;
  return row ?? {};
}

describe("accept refuses", () => {
  const CASES: [string, (c: Awaited<ReturnType<typeof claimed>>) => Promise<unknown>, object, string][] = [
    [
      "a run cancelled before it was accepted",
      ({ deploymentId }) => decide(api.service, database, deploymentId, "cancel"),
      { status: 409, code: "run_already_terminal" },
      "cancelled",
    ],
    [
      "a run discarded with its skipped deployment",
      ({ stub }) =>
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
      ({ stub }) =>
        database.sql`update runs set status = 'startup_timeout', assigned_expires_at = null, completed_at = svc_now() where id = ${stub.run_id}`,
      { status: 409 },
      "startup_timeout",
    ],
    [
      "a lease that lapsed and was not yet taken back",
      ({ stub }) =>
        database.sql`update runs set assigned_expires_at = svc_now() - interval '1 ms' where id = ${stub.run_id}`,
      { status: 409 },
      "assigned",
    ],
    [
      "a run that is pending again",
      ({ stub }) =>
        database.sql`update runs set status = 'pending', assigned_expires_at = null where id = ${stub.run_id}`,
      { status: 409 },
      "pending",
    ],
    [
      "a run that another runner has now",
      async ({ stub, polling }) => {
        await database.sql`update runs set status = 'pending', assigned_expires_at = null where id = ${stub.run_id}`;
        expect((await polling.claim()).run_id).toBe(stub.run_id);
      },
      { status: 409 },
      "assigned",
    ],
    [
      "a runner whose row is gone",
      async ({ stub }) => {
        await database.sql`update runs set status = 'pending', assigned_expires_at = null where id = ${stub.run_id}`;
        await database.sql`delete from runners where id = ${stub.runner_id}`;
      },
      { status: 409 },
      "pending",
    ],
  ];
  test.each(CASES)("%s", async (_name, arrange, answer, status) => {
    const it = await claimed();
    await arrange(it);
    expect(await verdict(it.runner.accept())).toEqual(answer);
    expect((await runRow(it.stub.run_id)).status).toBe(status);
  });

  test("the replay by the runner that accepted, and ends the run", async () => {
    const { runner, deploymentId, stackKey } = await claimed();
    const next = await create(api.service, stackKey);
    expect((await runner.accept()).status).toBe(200);
    expect(await verdict(runner.accept())).toEqual({ status: 409, code: "accept_response_undeliverable" });
    expect(await statuses(database, deploymentId)).toMatchObject({ deployment: "failed", runs: ["plan_run:failure"] });
    expect((await statuses(database, next)).deployment).toBe("pending");
    expect(await verdict(runner.accept())).toEqual({ status: 409 });
  });

  test("the replay while a cancellation is asked for, and ends the run cancelled", async () => {
    const { runner, deploymentId } = await claimed();
    await runner.accept();
    await decide(api.service, database, deploymentId, "cancel");
    expect(await verdict(runner.accept())).toEqual({ status: 409, code: "accept_response_undeliverable" });
    expect(await statuses(database, deploymentId)).toMatchObject({
      deployment: "cancelled",
      runs: ["plan_run:cancelled"],
    });
    expect(await verdict(runner.accept())).toEqual({ status: 409, code: "run_already_terminal" });
  });

  test("all but one of many at once", async () => {
    for (let round = 0; round < 10; round++) {
      const { runner, deploymentId } = await claimed();
      const answers = await Promise.all(Array.from({ length: 5 }, () => verdict(runner.accept())));
      const accepted = answers.filter((answer) => answer.status === 200);
      expect(accepted).toHaveLength(1);
      expect(answers).toContainEqual({ status: 409, code: "accept_response_undeliverable" });
      expect((await statuses(database, deploymentId)).deployment).toBe("failed");
    }
  });
});

test("accept answers 503 when credentials take too long, and the lease goes on", async () => {
  const slow = await startRunnerApi(database, {
    timeouts: { assignmentMs: 600 },
    sources: {
      environment: async () => [],
      runtimeCredentials: () => new Promise(() => {}),
      scmCredentials: async () => null,
    },
  });
  try {
    const org = await makeOrg(database);
    await create(slow.service, await makeStack(database, org.orgId));
    const stub = await (await coordinator(slow, org)).claim();
    const late = await runner(slow, org, stub);
    expect(await verdict(late.accept())).toEqual({ status: 503, code: "credentials_unavailable" });
    expect((await runRow(stub.run_id)).status).toBe("assigned");
  } finally {
    await slow.close();
  }
});

describe("done", () => {
  test("of a run nobody accepted is 409 and changes nothing", async () => {
    const { runner, stub } = await claimed();
    expect(await verdict(runner.done({ status: "failure" }))).toEqual({ status: 409, code: "invalid_transition" });
    expect((await runRow(stub.run_id)).status).toBe("assigned");
  });

  test("repeated equal is 204 once more, another report is 409, and neither has a second effect", async () => {
    const { runner, stackKey, deploymentId } = await claimed();
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

  test("at once and many times, the lane passes on once", async () => {
    for (let round = 0; round < 10; round++) {
      const { runner, stackKey, deploymentId } = await claimed();
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

  test("of a run the service gave up is 409 and touches nothing", async () => {
    const { runner, stackKey, stub } = await claimed();
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

  test("of a plan with changes that was never uploaded is 409 and can be repeated after the upload", async () => {
    const { runner, stub, deploymentId } = await claimed();
    await runner.accept();
    expect(await verdict(runner.done(PLAN_WITH_CHANGES))).toEqual({ status: 409, code: "plan_artifact_missing" });
    expect((await runRow(stub.run_id)).status).toBe("running");
    await runner.upload("plan", randomBytes(10));
    expect((await runner.done(PLAN_WITH_CHANGES)).status).toBe(204);
    expect((await statuses(database, deploymentId)).deployment).toBe("waiting");
  });

  test("with an invalid summary counts as changes nobody measured; with an invalid status it is 400", async () => {
    const { runner, stub } = await claimed();
    await runner.accept();
    await runner.upload("plan", randomBytes(10));
    expect(await verdict(runner.done({ status: "finished" }))).toEqual({ status: 400, code: "malformed_request" });
    expect((await runner.done({ status: "success", plan_summary: { has_changes: "no" } })).status).toBe(204);
    expect((await runRow(stub.run_id)).plan_summary).toMatchObject({ has_changes: true, counts: null });
  });

  test("with an exit code of more than 32 bits is 400 and can be repeated with a true one", async () => {
    const { runner } = await claimed();
    await runner.accept();
    for (const exit_code of [1e308, 2 ** 31, -(2 ** 31) - 1]) {
      expect(await verdict(runner.done({ status: "failure", exit_code }))).toEqual({
        status: 400,
        code: "malformed_request",
      });
    }
    expect((await runner.done({ status: "failure", exit_code: 2 ** 31 - 1 })).status).toBe(204);
  });

  test("with text that Postgres cannot keep is stored without it, never refused", async () => {
    const { runner, stub } = await claimed();
    await runner.accept();
    expect((await runner.done({ status: "failure", error: "no\0 such\ud800 thing" })).status).toBe(204);
    expect((await runRow(stub.run_id)).error).toBe("no such\ufffd thing");
  });

  test("with a field of a later version is stored, and the field counted", async () => {
    const { runner } = await claimed();
    await runner.accept();
    expect((await runner.done({ status: "failure", colour: "red" })).status).toBe(204);
    const { values } = await api.deps.metrics.unknownRunnerFields.get();
    expect(values).toContainEqual(expect.objectContaining({ labels: { route: "done" }, value: 1 }));
  });
});

describe("ready, status, acknowledging-cancel, deregister, dispatch-failed", () => {
  test("ready is 204 again and again, and a conflict once the runner is busy", async () => {
    const { runner } = await claimed();
    expect([(await runner.ready()).status, (await runner.ready()).status]).toEqual([204, 204]);
    await runner.accept();
    expect(await verdict(runner.ready())).toEqual({ status: 409 });
  });

  test("a runner whose row was removed is refused by ready and may still deregister", async () => {
    const { runner, stub } = await claimed();
    await database.sql`update runs set status = 'pending', assigned_expires_at = null where id = ${stub.run_id}`;
    await database.sql`delete from runners where id = ${stub.runner_id}`;
    expect(await verdict(runner.ready())).toEqual({ status: 409 });
    expect(await verdict(runner.status())).toEqual({ status: 409 });
    expect((await runner.live(0, Buffer.from("x"))).status).toBe(204);
    expect((await runner.deregister()).status).toBe(204);
    expect(await database.sql`select 1 from log_chunks where run_id = ${stub.run_id}`).toHaveLength(0);
  });

  test("a cancellation is shown, acknowledged once and again, and the end is cancelled", async () => {
    const { runner, deploymentId, polling, org } = await claimed();
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

  test("acknowledging what nobody asked for is 409", async () => {
    const { runner } = await claimed();
    await runner.accept();
    expect(await verdict(runner.acknowledge())).toEqual({ status: 409, code: "invalid_transition" });
  });

  test("deregister is refused while the runner holds a run, and 204 after its lease lapsed or its run ended", async () => {
    const holding = await claimed();
    expect(await verdict(holding.runner.deregister())).toEqual({ status: 409 });
    await holding.runner.accept();
    expect(await verdict(holding.runner.deregister())).toEqual({ status: 409 });
    await holding.runner.done({ status: "failure" });
    expect((await holding.runner.deregister()).status).toBe(204);
    expect((await holding.runner.deregister()).status).toBe(204);
    const lapsed = await claimed();
    await database.sql`update runs set assigned_expires_at = svc_now() - interval '1 ms' where id = ${lapsed.stub.run_id}`;
    expect((await lapsed.runner.deregister()).status).toBe(204);
    expect((await runRow(lapsed.stub.run_id)).assigned_runner_id).toBe(null);
  });

  test("accept and deregister at once: the run runs with its runner, or was not accepted", async () => {
    for (let round = 0; round < 20; round++) {
      const { runner, stub } = await claimed();
      await database.sql`update runs set assigned_expires_at = svc_now() + ${round * 2} * interval '1 ms' where id = ${stub.run_id}`;
      const [accepted, removed] = await Promise.all([runner.accept(), runner.deregister()]);
      const { status, assigned_runner_id } = await runRow(stub.run_id);
      if (accepted.status === 200)
        expect([status, assigned_runner_id, removed.status]).toEqual(["running", stub.runner_id, 409]);
      else expect(status).toBe("assigned");
    }
  });

  test("dispatch-failed fails the run at once, shows on the group until the next accept, and repeats as 204", async () => {
    const { polling, stub, deploymentId, org, stackKey } = await claimed();
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

  test("dispatch-failed for a run of another group or organization is 403, for an accepted one 409", async () => {
    const { org, stub, runner: own } = await claimed();
    const sibling = await coordinator(api, await makeGroup(database, org.orgId, { labels: { pool: "x" } }));
    const stranger = await coordinator(api, await makeOrg(database));
    for (const other of [sibling, stranger]) {
      expect((await other.call("POST", "dispatch-failed", { ...stub, error: "x" })).status).toBe(403);
    }
    await own.accept();
    const late = await (await coordinator(api, org)).call("POST", "dispatch-failed", { ...stub, error: "x" });
    expect(await verdict(late)).toEqual({ status: 409, code: "invalid_transition" });
    expect((await runRow(stub.run_id)).status).toBe("running");
  });

  test("heartbeat refreshes the group's last contact and version", async () => {
    const { polling, org } = await claimed();
    expect((await polling.call("POST", "heartbeat", { version: "1.2.3" })).status).toBe(204);
    expect((await polling.call("POST", "heartbeat")).status).toBe(204);
    const [group] = await database.sql`select last_contact_at, runner_version from runner_groups where id = ${org.id}`;
    expect(group).toMatchObject({ runner_version: "1.2.3", last_contact_at: expect.any(Date) });
  });
});

describe("liveness", () => {
  const seen = async (runId: string) =>
    (await database.sql`select last_seen_at::text as at from run_liveness where run_id = ${runId}`)[0]?.at as string;

  test("is written at most every 15 s, and never for a run that is over", async () => {
    await using clocked = await freshDatabase();
    const server = await startRunnerApi(clocked);
    try {
      const group = await makeOrg(clocked);
      await create(server.service, await makeStack(clocked, group.orgId));
      const alive = await runner(server, group, await (await coordinator(server, group)).claim());
      await alive.accept();
      const at = async () => (await clocked.sql`select last_seen_at::text as at from run_liveness`)[0]?.at as string;
      const accepted = await at();
      await clocked.advanceClock(14_000);
      await alive.status();
      expect(await at()).toBe(accepted);
      await clocked.advanceClock(1_500);
      await alive.status();
      const refreshed = await at();
      expect(refreshed > accepted).toBe(true);
      await alive.done({ status: "failure" });
      await clocked.advanceClock(60_000);
      await alive.status();
      expect(await at()).toBe(refreshed);
    } finally {
      await server.close();
    }
  });

  test("is written every tenth of a timeout that is short", async () => {
    const brisk = await startRunnerApi(database, { timeouts: { cancellationMs: 10 } });
    try {
      const { runner: alive, stub } = await claimed();
      await alive.accept();
      const accepted = await seen(stub.run_id);
      const brisker = {
        ...alive,
        status: () =>
          fetch(`${brisk.base}/runs/${stub.run_id}/status`, { headers: { authorization: alive.authorization } }),
      };
      await brisker.status();
      expect((await seen(stub.run_id)) > accepted).toBe(true);
    } finally {
      await brisk.close();
    }
  });
});

describe("statements per request (docs/rules/limits.md#statements-of-a-request)", () => {
  /** What a call in this process sends, whatever it answers. */
  async function count(method: string, path: string, authorization: string, body?: unknown) {
    const init =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
    const { result, statements } = await countStatements(() =>
      api.fetch(path, { method, ...init, headers: { authorization, ...init.headers } }),
    );
    return { status: result.status, statements: statements.length, json: () => result.json() };
  }

  test("poll 1 and 3, accept <= 8, status 1, live log 1", async () => {
    const { org, runner: warm } = await claimed();
    await warm.accept();
    const group = `Bearer ${await groupToken(org)}`;
    expect(await count("GET", "/runner-groups/poll", group)).toMatchObject({ status: 204, statements: 1 });
    await create(api.service, await makeStack(database, org.orgId));
    const poll = await count("GET", "/runner-groups/poll", group);
    expect(poll).toMatchObject({ status: 200, statements: 3 });
    const next = await runner(api, org, (await poll.json()) as never);
    const accept = await count("POST", `/runs/${next.run_id}/accept`, next.authorization);
    expect(accept.status).toBe(200);
    expect(accept.statements).toBeLessThanOrEqual(8);
    expect(await count("GET", `/runs/${next.run_id}/status`, next.authorization)).toMatchObject({
      status: 200,
      statements: 1,
    });
    const live = { chunk_index: 0, sealed_chunks: 0, data: gzipSync("hello").toString("base64") };
    expect(await count("POST", `/runs/${next.run_id}/logs/live`, next.authorization, live)).toMatchObject({
      status: 204,
      statements: 1,
    });
  });

  test("poll 3 with a claim also when the organization's budget is enforced", async () => {
    const limited = await startRunnerApi(database, { limits: { rateLimit: true, maxPerOrg: 50 } });
    try {
      const org = await makeOrg(database);
      const headers = { authorization: `Bearer ${await groupToken(org)}` };
      await limited.fetch("/runner-groups/poll", { headers });
      await create(api.service, await makeStack(database, org.orgId));
      const { result, statements } = await countStatements(() => limited.fetch("/runner-groups/poll", { headers }));
      expect([result.status, statements.length]).toEqual([200, 3]);
    } finally {
      await limited.close();
    }
  });
});
