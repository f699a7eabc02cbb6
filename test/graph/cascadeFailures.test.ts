/**
 * Dependents that cannot be triggered, and cascades that are late
 * (docs/rules/graph.md#a-cascade-begins-with-an-apply).
 */
import { describe, expect } from "vitest";
import { HostError } from "../../src/exchange/scm/host/errors.ts";
import { resolveDependents } from "../../src/graph/cascade/resolveDependents.ts";
import { liveRows } from "../../src/orchestration/reconciler/liveRows.ts";
import { workflowIds } from "../../workflows/ids.ts";
import {
  applied,
  children,
  dependsOn,
  HEAD,
  isResolved,
  resolveAll,
  snapshotRow,
  testCascade,
} from "../support/cascades.ts";
import { test } from "../support/cascadeTest.ts";
import { freshDatabase } from "../support/database.ts";
import { makeOrg, makeStack, testService } from "../support/fixtures.ts";

describe("a dependent that cannot be triggered", () => {
  test("is tried again, then has its error, and one problem is announced once", async ({ database, world }) => {
    const a = await world.stack();
    const place = { repository_url: "https://git.example/gone.git" };
    const [b, c, fine] = [await world.stack(place), await world.stack(place), await world.stack()];
    for (const dependent of [b, c, fine]) await dependsOn(database, dependent, a);
    const parent = await world.apply(a);
    world.deps.head = async (url) => {
      if (url.includes("gone")) throw new HostError("unavailable", 502);
      return HEAD;
    };
    await resolveAll(world.deps, parent);
    expect(await children(database, fine)).toHaveLength(1);
    for (const dependent of [b, c]) {
      expect(await snapshotRow(database, parent, dependent)).toMatchObject({
        triggered_deployment_id: null,
        error: expect.stringContaining("could not be read"),
        attempts: 3,
      });
    }
    // Three times for both, together where they are due together; once for the third.
    expect(world.deps.asked).toBeGreaterThanOrEqual(4);
    expect(world.deps.asked).toBeLessThanOrEqual(7);
    expect(await world.failedEvents()).toEqual([
      {
        deployment_id: parent,
        data: expect.objectContaining({
          dependent_stack_id: expect.stringMatching(/^stack-/),
          trigger_error: expect.stringContaining("could not be read"),
        }),
      },
    ]);
    expect(await isResolved(database, parent)).toBe(true);
  });

  test("is not tried again where that is no use: its branch does not exist", async ({ database, world }) => {
    const [a, b] = [await world.stack(), await world.stack()];
    await dependsOn(database, b, a);
    const parent = await world.apply(a);
    world.deps.head = async () => null;
    await resolveAll(world.deps, parent);
    expect(world.deps.asked).toBe(1);
    expect(await snapshotRow(database, parent, b)).toMatchObject({
      error: expect.stringContaining("branch"),
      attempts: 1,
    });
    expect(await world.failedEvents()).toHaveLength(1);
  });

  test("for a reason that nobody foresaw is told with the apply and the dependent, and its row says no more than that", async ({
    database,
    org,
    world,
  }) => {
    const [a, b] = [await world.stack(), await world.stack()];
    await dependsOn(database, b, a);
    const parent = await world.apply(a);
    const told: unknown[] = [];
    world.deps.onUnexpected = (error, about) => told.push([(error as Error).message, about]);
    world.deps.head = async () => {
      throw new Error("https://user:secret@git.example");
    };
    await resolveAll(world.deps, parent);
    const about = { orgId: org.orgId, deploymentId: parent, stackKey: b };
    expect(told).toEqual(Array(3).fill(["https://user:secret@git.example", about]));
    expect(await snapshotRow(database, parent, b)).toMatchObject({ error: "internal error", attempts: 3 });
  });

  test("comes through when its host is back in time", async ({ database, world }) => {
    const [a, b] = [await world.stack(), await world.stack()];
    await dependsOn(database, b, a);
    const parent = await world.apply(a);
    let tries = 0;
    world.deps.head = async () => {
      if (++tries < 3) throw new HostError("rate_limited", 429, 20);
      return HEAD;
    };
    const first = await resolveDependents(world.deps, parent);
    expect(first.told).toMatchObject({ triggered: 0, failed: 0, putOff: 1 });
    expect(await snapshotRow(database, parent, b)).toMatchObject({
      error: null,
      attempts: 1,
      last_failure: expect.stringContaining("could not be read"),
    });
    await resolveAll(world.deps, parent);
    expect((await resolveDependents(world.deps, parent)).told).toMatchObject({ triggered: 1, putOff: 0 });
    expect(await children(database, b)).toHaveLength(1);
    expect(await world.failedEvents()).toEqual([]);
  });
});

test("tells the reconciler which cascades are late: those whose due dependents nobody works on", async () => {
  await using own = await freshDatabase();
  const service = testService(own);
  const deps = testCascade(service);
  const org = await makeOrg(own);
  const [a, b, c] = [
    await makeStack(own, org.orgId, { auto_approve_mode: "auto" }),
    await makeStack(own, org.orgId),
    await makeStack(own, org.orgId),
  ];
  await dependsOn(own, b, a);
  await dependsOn(own, c, a);
  const parent = await applied(service, own, org, a);
  const late = async () => {
    const found: [string, boolean][] = [];
    for await (const rows of liveRows(own.db, "cascade", service.timeouts))
      for (const { start, overdue } of rows) found.push([start.workflowId, overdue]);
    return found;
  };
  const id = workflowIds.cascade(parent);
  expect(await late()).toEqual([[id, false]]);
  await own.advanceClock(61_000);
  // Not even its snapshot was written.
  expect(await late()).toEqual([[id, true]]);
  deps.policy = { maxAttempts: 9, firstPauseMs: 300_000 };
  deps.head = async () => {
    throw new HostError("unavailable");
  };
  await resolveDependents(deps, parent);
  await own.advanceClock(61_000);
  // Both were put off until later.
  expect(await late()).toEqual([[id, false]]);
  await own.advanceClock(600_000);
  expect(await late()).toEqual([[id, true]]);
  // One of thousands is being worked on.
  await own.sql`update dependent_triggers set updated_at = svc_now() where dependent_stack_key = ${b}`;
  expect(await late()).toEqual([[id, false]]);
  deps.head = async () => HEAD;
  await resolveAll(deps, parent);
  expect(await late()).toEqual([]);
  // Nothing of it holds up the end of its organization.
  await own.sql`delete from organizations where id = ${org.orgId}`;
  expect(await own.sql`select 1 from dependent_triggers`).toEqual([]);
});
