/**
 * Cascades over several stacks, and two at once: nobody is triggered twice
 * (docs/rules/graph.md#a-cascade-begins-with-an-apply).
 */
import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { retryDeployment } from "../../src/core/deployments/retry.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import { HostError } from "../../src/exchange/scm/host/errors.ts";
import { resolveDependents } from "../../src/graph/cascade/resolveDependents.ts";
import { triggerDependent } from "../../src/graph/cascade/triggerDependent.ts";
import { unitOfWork } from "../../src/work/unitOfWork.ts";
import {
  applyPending,
  children,
  dependsOn,
  finishApply,
  HEAD,
  isResolved,
  resolveAll,
  snapshotRow,
  untilApplying,
} from "../support/cascades.ts";
import { test } from "../support/cascadeTest.ts";
import { ACTOR, decide } from "../support/fixtures.ts";

describe("a chain", () => {
  test("goes on from each apply, and not past what was skipped, cancelled or failed", async ({
    database,
    service,
    org,
    world,
  }) => {
    const [a, b, c] = [await world.stack(), await world.stack(), await world.stack()];
    await dependsOn(database, b, a);
    await dependsOn(database, c, b);
    const ends = {
      skipped: async (id: string) => decide(service, database, id, "skip"),
      cancelled: async (id: string) => decide(service, database, id, "cancel"),
      failed: async (id: string) => {
        const applying = await applyPending(service, database, org, id);
        await reportDone(service, applying.runId, applying.runnerId, { status: "failure" });
      },
    };
    for (const [status, end] of Object.entries(ends)) {
      const parent = await world.apply(a);
      // Held, so that its child waits in the queue, where it can be skipped.
      if (status === "skipped")
        await database.sql`update stacks set held_at = svc_now(), held_by = 'x' where stack_key = ${b}`;
      await resolveAll(world.deps, parent);
      const child = (await children(database, b)).at(-1)?.id as string;
      await end(child);
      await database.sql`update stacks set held_at = null, held_by = null where stack_key = ${b}`;
      expect((await children(database, b)).at(-1)?.status).toBe(status);
      expect(await isResolved(database, parent)).toBe(true);
      expect(await resolveDependents(world.deps, child)).toEqual({ open: 0, nextMs: null });
      expect(await children(database, c)).toEqual([]);
    }
    const parent = await world.apply(a);
    await resolveAll(world.deps, parent);
    const middle = (await children(database, b)).at(-1)?.id as string;
    await finishApply(service, await applyPending(service, database, org, middle));
    await resolveAll(world.deps, middle);
    expect(await children(database, c)).toMatchObject([{ parent: middle, path: [a, b] }]);
  });

  test("of a diamond gives the bottom one child for each parent that applied", async ({
    database,
    service,
    org,
    world,
  }) => {
    const [top, left, right, bottom] = [
      await world.stack(),
      await world.stack(),
      await world.stack(),
      await world.stack(),
    ];
    for (const side of [left, right]) {
      await dependsOn(database, side, top);
      await dependsOn(database, bottom, side);
    }
    await resolveAll(world.deps, await world.apply(top));
    const sides = [];
    for (const side of [left, right]) {
      const child = (await children(database, side))[0]?.id as string;
      await finishApply(service, await applyPending(service, database, org, child));
      await resolveAll(world.deps, child);
      sides.push(child);
    }
    expect((await children(database, bottom)).map(({ parent, status }) => ({ parent, status }))).toEqual([
      { parent: sides[0], status: "pending" },
      { parent: sides[1], status: "queued" },
    ]);
  });

  test("that comes round to where it began waits for a person there, also when the cycle was closed meanwhile", async ({
    database,
    service,
    org,
    world,
  }) => {
    const [a, b] = [await world.stack(), await world.stack()];
    await dependsOn(database, b, a);
    const parent = await world.apply(a);
    await resolveAll(world.deps, parent);
    await dependsOn(database, a, b);
    const child = (await children(database, b))[0]?.id as string;
    await finishApply(service, await applyPending(service, database, org, child));
    await resolveAll(world.deps, child);
    expect(await snapshotRow(database, child, a)).toMatchObject({ trigger: "manual", demotion_reason: "on_cycle" });
    expect(await children(database, a)).toEqual([]);
    const again = await world.apply(a);
    await resolveAll(world.deps, again);
    expect(await snapshotRow(database, again, b)).toMatchObject({ trigger: "manual", demotion_reason: "on_cycle" });
    expect(await children(database, b)).toHaveLength(1);
  });
});

describe("races", () => {
  test("two parents end in the same moment, 200 rounds: one child for each, none lost, none double", async ({
    database,
    service,
    org,
    world,
  }) => {
    const [a, b, x] = [await world.stack(), await world.stack(), await world.stack()];
    await dependsOn(database, x, a);
    await dependsOn(database, x, b);
    const parents: string[] = [];
    for (let round = 0; round < 200; round++) {
      const both = await Promise.all([a, b].map((key) => untilApplying(service, database, org, key)));
      await Promise.all(both.map((applying) => finishApply(service, applying)));
      // Each twice at once, as after a worker that was cut off and goes on all the same.
      await Promise.all([...both, ...both].map(({ deploymentId }) => resolveAll(world.deps, deploymentId)));
      parents.push(...both.map(({ deploymentId }) => deploymentId));
    }
    const made = await children(database, x);
    expect(made.map(({ parent }) => parent).sort()).toEqual(parents.sort());
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set(["pending", "queued"]));
    expect(made.filter(({ status }) => status === "pending")).toHaveLength(1);
  }, 240_000);

  test("the button and the cascade want the same dependent, 50 rounds: it gets one child", async ({
    database,
    service,
    world,
  }) => {
    const [a, b] = [await world.stack(), await world.stack()];
    await dependsOn(database, b, a);
    const [source] =
      await database.sql`select stack_key, org_id, repository_url, branch from stacks where stack_key = ${b}`;
    for (let round = 0; round < 50; round++) {
      const parent = await world.apply(a);
      // The snapshot is there, and its dependent still open.
      world.deps.head = async () => {
        throw new HostError("unavailable");
      };
      await resolveDependents(world.deps, parent);
      world.deps.head = async () => HEAD;
      const press = () =>
        unitOfWork(service, (work) =>
          triggerDependent(work, {
            parent: { id: parent, stack_key: a, path: [] },
            dependent: source as never,
            commit: HEAD,
            actor: ACTOR,
          }),
        );
      const [first, second] = await Promise.all([press(), press(), resolveAll(world.deps, parent)]);
      const outcomes = [first.outcome, second.outcome].filter((outcome) => outcome === "triggered");
      expect(outcomes.length).toBeLessThanOrEqual(1);
      expect((await children(database, b)).filter((child) => child.parent === parent)).toHaveLength(1);
      expect(await isResolved(database, parent)).toBe(true);
    }
  }, 120_000);

  test("many steps of one cascade at once trigger each of 60 dependents once", async ({ database, world }) => {
    const a = await world.stack();
    const dependents = await Promise.all(Array.from({ length: 60 }, () => world.stack()));
    for (const dependent of dependents) await dependsOn(database, dependent, a);
    const parent = await world.apply(a);
    await Promise.all(Array.from({ length: 5 }, () => resolveAll(world.deps, parent)));
    const [{ n } = {}] = await database.sql`
      select count(*)::int as n from deployments where origin_dependency_deployment_id = ${parent}`;
    expect(n).toBe(60);
    expect(await isResolved(database, parent)).toBe(true);
  });
});

test("a retry of a child says where the child came from", async ({ database, service, org, world }) => {
  const [a, b] = [await world.stack(), await world.stack()];
  await dependsOn(database, b, a);
  const parent = await world.apply(a);
  await resolveAll(world.deps, parent);
  const child = (await children(database, b))[0]?.id as string;
  await decide(service, database, child, "cancel");
  await database.sql`update deployments set created_at = created_at - interval '1 minute' where id = ${child}`;
  const principal = {
    ...ACTOR,
    tokenId: null,
    orgId: org.orgId,
    credential: { kind: "session", sessionId: randomUUID() },
  } as never;
  await retryDeployment(service, {} as never, principal, { id: child, stackKey: b }, null);
  expect((await children(database, b)).at(-1)).toMatchObject({ parent, path: [a], status: "pending" });
});
