/** Claims against the organization's budget (docs/rules/dispatch.md#the-claim). */
import { afterAll, beforeAll, describe, expect } from "vitest";
import { test, unreadPoll } from "../support/claimsTest.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { create, type Group, makeOrg, makeStack } from "../support/fixtures.ts";
import { coordinator, groupToken, type RunnerApi, startRunnerApi } from "../support/runnerApi.ts";
import { waitFor } from "../support/waitFor.ts";

test.afterEach(({ api, copy, hinted }) =>
  expect([...api.unexpected, ...copy.unexpected, ...hinted.unexpected]).toEqual([]),
);

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
