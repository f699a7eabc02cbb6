/**
 * Pollers that wait: who is there to take a run, who has left, and hints between processes
 * (docs/rules/dispatch.md#the-claim).
 */
import { describe, expect } from "vitest";
import { claimRun } from "../../src/core/dispatch/claim.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { test, unreadPoll } from "../support/claimsTest.ts";
import { create, makeOrg, makeStack } from "../support/fixtures.ts";
import { coordinator, groupToken, makeGroup, runner, startRunnerApi } from "../support/runnerApi.ts";
import { waitFor } from "../support/waitFor.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test.afterEach(({ api, copy, hinted }) =>
  expect([...api.unexpected, ...copy.unexpected, ...hinted.unexpected]).toEqual([]),
);

describe("a poller that has left gets no run", () => {
  test("100 aborted polls at any moment leave attempts at 0 and nothing assigned", async ({
    database,
    api,
    copy,
    world,
  }) => {
    const org = await makeOrg(database);
    await world.pendingRuns(org, 20);
    const token = await groupToken(org);
    for (let batch = 0; batch < 10; batch++) {
      await Promise.all(
        Array.from({ length: 10 }, async (_, i) => {
          const socket = await unreadPoll(i % 2 ? api : copy, token, 0);
          await pause(Math.random() * 12);
          socket.resetAndDestroy();
        }),
      );
    }
    await world.nothingHeld(org);
    // And they are still there for one who waits for the answer.
    expect(await world.pollMany(20, [org])).toHaveLength(20);
  });

  test("polls that were waiting when they left are not given the next run", async ({ database, api, copy, world }) => {
    const org = await makeOrg(database);
    const token = await groupToken(org);
    for (let round = 0; round < 5; round++) {
      const sockets = await Promise.all(
        Array.from({ length: 20 }, (_, i) => unreadPoll(i % 2 ? api : copy, token, 30)),
      );
      await waitFor(() => api.deps.dispatcher.waiting + copy.deps.dispatcher.waiting === 20, {
        what: "20 polls to wait",
      });
      const leaving = sockets.map(async (socket) => {
        await pause(Math.random() * 60);
        socket.destroy();
      });
      await Promise.all([world.pendingRuns(org, 5), ...leaving]);
      await world.nothingHeld(org);
      await database.sql`update runs set status = 'cancelled', completed_at = svc_now() where org_id = ${org.orgId} and status = 'pending'`;
      await database.sql`delete from runners where org_id = ${org.orgId}`;
    }
    expect([api.deps.dispatcher.waiting, copy.deps.dispatcher.waiting]).toEqual([0, 0]);
  });

  test("one who leaves between the claim and its commit", async ({ database, api, world }) => {
    const org = await makeOrg(database);
    const [run] = await world.pendingRuns(org, 1);
    const claimant = { groupId: org.id, orgId: org.orgId, fingerprint: await world.fingerprint(org) };
    await expect(claimRun(api.deps, claimant, () => true)).rejects.toThrow("the poller went away");
    const [row] = await database.sql`select status, claim_seq, assignment_attempts from runs where id = ${run!}`;
    expect(row).toEqual({ status: "pending", claim_seq: 0, assignment_attempts: 0 });
    expect(await database.sql`select 1 from runners where run_id = ${run!}`).toHaveLength(0);
  });
});

describe("long poll", () => {
  test("a waiting poll gets a run that becomes pending, through either process", async ({
    database,
    api,
    copy,
    world,
  }) => {
    const org = await makeOrg(database);
    for (const server of [api, copy, api, copy]) {
      const answer = (await coordinator(server, org)).poll(20);
      await waitFor(() => server.deps.dispatcher.waiting > 0, { what: "the poll to wait" });
      await world.pendingRuns(org, 1);
      expect((await answer).status).toBe(200);
    }
  });

  test("no more pollers are woken than there are runs, and every run finds one", async ({
    database,
    api,
    copy,
    world,
  }) => {
    const org = await makeOrg(database);
    const answers = world.pollMany(30, [org], 3);
    await waitFor(() => api.deps.dispatcher.waiting + copy.deps.dispatcher.waiting === 30, {
      what: "30 polls to wait",
    });
    await world.pendingRuns(org, 12);
    expect(await answers).toHaveLength(12);
  });

  test("capacity that comes free is handed on", async ({ database, hinted, world }) => {
    const org = await makeOrg(database, { capacity: 1 });
    await world.pendingRuns(org, 2);
    const polling = await coordinator(hinted, org);
    const first = await runner(hinted, org, await polling.claim());
    await first.accept();
    const answer = polling.poll(20);
    await waitFor(() => hinted.deps.dispatcher.waiting > 0, { what: "the poll to wait" });
    await first.done({ status: "failure" });
    expect((await answer).status).toBe(200);
  });

  test("a run made pending by hand, without a hint, is found by the next look", async ({ database, api, world }) => {
    const org = await makeOrg(database);
    const [run] = await world.pendingRuns(org, 1);
    await database.sql`update runner_groups set max_concurrent_runs = 1 where id = ${org.id}`;
    const other = await makeGroup(database, org.orgId, { labels: { x: "y" } });
    await database.sql`update organizations set default_runner_group_id = null where id = ${org.orgId}`;
    await database.sql`select match_selectors(${org.orgId})`;
    const answer = (await coordinator(api, other)).poll(20);
    await waitFor(() => api.deps.dispatcher.waiting > 0, { what: "the poll to wait" });
    await database.sql`update organizations set default_runner_group_id = ${other.id} where id = ${org.orgId}`;
    await database.sql`select match_selectors(${org.orgId})`;
    expect(await (await answer).json()).toMatchObject({ run_id: run });
  });

  test("a poll that waits while its key is rotated is refused when it would get a run", async ({
    database,
    api,
    world,
  }) => {
    const org = await makeOrg(database);
    const answer = (await coordinator(api, org)).poll(20);
    await waitFor(() => api.deps.dispatcher.waiting > 0, { what: "the poll to wait" });
    await database.sql`update runner_groups set public_key_fingerprint = 'other' where id = ${org.id}`;
    await world.pendingRuns(org, 1);
    expect((await answer).status).toBe(401);
  });

  test("no work is 204 after the wait, and a wait outside 0 to 50 is 422", async ({ database, api }) => {
    const polling = await coordinator(api, await makeOrg(database));
    const from = performance.now();
    expect((await polling.poll(1)).status).toBe(204);
    expect(performance.now() - from).toBeGreaterThan(990);
    for (const wait of ["51", "-1", "1.5", "x", ""]) {
      expect((await polling.call("GET", `poll?wait_seconds=${wait}`)).status).toBe(422);
    }
  });

  test("a process that stops answers its waiting polls", async ({ database }) => {
    const stopping = await startRunnerApi(database);
    const org = await makeOrg(database);
    const answers = Array.from({ length: 5 }, async () => (await (await coordinator(stopping, org)).poll(50)).status);
    await waitFor(() => stopping.deps.dispatcher.waiting === 5, { what: "5 polls to wait" });
    await stopping.close();
    expect(await Promise.all(answers)).toEqual([204, 204, 204, 204, 204]);
  });

  test("200 idle pollers cost at most one statement a second", async ({ database }) => {
    // Everything that this API sends of its own accord is counted where it was started.
    const { result: server, statements } = await countStatements(() => startRunnerApi(database));
    const polling = await coordinator(server, await makeOrg(database));
    const gone = new AbortController();
    const idle = Array.from({ length: 200 }, () => polling.poll(50, gone.signal).catch(() => null));
    await waitFor(() => server.deps.dispatcher.waiting === 200, { what: "200 polls to wait" });
    const [before, started] = [statements.length, performance.now()];
    await waitFor(() => statements.length >= before + 3, { what: "three looks" });
    expect(performance.now() - started).toBeGreaterThan(2_000);
    gone.abort();
    await Promise.all(idle);
    await server.close();
  });

  test("a run finds one of 200 idle pollers without waiting for a look", async ({ database, hinted }) => {
    const org = await makeOrg(database);
    const stackKey = await makeStack(database, org.orgId);
    const polling = await coordinator(hinted, org);
    const gone = new AbortController();
    const idle = Array.from({ length: 200 }, () => polling.poll(50, gone.signal).catch(() => null));
    await waitFor(() => hinted.deps.dispatcher.waiting === 200, { what: "200 polls to wait" });
    for (let i = 0; i < 20; i++) {
      const answered = Promise.race(
        idle.map(async (answer, at) => ((await answer)?.status === 200 ? at : new Promise<number>(() => {}))),
      );
      await create(hinted.service, stackKey, { mode: "plan_unlocked" });
      idle.splice(await answered, 1);
    }
    gone.abort();
    await Promise.all(idle);
  });
});

describe("hints between processes", () => {
  test("the listener subscribes again after its connection was ended, and again", async ({
    database,
    hinted,
    world,
  }) => {
    const org = await makeOrg(database);
    for (let round = 0; round < 3; round++) {
      const ended = await database.sql`select pg_terminate_backend(pid), pid from pg_stat_activity
        where datname = current_database() and application_name = 'svc-hints'`;
      const pids = ended.map((row) => row.pid as number);
      await waitFor(
        async () =>
          (
            await database.sql`select 1 from pg_stat_activity where datname = current_database() and application_name = 'svc-hints'
              and pid not in ${database.sql(pids)} and query like 'listen%' and state = 'idle'`
          ).length === pids.length,
        { what: "every process to listen again" },
      );
      expect(pids).toHaveLength(3);
      const answer = (await coordinator(hinted, org)).poll(20);
      await waitFor(() => hinted.deps.dispatcher.waiting > 0, { what: "the poll to wait" });
      await world.pendingRuns(org, 1);
      expect((await answer).status).toBe(200);
    }
  });
});
