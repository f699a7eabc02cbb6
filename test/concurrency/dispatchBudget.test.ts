/**
 * The budget of runs per hour under claims, changes of the rate and faults that meet
 * (docs/rules/dispatch.md#the-budget-of-runs-per-hour).
 */
import { once } from "node:events";
import { connect as connectSocket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { claimRun } from "../../src/core/dispatch/claim.ts";
import { readBudget } from "../../src/core/dispatch/dispatchBudget.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { create, type Group, makeOrg, makeStack } from "../support/fixtures.ts";
import { makeGroup, type RunnerApi, sign, startRunnerApi } from "../support/runnerApi.ts";
import { waitFor } from "../support/waitFor.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const limits = { rateLimit: true, maxPerOrg: undefined };
let database: TestDatabase;
/** Two processes' worth of API on one database. */
let api: RunnerApi;
let copy: RunnerApi;

beforeAll(async () => {
  database = await freshDatabase({ max: 20 });
  [api, copy] = [await startRunnerApi(database, { limits }), await startRunnerApi(database, { limits })];
});
afterEach(() => expect([...api.unexpected, ...copy.unexpected]).toEqual([]));
afterAll(async () => {
  await Promise.all([api.close(), copy.close()]);
  await database.close();
});

/** An organization with pending runs and, when `tokens` is given, as many in its bucket as of now. */
async function orgWith({ runs, rate, tokens }: { runs: number; rate?: number; tokens?: number }): Promise<Group> {
  const org = await makeOrg(database, rate === undefined ? {} : { runsPerHour: rate });
  const stackKey = await makeStack(database, org.orgId);
  for (let i = 0; i < runs; i++) await create(api.service, stackKey, { mode: "plan_unlocked" });
  if (tokens !== undefined) {
    await database.sql`update dispatch_orgs set tokens = ${tokens}, refilled_at = svc_now() where org_id = ${org.orgId}`;
  }
  return org;
}

/** What the rows of an organization say about its claims, each counted another way. */
async function counted({ orgId }: Group) {
  const [row] = await database.sql`
    select count(*) filter (where status = 'assigned')::int as held, sum(claim_seq)::int as claims,
      sum(assignment_attempts)::int as attempts,
      (select count(*)::int from domain_events where org_id = ${orgId} and name = 'run_assigned') as assigned,
      (select count(*)::int from domain_events where org_id = ${orgId} and name = 'run_returned') as returned,
      (select count(*)::int from runners s join runs r on r.assigned_runner_id = s.id and r.claim_seq = s.claim_seq
        where s.org_id = ${orgId} and r.status = 'assigned') as stubs,
      (select tokens from dispatch_orgs where org_id = ${orgId}) as tokens
    from runs where org_id = ${orgId}`;
  return row as Record<"held" | "claims" | "attempts" | "assigned" | "returned" | "stubs" | "tokens", number>;
}

/** Polls with a token that holds wherever the database's clock stands. */
async function poller(server: RunnerApi, group: Group): Promise<() => Promise<Response>> {
  const token = await sign(group, { token_type: "runner_group", iat: 1, exp: 4_000_000_000 });
  return () => fetch(`${server.base}/runner-groups/poll`, { headers: { authorization: `Bearer ${token}` } });
}

const setRate = (org: Group, rate: number) =>
  database.sql`update organizations set runs_per_hour_limit = ${rate} where id = ${org.orgId}`;

const HOUR_MS = 3_600_000;

describe("a new rate", () => {
  test("counts from when it was set: the time before it was earned at the old one", async () => {
    const org = await orgWith({ runs: 0, rate: 2, tokens: 0 });
    await database.advanceClock(HOUR_MS);
    await setRate(org, 3_600);
    expect((await readBudget(database.db, org.orgId))?.available).toBeLessThan(30);
    await database.advanceClock(HOUR_MS);
    await setRate(org, 1);
    // What does not fit into the smaller bucket is gone, also when it grows again.
    expect((await readBudget(database.db, org.orgId))?.available).toBe(24);
    await setRate(org, 100);
    expect((await readBudget(database.db, org.orgId))?.available).toBe(24);
  });

  test("leaves a bucket that was never used full", async () => {
    const org = await orgWith({ runs: 0, rate: 2 });
    await setRate(org, 10);
    expect((await readBudget(database.db, org.orgId))?.available).toBe(240);
  });

  test("ends the deferral, also one that a claim is just about to set", async () => {
    const kept: number[] = [];
    for (let round = 0; round < 40; round++) {
      const org = await orgWith({ runs: 1, rate: 1, tokens: 0 });
      const poll = await poller(round % 2 ? api : copy, org);
      // The change comes at any moment of a claim, which takes some 5 ms.
      const changed = new Promise((resolve) => setTimeout(resolve, (round % 10) * 0.8)).then(() =>
        setRate(org, 3_600_000),
      );
      await Promise.all([poll(), changed]);
      const [row] =
        await database.sql`select 1 from dispatch_orgs where org_id = ${org.orgId} and throttled_until > svc_now() + interval '1 minute'`;
      if (row !== undefined) kept.push(round);
    }
    expect(kept).toEqual([]);
  });
});

test("whoever is deferred finds a token at the moment that was named, and none a millisecond before", async () => {
  for (const rate of [1, 7, 11, 13, 37, 97, 100, 997]) {
    for (const tokens of [0, 0.1, 1 / 3, 0.7]) {
      const org = await orgWith({ runs: 1, rate, tokens });
      const poll = await poller(api, org);
      expect((await poll()).status).toBe(204);
      const [token] = await database.sql`
        select tokens_at(o.tokens, o.refilled_at, ${rate}, throttled_until) >= 1 as there,
          tokens_at(o.tokens, o.refilled_at, ${rate}, throttled_until - interval '1 ms') >= 1 as before
        from dispatch_orgs o where o.org_id = ${org.orgId}`;
      expect(token).toEqual({ there: true, before: false });
    }
  }
});

test("each poll that the budget turns back is counted, also one that did not come to a claim", async () => {
  const org = await orgWith({ runs: 1, rate: 1, tokens: 0 });
  const poll = await poller(api, org);
  const limited = async () =>
    (await api.deps.metrics.runDispatch.get()).values.find(({ labels }) => labels.outcome === "limited")?.value ?? 0;
  const before = await limited();
  for (let i = 0; i < 3; i++) expect((await poll()).headers.get("retry-after")).not.toBeNull();
  expect(await limited()).toBe(before + 3);
});

describe("no claim without a token, no token without a claim, no group and no organization above its limit", () => {
  const CAP = 7;
  let servers: RunnerApi[];
  beforeAll(async () => {
    const capped = { limits: { rateLimit: true, maxPerOrg: CAP } };
    servers = [await startRunnerApi(database, capped), await startRunnerApi(database, capped)];
  });
  afterAll(() => Promise.all(servers.map((server) => server.close())));

  /** Groups of one organization, one with room for 3, that poll from everywhere, some leaving at any moment. */
  async function race(disturb: () => Promise<unknown>): Promise<void> {
    const org = await orgWith({ runs: 8, rate: 1 });
    const small = await makeGroup(database, org.orgId, { labels: { pool: "a" }, capacity: 3 });
    const stackKey = await makeStack(database, org.orgId, {
      labels: database.sql.json({ "svc:runner-group:pool": "a" }),
    });
    for (let i = 0; i < 6; i++) await create(api.service, stackKey, { mode: "plan_unlocked" });
    const tokens = Math.random() * 2 * CAP;
    await database.sql`update dispatch_orgs set tokens = ${tokens}, refilled_at = svc_now() where org_id = ${org.orgId}`;
    let over = false;
    const disturbing = (async () => {
      while (!over) await disturb();
    })();
    const polls = Array.from({ length: 30 }, async (_, i) => {
      const group = i % 3 === 0 ? small : org;
      const authorization = `Bearer ${await sign(group, { token_type: "runner_group" })}`;
      await pause(Math.random() * 30);
      const signal = i % 4 === 0 ? AbortSignal.timeout(1 + (i % 20)) : AbortSignal.timeout(20_000);
      const url = `${servers[i % 2]!.base}/runner-groups/poll?wait_seconds=${i % 5 === 0 ? 1 : 0}`;
      const answer = await fetch(url, { headers: { authorization }, signal }).catch(() => null);
      return answer?.status ?? "left";
    });
    const answers = await Promise.all(polls);
    over = true;
    await disturbing;
    for (const answer of answers) expect([200, 204, 503, "left"]).toContain(answer);
    // Claims of those who left come back.
    const settled = await waitFor(
      async () => {
        const now = await counted(org);
        return Math.abs(tokens - now.held - now.tokens) < 0.02 && now;
      },
      { what: "as many tokens gone as runs are held" },
    );
    expect(settled).toMatchObject({ attempts: 0, claims: settled.assigned, stubs: settled.held });
    expect(settled.assigned - settled.returned).toBe(settled.held);
    expect(settled.held).toBeLessThanOrEqual(Math.min(CAP, tokens));
    const [inSmall] = await database.sql`
      select count(*)::int as held from runs where assigned_group_id = ${small.id} and status = 'assigned'`;
    expect(inSmall?.held).toBeLessThanOrEqual(3);
  }

  test("under racing pollers", async () => {
    for (let round = 0; round < 12; round++) await race(() => pause(20));
  });

  test("while the database ends their sessions, between the lock and the claim too", async () => {
    for (let round = 0; round < 12; round++) {
      const until = performance.now() + 150;
      await race(async () => {
        await pause(Math.random() * 6);
        if (performance.now() > until) return;
        await database.sql`
          select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
          and application_name = 'test' and (state = 'idle in transaction' or state = 'active' and random() < 0.3)`;
      });
    }
  });
});

describe("a limiter that fails lets claims through and is counted", () => {
  const faults = {
    "no column of the deferral": [
      "alter table dispatch_orgs rename throttled_until to away",
      "alter table dispatch_orgs rename away to throttled_until",
    ],
    "no column of the tokens": [
      "alter table dispatch_orgs rename tokens to away",
      "alter table dispatch_orgs rename away to tokens",
    ],
    "no rate": [
      "alter table organizations rename runs_per_hour_limit to away",
      "alter table organizations rename away to runs_per_hour_limit",
    ],
    "no table": ["alter table dispatch_orgs rename to away", "alter table away rename to dispatch_orgs"],
    "no bucket": [
      "create table kept as select * from dispatch_orgs; delete from dispatch_orgs",
      "insert into dispatch_orgs select * from kept; drop table kept",
    ],
  } as const;
  const errors = async () => (await api.deps.metrics.limiterErrors.get()).values[0]?.value ?? 0;

  test.each(Object.entries(faults))("%s", async (_, [breaks, mends]) => {
    const org = await orgWith({ runs: 2, rate: 1, tokens: 1 });
    const poll = await poller(api, org);
    const before = await errors();
    await database.sql.unsafe(breaks);
    try {
      expect([(await poll()).status, (await poll()).status, (await poll()).status]).toEqual([200, 200, 204]);
    } finally {
      await database.sql.unsafe(mends);
    }
    expect(await errors()).toBeGreaterThanOrEqual(before + 2);
    const [bucket] = await database.sql`select tokens from dispatch_orgs where org_id = ${org.orgId}`;
    expect(bucket).toEqual({ tokens: 1 });
  });

  test("a claim that the database ended because its process stalled is not put down to it", async () => {
    const org = await orgWith({ runs: 1, rate: 1, tokens: 1 });
    const [group] = await database.sql`select public_key_fingerprint as f from runner_groups where id = ${org.id}`;
    const before = await errors();
    const stalled = claimRun(api.deps, { groupId: org.id, orgId: org.orgId, fingerprint: group?.f }, () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6_000);
      return false;
    });
    await expect(stalled).rejects.toThrow();
    expect(await errors()).toBe(before);
    const [row] = await database.sql`select tokens from dispatch_orgs where org_id = ${org.orgId}`;
    expect(row).toEqual({ tokens: 1 });
  });

  test("a claim whose answer nobody read comes back all the same", async () => {
    const org = await orgWith({ runs: 1, rate: 1, tokens: 1 });
    const before = await errors();
    const { hostname, port } = new URL(api.base);
    const socket = connectSocket(Number(port), hostname);
    await once(socket, "connect");
    socket.write(
      `GET /api/v1/runner-groups/poll HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${await sign(org, { token_type: "runner_group" })}\r\n\r\n`,
    );
    await waitFor(async () => (await counted(org)).held === 1, { what: "the claim", everyMs: 1 });
    await database.sql`alter table dispatch_orgs rename tokens to away`;
    try {
      socket.resetAndDestroy();
      const pending = () => database.sql`
        select 1 from runs where org_id = ${org.orgId} and status = 'pending' and assignment_attempts = 0`;
      await waitFor(async () => (await pending()).length === 1, { what: "the run to be pending again" });
    } finally {
      await database.sql`alter table dispatch_orgs rename away to tokens`;
    }
    await waitFor(async () => (await errors()) === before + 1, { what: "the error to be counted" });
  });

  test("a key that was changed meanwhile is refused all the same", async () => {
    const org = await orgWith({ runs: 1 });
    await database.sql`delete from dispatch_orgs where org_id = ${org.orgId}`;
    const claimant = { groupId: org.id, orgId: org.orgId, fingerprint: "another" };
    expect(await claimRun(api.deps, claimant, () => false)).toEqual({ outcome: "key_changed" });
  });
});
