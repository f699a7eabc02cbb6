/** Checks for drift on real Postgres: when they begin, what their ends say, and who is told (docs/drift.md). */
import type { Sql } from "postgres";
import { describe, expect } from "vitest";
import { DAILY, type DriftWorld, driftWorld, refreshed, SETTLED, test } from "../support/driftTest.ts";
import { create, decide, statuses } from "../support/fixtures.ts";

describe("a check", () => {
  test("is a refresh of what was applied last, beside the lane, which nobody is told of", async ({
    world,
    database,
  }) => {
    const stackKey = await world.applied();
    const id = await world.checking(stackKey);
    const [applied, check] = await world.deployments(stackKey);
    expect(check).toMatchObject({ id, mode: "drift", status: "pending", origin_type: "drift", created_by: null });
    expect(check?.commit_sha).toBe(applied?.commit_sha);
    const [stack] = await database.sql`select latest_deployment_id from stacks where stack_key = ${stackKey}`;
    expect(stack?.latest_deployment_id).toBe(applied?.id);
    const behind = await create(world.service, stackKey);
    expect((await statuses(database, behind)).deployment).toBe("pending");
    await decide(world.service, database, behind, "cancel");
    await world.run(id, refreshed());
    expect(await statuses(database, id)).toMatchObject({ deployment: "finished", runs: ["refresh_run:success"] });
    const events =
      await database.sql`select name from domain_events where deployment_id = ${id} order by occurred_at, id`;
    expect(events.map(({ name }) => name)).toEqual(["drift_check_started", "deployment_started", "drift_check_ended"]);
    const fanned =
      await database.sql`select 1 from outbox where message ->> 'kind' = 'fanOut' and message ->> 'domainEventId' in
      (select id::text from domain_events where deployment_id = ${id})`;
    expect(fanned).toHaveLength(0);
  });

  test("sleeps until the stack's own place in its round, and comes again a round later", async ({ world }) => {
    const stackKey = await world.applied();
    const view = await world.step();
    const { due_at, effective, stale } = await world.row(stackKey);
    expect([stale, effective]).toEqual([false, DAILY]);
    expect(view).toMatchObject({ stacks: 1, running: 0, waiting: 0 });
    expect(view.nextMs).toBeGreaterThan(0);
    expect(view.nextMs).toBeLessThanOrEqual(24 * 3_600_000);
    await world.check(stackKey, refreshed());
    const next = (await world.row(stackKey)).due_at as Date;
    expect((next.getTime() - (due_at as Date).getTime()) % (24 * 3_600_000)).toBe(0);
  });

  test("is none of a stack that is switched off, and the workflow has nothing left", async ({ world }) => {
    const stackKey = await world.applied({}, { ...DAILY, enabled: false });
    expect(await world.step()).toMatchObject({ stacks: 0, nextMs: null });
    expect(await world.row(stackKey)).toMatchObject({ effective: null, due_at: null });
  });
});

describe("what a check finds", () => {
  test("is told once for a set of addresses, and once when it is over", async ({ world }) => {
    const stackKey = await world.applied();
    const found = await world.check(stackKey, refreshed("b.y", "a.x"));
    expect(found).toMatchObject({
      status: "drifted",
      total: 2,
      checked_at: expect.any(Date),
      due_at: expect.any(Date),
    });
    expect(found.resources).toEqual([
      { address: "b.y", action: "changed" },
      { address: "a.x", action: "changed" },
    ]);
    const since = found.since;
    expect(await world.check(stackKey, refreshed("a.x", "b.y"))).toMatchObject({ status: "drifted", since });
    await world.check(stackKey, refreshed("a.x"));
    expect(await world.check(stackKey, refreshed())).toMatchObject({ status: "none", total: 0, resources: [] });
    await world.check(stackKey, refreshed());
    const news = await world.news(stackKey);
    expect(news.map(({ name }) => name)).toEqual(["drift_detected", "drift_detected", "drift_resolved"]);
    expect(news[0]).toMatchObject({
      data: { drifted: 2, addresses: ["b.y", "a.x"] },
      deployment_id: expect.any(String),
    });
    expect(news[2]?.deployment_id).toBeNull();
  });

  test("is nothing where the look failed: it is told apart, holds nothing and keeps what was known", async ({
    world,
  }) => {
    const stackKey = await world.applied();
    await world.check(stackKey, refreshed("a.x"));
    const failed = await world.check(stackKey, { status: "failure", error: "no credentials" });
    expect(failed).toMatchObject({ status: "failed", error: "no credentials", total: 1, check_id: null });
    expect(failed.due_at).not.toBeNull();
    await world.check(stackKey, { status: "failure", error: "no credentials" });
    await world.check(stackKey, refreshed("a.x"));
    expect((await world.news(stackKey)).map(({ name }) => name)).toEqual(["drift_detected", "drift_check_failed"]);
  });

  test("says nothing where something was applied meanwhile", async ({ world, database }) => {
    const stackKey = await world.applied();
    const id = await world.checking(stackKey);
    const raw = await create(world.service, stackKey);
    await database.sql`update runs set kind = 'raw_run' where deployment_id = ${raw}`;
    await world.run(raw, { status: "success" });
    await world.run(id, refreshed("a.x"));
    await world.step();
    expect(await world.row(stackKey)).toMatchObject({
      status: "unknown",
      put_off: "applied_meanwhile",
      check_id: null,
    });
  });

  test("a change of what the stack runs has a finding looked at again at once", async ({ world }) => {
    const stackKey = await world.applied();
    await world.check(stackKey, refreshed("a.x"));
    await world.run(await create(world.service, stackKey), {
      status: "success",
      plan_summary: { has_changes: false, counts: null, gaps: [] },
    });
    await world.step();
    expect((await world.row(stackKey)).check_phase).toBe("running");
  });
});

describe("a check that is due", () => {
  test.for([
    ["lane_busy", async (world, stackKey) => void (await create(world.service, stackKey))],
    [
      "held",
      async (_world, stackKey, sql) =>
        void (await sql`update stacks set held_at = svc_now() where stack_key = ${stackKey}`),
    ],
    [
      "group_full",
      async (world, _stackKey, sql) =>
        void (await sql`update runner_groups set max_drift_runs = 0 where org_id = ${world.org.orgId}`),
    ],
    [
      "no_runner_group",
      async (_world, stackKey, sql) =>
        void (await sql`update stacks set labels = '{"svc:runner-group:zone": "x"}' where stack_key = ${stackKey}`),
    ],
  ] as [string, (world: DriftWorld, stackKey: string, sql: Sql) => Promise<void>][])(
    "is put off: %s",
    async ([why, obstruct], { world, database }) => {
      const stackKey = await world.applied();
      await world.step();
      await obstruct(world, stackKey, database.sql);
      await world.due(stackKey);
      await world.step();
      const row = await world.row(stackKey);
      expect(row).toMatchObject({ put_off: why, put_off_times: 1, check_id: null, status: "unknown" });
      expect((row.due_at as Date).getTime()).toBeGreaterThan(Date.now());
    },
  );

  test("is put off where nothing was applied, or what was is destroyed", async ({ world, database }) => {
    const [fresh, destroyed] = [await world.applied(), await world.applied()];
    await database.sql`delete from deployments where stack_key = ${fresh}`;
    await world.run(await create(world.service, destroyed, { mode: "destroy" }), {
      status: "success",
      plan_summary: SETTLED,
    });
    await world.step();
    for (const stackKey of [fresh, destroyed]) await world.due(stackKey);
    await world.step();
    for (const stackKey of [fresh, destroyed])
      expect(await world.row(stackKey)).toMatchObject({ put_off: "never_applied" });
  });

  test("is made where only some of it is destroyed, and nothing of that is brought back without a person", async ({
    world,
  }) => {
    const stackKey = await world.applied({ auto_approve_mode: "auto" }, { ...DAILY, reconcile: "auto" });
    await world.run(await create(world.service, stackKey, { mode: "destroy", targets: ["a.x"] }), {
      status: "success",
      plan_summary: SETTLED,
    });
    expect(await world.check(stackKey, refreshed("b.y"))).toMatchObject({ status: "drifted", total: 1 });
    await world.step();
    expect((await world.deployments(stackKey)).at(-1)).toMatchObject({ mode: "plan", needs_person: true });
  });

  test("is put off when the organization's own budget is used up, which is not that of its runs", async ({
    world,
    database,
  }) => {
    const stackKey = await world.applied();
    await world.step();
    await database.sql`insert into drift_budgets (org_id, tokens, refilled_at) values (${world.org.orgId}, 0, svc_now())`;
    await world.due(stackKey);
    await world.step(1);
    expect(await world.row(stackKey)).toMatchObject({ put_off: "budget" });
  });

  test("begins with as many others as the pace allows, and the rest as places come free", async ({ world }) => {
    const keys: string[] = [];
    for (let i = 0; i < 4; i++) keys.push(await world.applied());
    await world.step();
    for (const key of keys) await world.due(key);
    expect(await world.step()).toMatchObject({ running: 2, waiting: 2 });
    const running = (await Promise.all(keys.map(world.row))).filter(({ check_phase }) => check_phase === "running");
    await world.run(running[0]?.check_id, refreshed());
    expect(await world.step()).toMatchObject({ running: 2, waiting: 1 });
  });

  test("and that no runner takes is given up, without a word to anybody", async ({ world, database }) => {
    const stackKey = await world.applied();
    const id = await world.checking(stackKey);
    await database.sql`update runs set first_pending_at = svc_now() - interval '16 minutes' where deployment_id = ${id}`;
    await world.step();
    await world.step();
    expect(await world.row(stackKey)).toMatchObject({ put_off: "no_runner", check_id: null, status: "unknown" });
    expect((await statuses(database, id)).deployment).toBe("cancelled");
    expect(await world.news(stackKey)).toEqual([]);
  });

  test("and that somebody cancels comes back in its next round only", async ({ world, database }) => {
    const stackKey = await world.applied();
    const id = await world.checking(stackKey);
    await decide(world.service, database, id, "cancel");
    await world.step();
    const { put_off, due_at } = await world.row(stackKey);
    expect(put_off).toBe("cancelled");
    expect((due_at as Date).getTime()).toBeGreaterThan(Date.now() + 60_000 - 1_000);
  });
});

describe("what is to mend a finding", () => {
  const made = async (world: DriftWorld, key: string) =>
    (await world.deployments(key)).filter(({ mode, origin_type }) => mode === "plan" && origin_type === "drift");

  test("is nothing where nobody asks for it", async ({ world }) => {
    const stackKey = await world.applied();
    await world.check(stackKey, refreshed("a.x"));
    await world.step();
    expect(await made(world, stackKey)).toHaveLength(0);
  });

  test("is an ordinary plan of what was applied, once for a set, which waits for a person", async ({
    world,
    database,
  }) => {
    const stackKey = await world.applied({ auto_approve_mode: "auto" }, { ...DAILY, reconcile: "plan" });
    await world.check(stackKey, refreshed("a.x"));
    await world.step();
    const [plan] = await made(world, stackKey);
    expect(plan).toMatchObject({ status: "pending", needs_person: true, created_by: null });
    expect((await world.row(stackKey)).reconcile_id).toBe(plan?.id);
    await world.plan(plan?.id);
    expect(await statuses(database, plan?.id)).toMatchObject({
      deployment: "waiting",
      events: ["created", "auto_approve_suppressed"],
    });
  });

  test("is applied by the stack's own approval mode where that is asked for", async ({ world, database }) => {
    const stackKey = await world.applied({ auto_approve_mode: "auto" }, { ...DAILY, reconcile: "auto" });
    await world.check(stackKey, refreshed("a.x"));
    await world.step();
    const [plan] = await made(world, stackKey);
    expect(plan).toMatchObject({ needs_person: false });
    await world.plan(plan?.id);
    expect((await statuses(database, plan?.id)).deployment).toBe("applying");
  });

  test("is made again for another set, and for the same one after it was over", async ({ world, database }) => {
    const stackKey = await world.applied({}, { ...DAILY, reconcile: "plan" });
    const drifts = async (...addresses: string[]) => {
      await world.check(stackKey, refreshed(...addresses));
      await world.step();
      const plans = await made(world, stackKey);
      for (const { id, status } of plans)
        if (status !== "cancelled") await decide(world.service, database, id as string, "cancel");
      return plans.length;
    };
    expect(await drifts("a.x")).toBe(1);
    expect(await drifts("a.x")).toBe(1);
    expect(await drifts("a.x", "b.y")).toBe(2);
    expect(await drifts()).toBe(2);
    expect(await drifts("a.x", "b.y")).toBe(3);
  });

  test("waits where the organization's quota is used up, and is made later", async ({ world, database }) => {
    const stackKey = await world.applied({}, { ...DAILY, reconcile: "plan" });
    const service = { ...world.service, quotas: { organizations: 9, stacks: 9, queued_deployments: 0 } };
    const limited = driftWorld(database, service, world.org);
    const id = await world.checking(stackKey);
    await world.run(id, refreshed("a.x"));
    expect(await limited.step()).toMatchObject({ nextMs: expect.any(Number) });
    expect(await world.row(stackKey)).toMatchObject({ reconcile_due: true });
    await world.step();
    expect(await made(world, stackKey)).toHaveLength(1);
  });
});

test("a deleted stack is checked no more, and what is under way says nothing", async ({ world, database }) => {
  const stackKey = await world.applied();
  const id = await world.checking(stackKey);
  await database.sql`update stacks set deleted_at = svc_now() where stack_key = ${stackKey}`;
  await world.run(id, refreshed("a.x"));
  expect(await world.step()).toMatchObject({ stacks: 0, running: 0 });
});
