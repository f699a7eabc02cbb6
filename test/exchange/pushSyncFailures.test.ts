/** Pushes at a host that fails: what is tried again, and what is said (docs/rules/source-control.md#pushes). */
import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { test } from "../support/pushSyncTest.ts";
import { POLICY } from "../support/scm.ts";

test.beforeEach(({ host }) => {
  host.requests.length = 0;
});

test.afterEach(({ host }) => {
  host.script = () => undefined;
});

describe("a host that fails", () => {
  test.for([
    [
      "answers 500",
      { status: 500, body: { message: "https://x-access-token:SECRET@host.example" } },
      "could not be reached",
    ],
    ["hangs", "hang" as const, "could not be reached"],
    ["answers nonsense", { status: 200, body: { status: "sideways", files: [] } }, "could not be understood"],
    ["refuses", { status: 403, body: {} }, "refused"],
    ["has moved the repository", { status: 301, headers: { location: "http://127.0.0.1:1/" } }, "has moved"],
  ] as const)(
    "on compare: one that %s fails the event for a later try, which succeeds",
    async ([_, reply, text], { database, host, world }) => {
      const [network, app] = [await world.stack("network"), await world.stack("app")];
      const before = (await host.head("main")) as string;
      const after = await host.commit({ "network/main.tf": randomUUID() });
      host.script = ({ path }) => (path.includes("/compare/") ? reply : undefined);
      const { open, nextMs } = await world.pushed(before, after);
      expect(open).toBe(1);
      expect(nextMs).toBeGreaterThan(0);
      const [failed] = await world.events();
      expect(failed).toMatchObject({ status: "failed", attempts: 1 });
      expect(failed?.last_error).toContain(text);
      expect(failed?.last_error).not.toMatch(/SECRET|http:|https:|token/i);
      expect(await world.commits(network)).toEqual([]);
      host.script = () => undefined;
      await database.sql`update scm_events set due_at = svc_now() where integration_id = ${world.integration.id}`;
      expect(await world.process()).toEqual({ open: 0, nextMs: null });
      expect([await world.commits(network), await world.commits(app)]).toEqual([[after], []]);
    },
  );

  test("is given up after the last try, with one scm_sync_failed, and can be tried again", async ({
    database,
    host,
    world,
  }) => {
    const network = await world.stack("network");
    const after = await host.commit({ "network/main.tf": randomUUID() });
    host.script = ({ path }) => (path.includes("/branches/") ? { status: 503 } : undefined);
    await world.arrive(world.first, after);
    for (let i = 0; i < POLICY.maxAttempts; i++) {
      await database.sql`update scm_events set due_at = svc_now() where integration_id = ${world.integration.id}`;
      await world.process();
    }
    expect(await world.events()).toMatchObject([{ status: "dead", attempts: POLICY.maxAttempts }]);
    expect(await world.process()).toEqual({ open: 0, nextMs: null });
    const told =
      await database.sql`select stack_key, data from domain_events where org_id = ${world.orgId} and name = 'scm_sync_failed'`;
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({
      stack_key: null,
      data: {
        inbox_event_type: "push_branch_changed",
        base_branch: "main",
        pr_number: null,
        attempt_count: POLICY.maxAttempts,
      },
    });
    expect(await world.commits(network)).toEqual([]);
  });

  test.for([
    ["Retry-After", { status: 429, headers: { "retry-after": "90" } }, 90_000],
    [
      "a spent budget",
      {
        status: 403,
        headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(Math.ceil(Date.now() / 1000) + 300) },
      },
      280_000,
    ],
  ] as const)("and says when to come again (%s) is not asked before", async ([_, reply, least], { host, world }) => {
    await world.stack("network");
    host.script = ({ path }) => (path.includes("/branches/") ? reply : undefined);
    const { nextMs } = await world.pushed(world.first, (await host.head("main")) as string);
    expect(nextMs).toBeGreaterThan(least - 20_000);
    expect((await world.events())[0]?.last_error).toContain("left alone");
  });

  test("by being behind the delivery gets one more chance", async ({ database, host, world }) => {
    const network = await world.stack("network");
    const old = (await host.head("main")) as string;
    const after = await host.commit({ "network/main.tf": randomUUID() }, { branch: "elsewhere", from: "main" });
    await world.pushed(old, after);
    expect(await world.events()).toMatchObject([{ status: "failed", attempts: 1 }]);
    await host.reset("main", after);
    await database.sql`update scm_events set due_at = svc_now() where integration_id = ${world.integration.id}`;
    await world.process();
    expect(await world.commits(network)).toEqual([after]);
  });
});
