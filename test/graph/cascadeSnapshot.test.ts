/**
 * The snapshot of an apply's dependents: what it says, and how long it is kept
 * (docs/rules/graph.md#a-cascade-begins-with-an-apply).
 */
import { describe, expect } from "vitest";
import { retire } from "../../src/core/retention/retire.ts";
import { deleteStack } from "../../src/core/stackLife/deleteStack.ts";
import { HostError } from "../../src/exchange/scm/host/errors.ts";
import { resolveDependents } from "../../src/graph/cascade/resolveDependents.ts";
import { defaultConfig } from "../../src/main/config/defaultConfig.ts";
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
import { ACTOR, makeOrg, makeStack, testService } from "../support/fixtures.ts";

describe("the snapshot", () => {
  test("is written once: what is edited, deleted or added afterwards changes nothing of it", async ({
    database,
    world,
  }) => {
    const [a, b, later] = [await world.stack(), await world.stack(), await world.stack()];
    await dependsOn(database, b, a);
    const parent = await world.apply(a);
    world.deps.head = async () => {
      throw new HostError("unavailable");
    };
    expect(await resolveDependents(world.deps, parent)).toMatchObject({ open: 1 });
    await database.sql`delete from dependency_edges where dependent_stack_key = ${b}`;
    await dependsOn(database, b, a, { trigger: "never" });
    await dependsOn(database, later, a);
    world.deps.head = async () => HEAD;
    await resolveAll(world.deps, parent);
    expect(await children(database, b)).toHaveLength(1);
    expect(await snapshotRow(database, parent, later)).toBeUndefined();
  });

  test("is of the moment the apply ended: what was made or declared since is left out", async ({ database, world }) => {
    const [a, b, declared] = [await world.stack(), await world.stack(), await world.stack()];
    await dependsOn(database, b, a, { to: "output.id" });
    const parent = await world.apply(a);
    const later = await world.stack();
    for (const dependent of [later, declared]) await dependsOn(database, dependent, a);
    await dependsOn(database, b, a, { to: "output.name", trigger: "manual" });
    await resolveAll(world.deps, parent);
    for (const dependent of [later, declared]) expect(await snapshotRow(database, parent, dependent)).toBeUndefined();
    expect(await children(database, b)).toHaveLength(1);
  });

  test("has those whose run declared it before the apply ended, though its analysis was read since", async ({
    database,
    org,
    world,
  }) => {
    const [a, known, late, after] = [
      await world.stack(),
      await world.stack(),
      await world.stack(),
      await world.stack(),
    ];
    await dependsOn(database, known, a);
    const ended = (key: string) => database.sql`
      insert into dependency_state (stack_key, org_id, run_id, run_completed_at)
      values (${key}, ${org.orgId}, uuidv7(), svc_now())`;
    await ended(late);
    const parent = await world.apply(a);
    await ended(after);
    await dependsOn(database, late, a);
    await dependsOn(database, late, a, { inferred: true, to: "aws_vpc.main" });
    await dependsOn(database, after, a);
    await resolveAll(world.deps, parent);
    for (const dependent of [known, late]) expect(await children(database, dependent)).toHaveLength(1);
    expect(await snapshotRow(database, parent, late)).toMatchObject({ evidence: "declared" });
    expect(await snapshotRow(database, parent, after)).toBeUndefined();
  });

  test("waits for what a run declared before the apply, though nobody had read it and nobody was known to depend", async ({
    database,
    org,
    world,
  }) => {
    const [a, late] = [await world.stack(), await world.stack()];
    const reading = (attempts: number) => database.sql`
      insert into org_tasks (org_id, kind, stack_key, attempts)
      values (${org.orgId}, 'dependency_graph_reconcile', ${late}, ${attempts})`;
    await database.sql`insert into dependency_state (stack_key, org_id, run_id, run_completed_at)
      values (${late}, ${org.orgId}, uuidv7(), svc_now())`;
    await reading(0);
    const parent = await world.apply(a);
    expect(await resolveDependents(world.deps, parent, 0)).toEqual({ open: 0, nextMs: 500, waitedMs: 500 });
    expect(await resolveDependents(world.deps, parent, 500)).toEqual({ open: 0, nextMs: 500, waitedMs: 1_000 });
    await dependsOn(database, late, a);
    await database.sql`delete from org_tasks where stack_key = ${late}`;
    expect(await resolveDependents(world.deps, parent, 1_000)).toMatchObject({ open: 0, nextMs: null });
    expect(await children(database, late)).toHaveLength(1);

    const resolved = async (id: string) => {
      const [row] = await database.sql`select dependents_resolved_at from deployments where id = ${id}`;
      return row?.dependents_resolved_at !== null;
    };
    const lonely = await world.stack();
    await reading(0);
    const patient = await world.apply(lonely);
    expect(await resolved(patient)).toBe(false);
    expect(await resolveDependents(world.deps, patient, 15_000)).toMatchObject({ nextMs: null });
    expect(await resolved(patient)).toBe(true);
    await database.sql`update org_tasks set due_at = svc_now() + interval '1 hour' where stack_key = ${late}`;
    expect(await resolved(await world.apply(lonely))).toBe(true);
    await database.sql`update org_tasks set due_at = svc_now(), attempts = 1 where stack_key = ${late}`;
    expect(await resolved(await world.apply(lonely))).toBe(true);
    await database.sql`delete from org_tasks where stack_key = ${late}`;
  });

  test("knows a dependent that was deleted and made again as another stack", async ({
    database,
    service,
    org,
    world,
  }) => {
    const [a, b] = [await world.stack(), await world.stack()];
    const [{ slug } = {}] = await database.sql`select slug from stacks where stack_key = ${b}`;
    await dependsOn(database, b, a);
    const parent = await world.apply(a);
    world.deps.head = async () => {
      await deleteStack(service, ACTOR as never, b, false);
      const again = await world.stack({ slug });
      await dependsOn(database, again, a);
      world.deps.head = async () => HEAD;
      return HEAD;
    };
    await resolveAll(world.deps, parent);
    expect(await snapshotRow(database, parent, b)).toMatchObject({
      trigger: "always",
      triggered_deployment_id: null,
      skipped_reason: "stack_deleted",
    });
    const all =
      await database.sql`select 1 from deployments where org_id = ${org.orgId} and origin_type = 'dependency'`;
    expect(all).toHaveLength(0);
    expect(await isResolved(database, parent)).toBe(true);
  });

  test("asks the repository a dependent has now, when it was moved between the look and the lock", async ({
    database,
    world,
  }) => {
    const [a, b] = [await world.stack(), await world.stack()];
    await dependsOn(database, b, a);
    const parent = await world.apply(a);
    const moved: string[] = [];
    world.deps.head = async (_url, branch) => {
      moved.push(branch);
      await database.sql`update stacks set branch = 'release' where stack_key = ${b}`;
      return branch === "release" ? { ...HEAD, sha: "aa".repeat(20) } : HEAD;
    };
    await resolveAll(world.deps, parent);
    expect(moved).toEqual(["main", "release"]);
    expect((await children(database, b))[0]?.commit_sha).toBe("aa".repeat(20));
  });
});

test("what dependents were given is kept as long as the parent's activity log, and until it is resolved", async () => {
  await using own = await freshDatabase();
  const service = testService(own);
  const deps = testCascade(service);
  const org = await makeOrg(own);
  const [a, b] = [await makeStack(own, org.orgId, { auto_approve_mode: "auto" }), await makeStack(own, org.orgId)];
  await dependsOn(own, b, a);
  const resolved = await applied(service, own, org, a);
  await resolveAll(deps, resolved);
  const open = await applied(service, own, org, a);
  deps.head = async () => {
    throw new HostError("unavailable");
  };
  await resolveDependents(deps, open);
  const keep = { ...defaultConfig().retention, deploymentEventsMs: 0 };
  await retire(own.db, { delete: async () => {} }, keep);
  expect(await snapshotRow(own, resolved, b)).toBeUndefined();
  expect(await snapshotRow(own, open, b)).toMatchObject({ trigger: "always", triggered_deployment_id: null });
  expect(await children(own, b)).toHaveLength(1);
});
