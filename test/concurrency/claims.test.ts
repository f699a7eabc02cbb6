/**
 * Claims that race: each pending run goes to exactly one poller who is there to take it
 * (docs/rules/dispatch.md#the-claim).
 */
import { once } from "node:events";
import { connect as connectSocket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { claimRun } from "../../src/core/dispatch/claim.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { COMMIT, create, decide, type Group, makeOrg, makeStack } from "../support/fixtures.ts";
import {
  type Claimed,
  coordinator,
  groupToken,
  makeGroup,
  type RunnerApi,
  runner,
  startRunnerApi,
} from "../support/runnerApi.ts";
import { waitFor } from "../support/waitFor.ts";

let database: TestDatabase;
/** Two processes' worth of API on one database. */
let api: RunnerApi;
let copy: RunnerApi;
/** A process that finds runs by hints alone. */
let hinted: RunnerApi;

beforeAll(async () => {
  database = await freshDatabase({ max: 20 });
  [api, copy, hinted] = [
    await startRunnerApi(database),
    await startRunnerApi(database),
    await startRunnerApi(database, { lookEveryMs: 3_600_000 }),
  ];
});
afterEach(() => expect([...api.unexpected, ...copy.unexpected, ...hinted.unexpected]).toEqual([]));
afterAll(async () => {
  await Promise.all([api.close(), copy.close(), hinted.close()]);
  await database.close();
});

/** Pending runs of `plan_unlocked` deployments, which need no lane. */
async function pendingRuns(org: Group, count: number, labels: Record<string, string> = {}): Promise<string[]> {
  const stackKey = await makeStack(database, org.orgId, { labels: database.sql.json(labels) });
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push(await create(api.service, stackKey, { mode: "plan_unlocked" }));
  const runs = await database.sql`select id from runs where deployment_id in ${database.sql(ids)}`;
  return runs.map((run) => run.id as string);
}

async function pollMany(pollers: number, groups: Group[], waitSeconds = 0): Promise<Claimed[]> {
  const ends = await Promise.all(groups.flatMap((group) => [coordinator(api, group), coordinator(copy, group)]));
  const answers = await Promise.all(
    Array.from({ length: pollers }, (_, i) => ends[i % ends.length]!.poll(waitSeconds)),
  );
  expect(answers.filter((answer) => answer.status !== 200 && answer.status !== 204)).toEqual([]);
  return Promise.all(
    answers.filter((answer) => answer.status === 200).map((answer) => answer.json() as Promise<Claimed>),
  );
}

test("50 polls through two processes, 50 runs: each run once", async () => {
  for (let round = 0; round < 5; round++) {
    const org = await makeOrg(database);
    const runs = await pendingRuns(org, 50);
    const claimed = await pollMany(50, [org]);
    expect(claimed.map((claim) => claim.run_id).sort()).toEqual(runs.sort());
    const stubs = await database.sql`select r.id from runs r join runners s on s.id = r.assigned_runner_id
      and s.run_id = r.id and s.claim_seq = r.claim_seq and s.group_id = ${org.id} where r.org_id = ${org.orgId}`;
    expect(stubs).toHaveLength(50);
    const messages = await database.sql`select message ->> 'runId' as id from outbox
      where message ->> 'kind' = 'assignLease' and message ->> 'orgId' = ${org.orgId}`;
    expect(messages.map((message) => message.id as string).sort()).toEqual(runs.sort());
    await database.sql`delete from outbox`;
  }
});

test("capacity 1 under 50 polls, with a second group that matches the same runs", async () => {
  for (let round = 0; round < 10; round++) {
    const org = await makeOrg(database, { capacity: 1 });
    const first = await makeGroup(database, org.orgId, { labels: { pool: "a" }, capacity: 1 });
    const second = await makeGroup(database, org.orgId, { labels: { pool: "a", zone: "b" }, capacity: 1 });
    await pendingRuns(org, 6, { "svc:runner-group:pool": "a" });
    const claimed = await pollMany(50, [first, second]);
    expect(claimed).toHaveLength(2);
    const held =
      await database.sql`select assigned_group_id as id from runs where org_id = ${org.orgId} and status = 'assigned'`;
    expect(held.map((row) => row.id as string).sort()).toEqual([first.id, second.id].sort());
  }
});

test("a process that stalls in the middle of its claim writes nothing, and the run goes to another", async () => {
  const org = await makeOrg(database);
  const [run] = await pendingRuns(org, 1);
  const claimant = { groupId: org.id, orgId: org.orgId, fingerprint: await fingerprint(org) };
  const stalled = claimRun(api.deps, claimant, () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6_000);
    return false;
  });
  await expect(stalled).rejects.toThrow();
  expect((await (await coordinator(copy, org)).claim()).run_id).toBe(run);
  const [row] = await database.sql`select claim_seq from runs where id = ${run!}`;
  expect(row?.claim_seq).toBe(1);
});

test("an organization's in-flight cap holds over all its groups", async () => {
  const capped = await startRunnerApi(database, { limits: { rateLimit: false, maxPerOrg: 3 } });
  try {
    const org = await makeOrg(database);
    await pendingRuns(org, 10);
    const polling = await coordinator(capped, org);
    const answers = await Promise.all(Array.from({ length: 30 }, () => polling.poll()));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(3);
  } finally {
    await capped.close();
  }
});

test("a run that a transition has locked is passed over, not waited for", async () => {
  const org = await makeOrg(database);
  const [oldest, next] = await pendingRuns(org, 2);
  const first =
    await database.sql`select id from runs where id in ${database.sql([oldest!, next!])} order by first_pending_at, id`;
  await database.sql.begin(async (tx) => {
    await tx`select 1 from runs where id = ${first[0]?.id} for no key update`;
    expect((await (await coordinator(api, org)).claim()).run_id).toBe(first[1]?.id);
    expect((await (await coordinator(api, org)).poll()).status).toBe(204);
  });
  expect((await api.deps.metrics.dispatchBatchSaturated.get()).values[0]?.value).toBe(1);
});

test("prioritized runs first, then the oldest, whatever their selector", async () => {
  const org = await makeOrg(database);
  const group = await makeGroup(database, org.orgId, { labels: { a: "1", b: "2" } });
  const byA = await pendingRuns(org, 2, { "svc:runner-group:a": "1" });
  const byB = await pendingRuns(org, 2, { "svc:runner-group:b": "2" });
  await database.sql`update runs set prioritized_at = svc_now() where id = ${byB[1]!}`;
  const order = await database.sql`select id from runs where id in ${database.sql([...byA, ...byB])}
    order by prioritized_at nulls last, first_pending_at, id`;
  const polling = await coordinator(api, group);
  const claimed = [];
  for (let i = 0; i < 4; i++) claimed.push((await polling.claim()).run_id);
  expect(claimed).toEqual(order.map((row) => row.id));
});

test("a group gets what its stored labels match, whatever its token or query says, and follows their change", async () => {
  const org = await makeOrg(database);
  const plain = await makeGroup(database, org.orgId, { labels: { pool: "small" } });
  await makeGroup(database, org.orgId, { labels: { pool: "large" } });
  const [run] = await pendingRuns(org, 1, { "svc:runner-group:pool": "large" });
  const polling = await coordinator(api, plain);
  expect((await polling.call("GET", "poll?wait_seconds=0&labels=pool:large")).status).toBe(204);
  await database.sql`update runner_groups set labels = '{"pool": "large"}' where id = ${plain.id}`;
  await database.sql`select match_selectors(${org.orgId})`;
  expect((await polling.claim()).run_id).toBe(run);
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Send a poll on a bare socket that never reads an answer. It leaves by being destroyed, or by a reset where the answer may be
 * on its way: an orderly close that crosses the answer looks like one that follows it, and only the lease's end returns the run.
 */
async function unreadPoll(server: RunnerApi, token: string, waitSeconds: number) {
  const { hostname, port } = new URL(server.base);
  const socket = connectSocket(Number(port), hostname).pause();
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(
    `GET /api/v1/runner-groups/poll?wait_seconds=${waitSeconds} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`,
  );
  return socket;
}

describe("a poller that has left gets no run", () => {
  const nothingHeld = (org: Group) =>
    waitFor(
      async () =>
        (
          await database.sql`select 1 from runs where org_id = ${org.orgId} and (status not in ('pending', 'cancelled') or assignment_attempts <> 0)`
        ).length === 0,
      { what: "all runs to be pending without an attempt" },
    );

  test("100 aborted polls at any moment leave attempts at 0 and nothing assigned", async () => {
    const org = await makeOrg(database);
    await pendingRuns(org, 20);
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
    await nothingHeld(org);
    // And they are still there for one who waits for the answer.
    expect(await pollMany(20, [org])).toHaveLength(20);
  });

  test("polls that were waiting when they left are not given the next run", async () => {
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
      await Promise.all([pendingRuns(org, 5), ...leaving]);
      await nothingHeld(org);
      await database.sql`update runs set status = 'cancelled', completed_at = svc_now() where org_id = ${org.orgId} and status = 'pending'`;
      await database.sql`delete from runners where org_id = ${org.orgId}`;
    }
    expect([api.deps.dispatcher.waiting, copy.deps.dispatcher.waiting]).toEqual([0, 0]);
  });

  test("one who leaves between the claim and its commit", async () => {
    const org = await makeOrg(database);
    const [run] = await pendingRuns(org, 1);
    const claimant = { groupId: org.id, orgId: org.orgId, fingerprint: await fingerprint(org) };
    await expect(claimRun(api.deps, claimant, () => true)).rejects.toThrow("the poller went away");
    const [row] = await database.sql`select status, claim_seq, assignment_attempts from runs where id = ${run!}`;
    expect(row).toEqual({ status: "pending", claim_seq: 0, assignment_attempts: 0 });
    expect(await database.sql`select 1 from runners where run_id = ${run!}`).toHaveLength(0);
  });
});

async function fingerprint(group: Group): Promise<string> {
  return (await database.sql`select public_key_fingerprint as f from runner_groups where id = ${group.id}`)[0]?.f;
}

describe("long poll", () => {
  test("a waiting poll gets a run that becomes pending, through either process", async () => {
    const org = await makeOrg(database);
    for (const server of [api, copy, api, copy]) {
      const answer = (await coordinator(server, org)).poll(20);
      await waitFor(() => server.deps.dispatcher.waiting > 0, { what: "the poll to wait" });
      await pendingRuns(org, 1);
      expect((await answer).status).toBe(200);
    }
  });

  test("no more pollers are woken than there are runs, and every run finds one", async () => {
    const org = await makeOrg(database);
    const answers = pollMany(30, [org], 3);
    await waitFor(() => api.deps.dispatcher.waiting + copy.deps.dispatcher.waiting === 30, {
      what: "30 polls to wait",
    });
    await pendingRuns(org, 12);
    expect(await answers).toHaveLength(12);
  });

  test("capacity that comes free is handed on", async () => {
    const org = await makeOrg(database, { capacity: 1 });
    await pendingRuns(org, 2);
    const polling = await coordinator(hinted, org);
    const first = await runner(hinted, org, await polling.claim());
    await first.accept();
    const answer = polling.poll(20);
    await waitFor(() => hinted.deps.dispatcher.waiting > 0, { what: "the poll to wait" });
    await first.done({ status: "failure" });
    expect((await answer).status).toBe(200);
  });

  test("a run made pending by hand, without a hint, is found by the next look", async () => {
    const org = await makeOrg(database);
    const [run] = await pendingRuns(org, 1);
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

  test("a poll that waits while its key is rotated is refused when it would get a run", async () => {
    const org = await makeOrg(database);
    const answer = (await coordinator(api, org)).poll(20);
    await waitFor(() => api.deps.dispatcher.waiting > 0, { what: "the poll to wait" });
    await database.sql`update runner_groups set public_key_fingerprint = 'other' where id = ${org.id}`;
    await pendingRuns(org, 1);
    expect((await answer).status).toBe(401);
  });

  test("no work is 204 after the wait, and a wait outside 0 to 50 is 422", async () => {
    const polling = await coordinator(api, await makeOrg(database));
    const from = performance.now();
    expect((await polling.poll(1)).status).toBe(204);
    expect(performance.now() - from).toBeGreaterThan(990);
    for (const wait of ["51", "-1", "1.5", "x", ""]) {
      expect((await polling.call("GET", `poll?wait_seconds=${wait}`)).status).toBe(422);
    }
  });

  test("a process that stops answers its waiting polls", async () => {
    const stopping = await startRunnerApi(database);
    const org = await makeOrg(database);
    const answers = Array.from({ length: 5 }, async () => (await (await coordinator(stopping, org)).poll(50)).status);
    await waitFor(() => stopping.deps.dispatcher.waiting === 5, { what: "5 polls to wait" });
    await stopping.close();
    expect(await Promise.all(answers)).toEqual([204, 204, 204, 204, 204]);
  });

  test("200 idle pollers cost at most one statement a second", async () => {
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

  test("a run finds one of 200 idle pollers without waiting for a look", async () => {
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
  test("the listener subscribes again after its connection was ended, and again", async () => {
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
      await pendingRuns(org, 1);
      expect((await answer).status).toBe(200);
    }
  });
});

describe("the organization's budget", () => {
  const limits = { rateLimit: true, maxPerOrg: undefined };
  let clocked: TestDatabase;
  let limited: RunnerApi;
  beforeAll(async () => {
    clocked = await freshDatabase();
    limited = await startRunnerApi(clocked, { limits });
  });
  afterAll(async () => {
    await limited.close();
    await clocked.close();
  });

  async function pendingIn(org: Group, count: number): Promise<void> {
    const stackKey = await makeStack(clocked, org.orgId);
    for (let i = 0; i < count; i++) await create(limited.service, stackKey, { mode: "plan_unlocked" });
  }

  test("holds a day's worth, then a token comes each time the rate says, and a claim without one is undone", async () => {
    const org = await makeOrg(clocked, { runsPerHour: 2 });
    await pendingIn(org, 52);
    const polling = await coordinator(limited, org);
    const answers = await Promise.all(Array.from({ length: 52 }, () => polling.poll()));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(48);
    const refused = answers.filter((answer) => answer.status === 204);
    expect(refused).toHaveLength(4);
    for (const answer of refused) expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(1_700);
    const [left] = await clocked.sql`select count(*)::int as runs, max(claim_seq) as seq from runs
      where org_id = ${org.orgId} and status = 'pending'`;
    expect(left).toEqual({ runs: 4, seq: 0 });
    await clocked.advanceClock(29 * 60_000);
    expect((await polling.poll()).status).toBe(204);
    await clocked.advanceClock(61_000);
    expect((await polling.poll()).status).toBe(200);
    expect((await polling.poll()).status).toBe(204);
    await clocked.sql`update organizations set runs_per_hour_limit = 3600 where id = ${org.orgId}`;
    await clocked.advanceClock(1_000);
    expect((await polling.poll()).status).toBe(200);
  });

  test("a claim that is handed back gives its token back", async () => {
    const org = await makeOrg(clocked, { runsPerHour: 1 });
    await pendingIn(org, 1);
    await clocked.sql`update dispatch_orgs set tokens = 1, refilled_at = svc_now() where org_id = ${org.orgId}`;
    const socket = await unreadPoll(limited, await groupToken(org), 0);
    await waitFor(
      async () => (await clocked.sql`select 1 from runs where org_id = ${org.orgId} and claim_seq = 1`).length === 1,
      {
        what: "the claim",
        everyMs: 1,
      },
    );
    socket.resetAndDestroy();
    await waitFor(
      async () =>
        (
          await clocked.sql`select 1 from runs where org_id = ${org.orgId} and status = 'pending' and assignment_attempts = 0`
        ).length === 1,
      { what: "the run to be pending again" },
    );
    await waitFor(async () => (await (await coordinator(limited, org)).poll()).status === 200, {
      what: "the run to be claimed",
    });
  });

  test("fails open, and says so, when the limiter itself fails", async () => {
    const org = await makeOrg(clocked);
    await pendingIn(org, 1);
    await clocked.sql`alter table dispatch_orgs add constraint broken check (tokens is null) not valid`;
    const before = (await limited.deps.metrics.limiterErrors.get()).values[0]?.value ?? 0;
    try {
      expect((await (await coordinator(limited, org)).poll()).status).toBe(200);
    } finally {
      await clocked.sql`alter table dispatch_orgs drop constraint broken`;
    }
    expect((await limited.deps.metrics.limiterErrors.get()).values[0]?.value).toBe(before + 1);
  });

  test("is not blamed for a claim that fails without it too", async () => {
    const org = await makeOrg(clocked);
    await pendingIn(org, 1);
    const errors = async () => (await limited.deps.metrics.limiterErrors.get()).values[0]?.value ?? 0;
    const before = await errors();
    await clocked.sql`alter table runners add constraint broken check (false) not valid`;
    try {
      expect((await (await coordinator(limited, org)).poll()).status).toBe(500);
    } finally {
      await clocked.sql`alter table runners drop constraint broken`;
    }
    expect(await errors()).toBe(before);
    const [row] = await clocked.sql`select tokens from dispatch_orgs where org_id = ${org.orgId}`;
    expect(row?.tokens).toBeNull();
    expect((await (await coordinator(limited, org)).poll()).status).toBe(200);
  });

  test("the last token goes to one of two groups that claim at once, whichever process they ask", async () => {
    const second = await startRunnerApi(clocked, { limits });
    try {
      for (let round = 0; round < 20; round++) {
        const org = await makeOrg(clocked, { runsPerHour: 1 });
        await pendingIn(org, 4);
        await clocked.sql`update dispatch_orgs set tokens = 1, refilled_at = svc_now() where org_id = ${org.orgId}`;
        const polling = await Promise.all([coordinator(limited, org), coordinator(second, org)]);
        const answers = await Promise.all([...polling, ...polling].map((each) => each.poll()));
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 204, 204, 204]);
        const [left] = await clocked.sql`select tokens < 1 as empty, throttled_until is not null as deferred
          from dispatch_orgs where org_id = ${org.orgId}`;
        expect(left).toEqual({ empty: true, deferred: true });
      }
    } finally {
      await second.close();
    }
  });
});

test("the plan of the claim reads the heads of the queue by index, at 20,000 pending runs", async () => {
  await using big = await freshDatabase();
  const server = await startRunnerApi(big);
  try {
    const org = await makeOrg(big);
    const stackKey = await makeStack(big, org.orgId);
    await create(server.service, stackKey, { mode: "plan_unlocked" });
    await big.sql`
      with d as (
        insert into deployments (org_id, stack_key, mode, status, repository_url, branch, working_directory, tool, commit_sha)
        select ${org.orgId}, ${stackKey}, 'plan_unlocked', 'pending', 'https://git.example/r.git', 'main', '.', 'terraform', ${COMMIT}
        from generate_series(1, 20000) returning id
      )
      insert into runs (org_id, deployment_id, kind, status, selector_id, state_locked, first_pending_at)
      select ${org.orgId}, d.id, 'plan_run', 'pending', (select selector_id from runs limit 1), false, svc_now() from d`;
    await big.sql`analyze`;
    const [group] = await big.sql`select public_key_fingerprint as f from runner_groups where id = ${org.id}`;
    const claimant = { groupId: org.id, orgId: org.orgId, fingerprint: group?.f };
    for (const rateLimit of [false, true]) {
      const deps = { ...server.deps, limits: { rateLimit, maxPerOrg: undefined } };
      const { result, statements } = await countStatements(() => claimRun(deps, claimant, () => false));
      expect(result.outcome).toBe("claimed");
      expect(statements.map((text) => text.includes("skip locked"))).toEqual([false, true]);
      const claim = statements.find((text) => text.includes("skip locked"));
      const plan = await genericPlan(big, claim!);
      expect(plan).toContain("runs_claimable");
      expect(plan).not.toMatch(/Seq Scan on (runs|deployments)/);
      expect(plan).toContain("Index Cond: ((org_id = g");
    }
    const headers = { authorization: `Bearer ${await groupToken(org)}` };
    const { statements } = await countStatements(() => server.fetch("/runner-groups/poll", { headers }));
    const peek = await genericPlan(big, statements.find((text) => text.includes("as claimable"))!);
    expect(peek).toContain("Index Cond: ((org_id = g.org_id) AND (assigned_group_id = g.id))");
  } finally {
    await server.close();
  }
});

/** The plan that serves every execution of a prepared statement, whatever its parameters. */
async function genericPlan({ sql }: TestDatabase, text: string): Promise<string> {
  const rows = await sql.unsafe(`explain (generic_plan) ${text}`);
  return rows.map((row) => row["QUERY PLAN"]).join("\n");
}

test("claims and cancellations at once: every run is either cancelled or handed out, never both", async () => {
  for (let round = 0; round < 5; round++) {
    const org = await makeOrg(database);
    const stackKey = await makeStack(database, org.orgId);
    const deployments: string[] = [];
    for (let i = 0; i < 10; i++) deployments.push(await create(api.service, stackKey, { mode: "plan_unlocked" }));
    const [claimed] = await Promise.all([
      pollMany(20, [org]),
      ...deployments.slice(0, 5).map((id) => decide(api.service, database, id, "cancel")),
    ]);
    const rows =
      await database.sql`select r.id, r.status, d.status as deployment from runs r join deployments d on d.id = r.deployment_id
      where r.org_id = ${org.orgId}`;
    for (const row of rows)
      expect([row.status, row.deployment]).toEqual(
        row.status === "cancelled" ? ["cancelled", "cancelled"] : ["assigned", "pending"],
      );
    const handedOut = new Set(claimed.map((claim) => claim.run_id));
    for (const row of rows) if (row.status === "assigned") expect(handedOut.has(row.id)).toBe(true);
    expect(rows.filter((row) => row.status === "cancelled")).toHaveLength(5);
  }
});
