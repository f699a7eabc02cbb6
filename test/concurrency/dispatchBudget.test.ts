/** The budget of runs per hour under claims, changes of the rate and faults that meet (spec 8, design 6.4). */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { readBudget } from "../../src/runners/dispatchBudget.ts";
import { claimRun } from "../../src/runs/claim.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { create, makeStack } from "../support/fixtures.ts";
import { type Group, makeKeyedOrg, type RunnerApi, sign, startRunnerApi } from "../support/runnerApi.ts";

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
  const org = await makeKeyedOrg(database, rate === undefined ? {} : { runsPerHour: rate });
  const stackKey = await makeStack(database, org.orgId);
  for (let i = 0; i < runs; i++) await create(api.service, stackKey, { mode: "plan_unlocked" });
  if (tokens !== undefined) {
    await database.sql`update dispatch_orgs set tokens = ${tokens}, refilled_at = svc_now() where org_id = ${org.orgId}`;
  }
  return org;
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

  test("a key that was changed meanwhile is refused all the same", async () => {
    const org = await orgWith({ runs: 1 });
    await database.sql`delete from dispatch_orgs where org_id = ${org.orgId}`;
    const claimant = { groupId: org.id, orgId: org.orgId, fingerprint: "another" };
    expect(await claimRun(api.deps, claimant, () => false)).toEqual({ outcome: "key_changed" });
  });
});
