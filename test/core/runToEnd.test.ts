/**
 * A run's whole way over HTTP, while its runner lives, and what its requests cost (docs/rules/runner-protocol.md).
 */
import { createHash, randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect } from "vitest";
import type { RunContext } from "../../src/core/runs/protocol.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { freshDatabase } from "../support/database.ts";
import { COMMIT, create, decide, makeOrg, makeStack, statuses } from "../support/fixtures.ts";
import { coordinator, groupToken, PLAN_WITH_CHANGES, runner, startRunnerApi } from "../support/runnerApi.ts";
import { test } from "../support/runnerProtocolTest.ts";

test.afterEach(({ api }) => expect(api.unexpected).toEqual([]));

test("poll, accept, plan, done, confirm, apply with the same plan, done", async ({ database, api, world }) => {
  const { org, deploymentId, polling, runner: planner } = await world.claimed();
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
    limits: {
      max_run_duration_seconds: 21_600,
      log_chunk_bytes: 65_536,
      artifact_bytes: 4_000_000,
      tree_bytes: 4_000_000,
    },
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

describe("liveness", () => {
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

  test("is written every tenth of a timeout that is short", async ({ database, world }) => {
    const brisk = await startRunnerApi(database, { timeouts: { cancellationMs: 10 } });
    try {
      const { runner: alive, stub } = await world.claimed();
      await alive.accept();
      const accepted = await world.seen(stub.run_id);
      const brisker = {
        ...alive,
        status: () =>
          fetch(`${brisk.base}/runs/${stub.run_id}/status`, { headers: { authorization: alive.authorization } }),
      };
      await brisker.status();
      expect((await world.seen(stub.run_id)) > accepted).toBe(true);
    } finally {
      await brisk.close();
    }
  });
});

describe("statements per request (docs/rules/limits.md#statements-of-a-request)", () => {
  test("poll 1 and 3, accept <= 8, status 1, live log 1", async ({ database, api, world }) => {
    const { org, runner: warm } = await world.claimed();
    await warm.accept();
    const group = `Bearer ${await groupToken(org)}`;
    expect(await world.count("GET", "/runner-groups/poll", group)).toMatchObject({ status: 204, statements: 1 });
    await create(api.service, await makeStack(database, org.orgId));
    const poll = await world.count("GET", "/runner-groups/poll", group);
    expect(poll).toMatchObject({ status: 200, statements: 3 });
    const next = await runner(api, org, (await poll.json()) as never);
    const accept = await world.count("POST", `/runs/${next.run_id}/accept`, next.authorization);
    expect(accept.status).toBe(200);
    expect(accept.statements).toBeLessThanOrEqual(8);
    expect(await world.count("GET", `/runs/${next.run_id}/status`, next.authorization)).toMatchObject({
      status: 200,
      statements: 1,
    });
    const live = { chunk_index: 0, sealed_chunks: 0, data: gzipSync("hello").toString("base64") };
    expect(await world.count("POST", `/runs/${next.run_id}/logs/live`, next.authorization, live)).toMatchObject({
      status: 204,
      statements: 1,
    });
  });

  test("poll 3 with a claim also when the organization's budget is enforced", async ({ database, api }) => {
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
