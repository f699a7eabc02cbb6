/**
 * What follows from an apply: who is triggered, who is not and why
 * (docs/rules/graph.md#a-cascade-begins-with-an-apply).
 */
import { describe, expect } from "vitest";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import { resolveDependents } from "../../src/graph/cascade/resolveDependents.ts";
import {
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
import { create, decide } from "../support/fixtures.ts";

describe("an apply", () => {
  test("that nothing depends on is resolved with its end, and starts nothing", async ({ database, world }) => {
    const parent = await world.apply(await world.stack());
    expect(await isResolved(database, parent)).toBe(true);
    expect(world.started()).toEqual([]);
  });

  test("gives each always dependent a plan of its branch's head, and says where it came from", async ({
    database,
    service,
    org,
    world,
  }) => {
    const [a, b] = [await world.stack(), await world.stack()];
    await dependsOn(database, b, a, { to: "output.id", from: "aws_subnet.a" });
    const parent = await world.apply(a);
    expect(world.started()).toEqual([
      { kind: "startCascade", orgId: org.orgId, stackKey: a, deploymentId: parent, mode: "plan", origin: "manual" },
    ]);
    expect(await isResolved(database, parent)).toBe(false);
    await resolveAll(world.deps, parent);
    const [child] = await children(database, b);
    expect(child).toEqual({
      id: expect.any(String),
      status: "pending",
      mode: "plan",
      commit_sha: HEAD.sha,
      parent,
      path: [a],
      created_by: null,
    });
    expect(await snapshotRow(database, parent, b)).toMatchObject({
      trigger: "always",
      evidence: "declared",
      triggering_resources: [{ parent: "output.id", dependent: "aws_subnet.a", provenance: "declared" }],
      triggered_deployment_id: child?.id,
      skipped_reason: null,
      error: null,
    });
    expect(await isResolved(database, parent)).toBe(true);
    expect(service.sent.filter((m) => m.kind === "startDeployment").map((m) => m.deploymentId)).toContain(child?.id);
  });

  test("leaves no dependent without a reason, and counts them", async ({ database, world }) => {
    const counted: Record<string, number> = {};
    world.deps.count = (outcome, by) => {
      counted[outcome] = (counted[outcome] ?? 0) + by;
    };
    const a = await world.stack();
    const [always, manual, never, inferred] = [
      await world.stack(),
      await world.stack(),
      await world.stack(),
      await world.stack(),
    ];
    await dependsOn(database, always, a);
    await dependsOn(database, manual, a, { trigger: "manual" });
    await dependsOn(database, never, a, { trigger: "never" });
    await dependsOn(database, inferred, a, { inferred: true, to: "aws_vpc.main" });
    const parent = await world.apply(a);
    await resolveAll(world.deps, parent);
    expect(await snapshotRow(database, parent, manual)).toMatchObject({
      trigger: "manual",
      skipped_reason: "manual_trigger",
    });
    expect(await snapshotRow(database, parent, never)).toMatchObject({
      trigger: "never",
      skipped_reason: "never_trigger",
    });
    expect(await snapshotRow(database, parent, inferred)).toMatchObject({ trigger: "manual", evidence: "inferred" });
    for (const untriggered of [manual, never, inferred]) expect(await children(database, untriggered)).toEqual([]);
    expect(await children(database, always)).toHaveLength(1);
    expect(counted).toEqual({ triggered: 1, manual: 2, skipped: 1 });
  });

  test("asks what changed: only dependents of those parts follow", async ({ database, service, org, world }) => {
    const [a, touched, untouched] = [await world.stack(), await world.stack(), await world.stack()];
    await dependsOn(database, touched, a, { to: "aws_vpc.main" });
    await dependsOn(database, untouched, a, { to: "output.name" });
    const applying = await untilApplying(service, database, org, a);
    const changes = { resources: ['aws_vpc.main["eu"]'], outputs: ["id"] };
    world.deps.stored.set("analysis", Buffer.from(JSON.stringify({ version: 1, changes })));
    // The apply's runner stored none, so its plan's counts.
    await database.sql`insert into artifacts (run_id, kind, object_key, size, sha256)
      values (${applying.planRunId}, 'analysis', 'analysis', 100, ${"ab".repeat(32)})`;
    await finishApply(service, applying);
    await resolveAll(world.deps, applying.deploymentId);
    expect(await children(database, touched)).toHaveLength(1);
    expect(await snapshotRow(database, applying.deploymentId, untouched)).toMatchObject({
      trigger: "always",
      skipped_reason: "not_affected",
    });
  });

  test.for([
    ["is no JSON", Buffer.from("{")],
    ["is gzip cut short", Buffer.from([0x1f, 0x8b, 8, 0])],
    ["is gone", undefined],
  ] as const)(
    "whose analysis %s counts as having changed everything",
    async ([_, bytes], { database, service, org, world }) => {
      const [a, b] = [await world.stack(), await world.stack()];
      await dependsOn(database, b, a, { to: "output.name" });
      const applying = await untilApplying(service, database, org, a);
      if (bytes) world.deps.stored.set("analysis", bytes);
      await database.sql`insert into artifacts (run_id, kind, object_key, size, sha256)
        values (${applying.runId}, 'analysis', 'analysis', 4, ${"ab".repeat(32)})`;
      await finishApply(service, applying);
      await resolveAll(world.deps, applying.deploymentId);
      expect(await children(database, b)).toHaveLength(1);
    },
  );

  test("that failed triggers nothing, and its retry each dependent once", async ({ database, service, org, world }) => {
    const [a, b] = [await world.stack(), await world.stack()];
    await dependsOn(database, b, a);
    const failed = await untilApplying(service, database, org, a);
    await reportDone(service, failed.runId, failed.runnerId, { status: "failure" });
    expect(world.started()).toEqual([]);
    expect(await resolveDependents(world.deps, failed.deploymentId)).toEqual({ open: 0, nextMs: null });
    expect(await children(database, b)).toEqual([]);
    const retry = await world.apply(a);
    await resolveAll(world.deps, retry);
    await resolveAll(world.deps, retry);
    expect((await children(database, b)).map(({ parent }) => parent)).toEqual([retry]);
  });

  test("of a destroy triggers nothing, and says so", async ({ database, service, world }) => {
    const [a, b] = [await world.stack(), await world.stack()];
    await dependsOn(database, b, a);
    const destroy = await create(service, a, { mode: "destroy" });
    const plan = await world.applyPendingPlan(destroy);
    await decide(service, database, destroy, "confirm", { action: "apply" });
    await finishApply(service, await world.claimApply(destroy, plan));
    await resolveAll(world.deps, destroy);
    expect(await snapshotRow(database, destroy, b)).toMatchObject({ skipped_reason: "parent_destroyed" });
    expect(await children(database, b)).toEqual([]);
  });

  test("that was to be cancelled and succeeded all the same triggers its dependents", async ({
    database,
    service,
    org,
    world,
  }) => {
    const [a, b] = [await world.stack(), await world.stack()];
    await dependsOn(database, b, a);
    const applying = await untilApplying(service, database, org, a);
    await decide(service, database, applying.deploymentId, "cancel");
    await finishApply(service, applying);
    await resolveAll(world.deps, applying.deploymentId);
    expect(await children(database, b)).toHaveLength(1);
  });
});
