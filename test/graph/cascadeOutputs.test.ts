/** What follows an apply by the values of its outputs, and by what other stacks wait for (docs/outputs.md). */
import { expect } from "vitest";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import { children, dependsOn, isResolved, resolveAll, snapshotRow } from "../support/cascades.ts";
import { test as base } from "../support/cascadeTest.ts";
import { create, decide } from "../support/fixtures.ts";

const test = base.extend("outputs", async ({ database: { sql }, org }) => ({
  /** The apply of this deployment left other values of these. */
  changed: (deploymentId: string, names: string[] | null) => sql`
    insert into stack_outputs (run_id, org_id, stack_key, changed)
    select r.id, r.org_id, d.stack_key, ${names}::text[] from runs r join deployments d on d.id = r.deployment_id
    where d.id = ${deploymentId} and r.kind = 'apply_run'`,
  waits: (stackKey: string, awaitedKey: string) => sql`
    insert into output_waits (stack_key, awaited_key, org_id) values (${stackKey}, ${awaitedKey}, ${org.orgId})`,
  waiting: async (stackKey: string) => (await sql`select from output_waits where stack_key = ${stackKey}`).length,
}));

test("an apply deploys who uses an output with another value, and nobody else, though its plan is unknown", async ({
  database,
  world,
  outputs,
}) => {
  const [a, used, other, whole] = [await world.stack(), await world.stack(), await world.stack(), await world.stack()];
  await dependsOn(database, used, a, { to: "output.vpc_id" });
  await dependsOn(database, other, a, { to: "output.zone" });
  await dependsOn(database, whole, a);
  const parent = await world.apply(a);
  await outputs.changed(parent, ["vpc_id"]);
  await resolveAll(world.deps, parent);
  expect(await children(database, used)).toHaveLength(1);
  expect(await children(database, whole)).toHaveLength(1);
  expect(await children(database, other)).toHaveLength(0);
  expect(await snapshotRow(database, parent, other)).toMatchObject({ skipped_reason: "not_affected" });
  // Values that nobody knows count as changed.
  const next = await world.apply(a);
  await outputs.changed(next, null);
  await resolveAll(world.deps, next);
  expect(await children(database, other)).toHaveLength(1);
});

test("who waits for an output is deployed by the next apply, once, without any edge", async ({
  database,
  world,
  outputs,
}) => {
  const [a, waiting] = [await world.stack(), await world.stack()];
  await outputs.waits(waiting, a);
  const parent = await world.apply(a);
  await outputs.changed(parent, []);
  await resolveAll(world.deps, parent);
  expect(await children(database, waiting)).toHaveLength(1);
  expect(await snapshotRow(database, parent, waiting)).toMatchObject({ trigger: "always", evidence: "declared" });
  expect([await outputs.waiting(waiting), await isResolved(database, parent)]).toEqual([0, true]);
  const next = await world.apply(a);
  await resolveAll(world.deps, next);
  expect(await children(database, waiting)).toHaveLength(1);
});

test("a destroy brings nothing, and the waiting goes on", async ({ database, service, world, outputs }) => {
  const [a, waiting] = [await world.stack(), await world.stack()];
  await outputs.waits(waiting, a);
  const destroy = await create(service, a, { mode: "destroy" });
  const plan = await world.applyPendingPlan(destroy);
  await decide(service, database, destroy, "confirm", { action: "apply" } as never);
  const apply = await world.claimApply(destroy, plan);
  await reportDone(service, apply.runId, apply.runnerId, { status: "success" });
  await resolveAll(world.deps, destroy);
  expect([await children(database, waiting), await outputs.waiting(waiting)]).toEqual([[], 1]);
});
