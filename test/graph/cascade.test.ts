/**
 * What follows from an apply: who is triggered, who is not and why, and never twice
 * (docs/rules/graph.md#a-cascade-begins-with-an-apply).
 */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { retryDeployment } from "../../src/core/deployments/retry.ts";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import { retire } from "../../src/core/retention/retire.ts";
import { deleteStack } from "../../src/core/stackLife/deleteStack.ts";
import { HostError } from "../../src/exchange/scm/host/errors.ts";
import { resolveDependents } from "../../src/graph/cascade/resolveDependents.ts";
import { triggerDependent } from "../../src/graph/cascade/triggerDependent.ts";
import { defaultConfig } from "../../src/main/config/defaultConfig.ts";
import { liveRows } from "../../src/orchestration/reconciler/liveRows.ts";
import { unitOfWork } from "../../src/work/unitOfWork.ts";
import { workflowIds } from "../../workflows/ids.ts";
import {
  applied,
  applyPending,
  children,
  dependsOn,
  finishApply,
  HEAD,
  isResolved,
  resolveAll,
  snapshotRow,
  type TestCascade,
  testCascade,
  untilApplying,
} from "../support/cascades.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import {
  ACTOR,
  claim,
  create,
  decide,
  makeOrg,
  makeStack,
  type TestOrg,
  type TestService,
  testService,
  uploadPlan,
} from "../support/fixtures.ts";

let database: TestDatabase;
let service: TestService;
let org: TestOrg;
let deps: TestCascade;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  service = testService(database);
  deps = testCascade(service);
  org = await makeOrg(database);
});

const stack = (settings: object = {}) => makeStack(database, org.orgId, { auto_approve_mode: "auto", ...settings });
const apply = (stackKey: string) => applied(service, database, org, stackKey);
const started = () => service.sent.filter(({ kind }) => kind === "startCascade");
const failedEvents = (orgId = org.orgId) =>
  database.sql`select deployment_id, data from domain_events where org_id = ${orgId} and name = 'dependent_trigger_failed'`;

describe("an apply", () => {
  it("that nothing depends on is resolved with its end, and starts nothing", async () => {
    const parent = await apply(await stack());
    expect(await isResolved(database, parent)).toBe(true);
    expect(started()).toEqual([]);
  });

  it("gives each always dependent a plan of its branch's head, and says where it came from", async () => {
    const [a, b] = [await stack(), await stack()];
    await dependsOn(database, b, a, { to: "output.id", from: "aws_subnet.a" });
    const parent = await apply(a);
    expect(started()).toEqual([
      { kind: "startCascade", orgId: org.orgId, stackKey: a, deploymentId: parent, mode: "plan", origin: "manual" },
    ]);
    expect(await isResolved(database, parent)).toBe(false);
    await resolveAll(deps, parent);
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

  it("leaves no dependent without a reason, and counts them", async () => {
    const counted: Record<string, number> = {};
    deps.count = (outcome, by) => {
      counted[outcome] = (counted[outcome] ?? 0) + by;
    };
    const a = await stack();
    const [always, manual, never, inferred] = [await stack(), await stack(), await stack(), await stack()];
    await dependsOn(database, always, a);
    await dependsOn(database, manual, a, { trigger: "manual" });
    await dependsOn(database, never, a, { trigger: "never" });
    await dependsOn(database, inferred, a, { inferred: true, to: "aws_vpc.main" });
    const parent = await apply(a);
    await resolveAll(deps, parent);
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

  it("asks what changed: only dependents of those parts follow", async () => {
    const [a, touched, untouched] = [await stack(), await stack(), await stack()];
    await dependsOn(database, touched, a, { to: "aws_vpc.main" });
    await dependsOn(database, untouched, a, { to: "output.name" });
    const applying = await untilApplying(service, database, org, a);
    const changes = { resources: ['aws_vpc.main["eu"]'], outputs: ["id"] };
    deps.stored.set("analysis", Buffer.from(JSON.stringify({ version: 1, changes })));
    // The apply's runner stored none, so its plan's counts.
    await database.sql`insert into artifacts (run_id, kind, object_key, size, sha256)
      values (${applying.planRunId}, 'analysis', 'analysis', 100, ${"ab".repeat(32)})`;
    await finishApply(service, applying);
    await resolveAll(deps, applying.deploymentId);
    expect(await children(database, touched)).toHaveLength(1);
    expect(await snapshotRow(database, applying.deploymentId, untouched)).toMatchObject({
      trigger: "always",
      skipped_reason: "not_affected",
    });
  });

  it.each([
    ["is no JSON", Buffer.from("{")],
    ["is gzip cut short", Buffer.from([0x1f, 0x8b, 8, 0])],
    ["is gone", undefined],
  ])("whose analysis %s counts as having changed everything", async (_, bytes) => {
    const [a, b] = [await stack(), await stack()];
    await dependsOn(database, b, a, { to: "output.name" });
    const applying = await untilApplying(service, database, org, a);
    if (bytes) deps.stored.set("analysis", bytes);
    await database.sql`insert into artifacts (run_id, kind, object_key, size, sha256)
      values (${applying.runId}, 'analysis', 'analysis', 4, ${"ab".repeat(32)})`;
    await finishApply(service, applying);
    await resolveAll(deps, applying.deploymentId);
    expect(await children(database, b)).toHaveLength(1);
  });

  it("that failed triggers nothing, and its retry each dependent once", async () => {
    const [a, b] = [await stack(), await stack()];
    await dependsOn(database, b, a);
    const failed = await untilApplying(service, database, org, a);
    await reportDone(service, failed.runId, failed.runnerId, { status: "failure" });
    expect(started()).toEqual([]);
    expect(await resolveDependents(deps, failed.deploymentId)).toEqual({ open: 0, nextMs: null });
    expect(await children(database, b)).toEqual([]);
    const retry = await apply(a);
    await resolveAll(deps, retry);
    await resolveAll(deps, retry);
    expect((await children(database, b)).map(({ parent }) => parent)).toEqual([retry]);
  });

  it("of a destroy triggers nothing, and says so", async () => {
    const [a, b] = [await stack(), await stack()];
    await dependsOn(database, b, a);
    const destroy = await create(service, a, { mode: "destroy" });
    const plan = await applyPendingPlan(destroy);
    await decide(service, database, destroy, "confirm", { action: "apply" });
    await finishApply(service, await claimApply(destroy, plan));
    await resolveAll(deps, destroy);
    expect(await snapshotRow(database, destroy, b)).toMatchObject({ skipped_reason: "parent_destroyed" });
    expect(await children(database, b)).toEqual([]);
  });

  it("that was to be cancelled and succeeded all the same triggers its dependents", async () => {
    const [a, b] = [await stack(), await stack()];
    await dependsOn(database, b, a);
    const applying = await untilApplying(service, database, org, a);
    await decide(service, database, applying.deploymentId, "cancel");
    await finishApply(service, applying);
    await resolveAll(deps, applying.deploymentId);
    expect(await children(database, b)).toHaveLength(1);
  });

  /** A plan by hand, since a destroy always waits for a person. */
  async function applyPendingPlan(deploymentId: string) {
    const plan = await claim(database, org, deploymentId);
    await acceptRun(service, plan.runId, plan.runnerId);
    await uploadPlan(database, plan.runId);
    await reportDone(service, plan.runId, plan.runnerId, { status: "success" });
    return plan;
  }
  async function claimApply(deploymentId: string, plan: { runId: string }) {
    const run = await claim(database, org, deploymentId);
    await acceptRun(service, run.runId, run.runnerId);
    return { deploymentId, planRunId: plan.runId, ...run };
  }
});

describe("a chain", () => {
  it("goes on from each apply, and not past what was skipped, cancelled or failed", async () => {
    const [a, b, c] = [await stack(), await stack(), await stack()];
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
      const parent = await apply(a);
      // Held, so that its child waits in the queue, where it can be skipped.
      if (status === "skipped")
        await database.sql`update stacks set held_at = svc_now(), held_by = 'x' where stack_key = ${b}`;
      await resolveAll(deps, parent);
      const child = (await children(database, b)).at(-1)?.id as string;
      await end(child);
      await database.sql`update stacks set held_at = null, held_by = null where stack_key = ${b}`;
      expect((await children(database, b)).at(-1)?.status).toBe(status);
      expect(await isResolved(database, parent)).toBe(true);
      expect(await resolveDependents(deps, child)).toEqual({ open: 0, nextMs: null });
      expect(await children(database, c)).toEqual([]);
    }
    const parent = await apply(a);
    await resolveAll(deps, parent);
    const middle = (await children(database, b)).at(-1)?.id as string;
    await finishApply(service, await applyPending(service, database, org, middle));
    await resolveAll(deps, middle);
    expect(await children(database, c)).toMatchObject([{ parent: middle, path: [a, b] }]);
  });

  it("of a diamond gives the bottom one child for each parent that applied", async () => {
    const [top, left, right, bottom] = [await stack(), await stack(), await stack(), await stack()];
    for (const side of [left, right]) {
      await dependsOn(database, side, top);
      await dependsOn(database, bottom, side);
    }
    await resolveAll(deps, await apply(top));
    const sides = [];
    for (const side of [left, right]) {
      const child = (await children(database, side))[0]?.id as string;
      await finishApply(service, await applyPending(service, database, org, child));
      await resolveAll(deps, child);
      sides.push(child);
    }
    expect((await children(database, bottom)).map(({ parent, status }) => ({ parent, status }))).toEqual([
      { parent: sides[0], status: "pending" },
      { parent: sides[1], status: "queued" },
    ]);
  });

  it("that comes round to where it began waits for a person there, also when the cycle was closed meanwhile", async () => {
    const [a, b] = [await stack(), await stack()];
    await dependsOn(database, b, a);
    const parent = await apply(a);
    await resolveAll(deps, parent);
    await dependsOn(database, a, b);
    const child = (await children(database, b))[0]?.id as string;
    await finishApply(service, await applyPending(service, database, org, child));
    await resolveAll(deps, child);
    expect(await snapshotRow(database, child, a)).toMatchObject({ trigger: "manual", demotion_reason: "on_cycle" });
    expect(await children(database, a)).toEqual([]);
    const again = await apply(a);
    await resolveAll(deps, again);
    expect(await snapshotRow(database, again, b)).toMatchObject({ trigger: "manual", demotion_reason: "on_cycle" });
    expect(await children(database, b)).toHaveLength(1);
  });
});

describe("the snapshot", () => {
  it("is written once: what is edited, deleted or added afterwards changes nothing of it", async () => {
    const [a, b, later] = [await stack(), await stack(), await stack()];
    await dependsOn(database, b, a);
    const parent = await apply(a);
    deps.head = async () => {
      throw new HostError("unavailable");
    };
    expect(await resolveDependents(deps, parent)).toMatchObject({ open: 1 });
    await database.sql`delete from dependency_edges where dependent_stack_key = ${b}`;
    await dependsOn(database, b, a, { trigger: "never" });
    await dependsOn(database, later, a);
    deps.head = async () => HEAD;
    await resolveAll(deps, parent);
    expect(await children(database, b)).toHaveLength(1);
    expect(await snapshotRow(database, parent, later)).toBeUndefined();
  });

  it("is of the moment the apply ended: what was made or declared since is left out", async () => {
    const [a, b, declared] = [await stack(), await stack(), await stack()];
    await dependsOn(database, b, a, { to: "output.id" });
    const parent = await apply(a);
    const later = await stack();
    for (const dependent of [later, declared]) await dependsOn(database, dependent, a);
    await dependsOn(database, b, a, { to: "output.name", trigger: "manual" });
    await resolveAll(deps, parent);
    for (const dependent of [later, declared]) expect(await snapshotRow(database, parent, dependent)).toBeUndefined();
    expect(await children(database, b)).toHaveLength(1);
  });

  it("has those whose run declared it before the apply ended, though its analysis was read since", async () => {
    const [a, known, late, after] = [await stack(), await stack(), await stack(), await stack()];
    await dependsOn(database, known, a);
    const ended = (key: string) => database.sql`
      insert into dependency_state (stack_key, org_id, run_id, run_completed_at)
      values (${key}, ${org.orgId}, uuidv7(), svc_now())`;
    await ended(late);
    const parent = await apply(a);
    await ended(after);
    await dependsOn(database, late, a);
    await dependsOn(database, late, a, { inferred: true, to: "aws_vpc.main" });
    await dependsOn(database, after, a);
    await resolveAll(deps, parent);
    for (const dependent of [known, late]) expect(await children(database, dependent)).toHaveLength(1);
    expect(await snapshotRow(database, parent, late)).toMatchObject({ evidence: "declared" });
    expect(await snapshotRow(database, parent, after)).toBeUndefined();
  });

  it("waits for what a run declared before the apply, though nobody had read it and nobody was known to depend", async () => {
    const [a, late] = [await stack(), await stack()];
    const reading = (attempts: number) => database.sql`
      insert into org_tasks (org_id, kind, stack_key, attempts)
      values (${org.orgId}, 'dependency_graph_reconcile', ${late}, ${attempts})`;
    await database.sql`insert into dependency_state (stack_key, org_id, run_id, run_completed_at)
      values (${late}, ${org.orgId}, uuidv7(), svc_now())`;
    await reading(0);
    const parent = await apply(a);
    expect(await resolveDependents(deps, parent, 0)).toEqual({ open: 0, nextMs: 500, waitedMs: 500 });
    expect(await resolveDependents(deps, parent, 500)).toEqual({ open: 0, nextMs: 500, waitedMs: 1_000 });
    await dependsOn(database, late, a);
    await database.sql`delete from org_tasks where stack_key = ${late}`;
    expect(await resolveDependents(deps, parent, 1_000)).toMatchObject({ open: 0, nextMs: null });
    expect(await children(database, late)).toHaveLength(1);

    const resolved = async (id: string) => {
      const [row] = await database.sql`select dependents_resolved_at from deployments where id = ${id}`;
      return row?.dependents_resolved_at !== null;
    };
    const lonely = await stack();
    await reading(0);
    const patient = await apply(lonely);
    expect(await resolved(patient)).toBe(false);
    expect(await resolveDependents(deps, patient, 15_000)).toMatchObject({ nextMs: null });
    expect(await resolved(patient)).toBe(true);
    await database.sql`update org_tasks set due_at = svc_now() + interval '1 hour' where stack_key = ${late}`;
    expect(await resolved(await apply(lonely))).toBe(true);
    await database.sql`update org_tasks set due_at = svc_now(), attempts = 1 where stack_key = ${late}`;
    expect(await resolved(await apply(lonely))).toBe(true);
    await database.sql`delete from org_tasks where stack_key = ${late}`;
  });

  it("knows a dependent that was deleted and made again as another stack", async () => {
    const [a, b] = [await stack(), await stack()];
    const [{ slug } = {}] = await database.sql`select slug from stacks where stack_key = ${b}`;
    await dependsOn(database, b, a);
    const parent = await apply(a);
    deps.head = async () => {
      await deleteStack(service, ACTOR as never, b, false);
      const again = await stack({ slug });
      await dependsOn(database, again, a);
      deps.head = async () => HEAD;
      return HEAD;
    };
    await resolveAll(deps, parent);
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

  it("asks the repository a dependent has now, when it was moved between the look and the lock", async () => {
    const [a, b] = [await stack(), await stack()];
    await dependsOn(database, b, a);
    const parent = await apply(a);
    const moved: string[] = [];
    deps.head = async (_url, branch) => {
      moved.push(branch);
      await database.sql`update stacks set branch = 'release' where stack_key = ${b}`;
      return branch === "release" ? { ...HEAD, sha: "aa".repeat(20) } : HEAD;
    };
    await resolveAll(deps, parent);
    expect(moved).toEqual(["main", "release"]);
    expect((await children(database, b))[0]?.commit_sha).toBe("aa".repeat(20));
  });
});

describe("a dependent that cannot be triggered", () => {
  it("is tried again, then has its error, and one problem is announced once", async () => {
    const a = await stack();
    const place = { repository_url: "https://git.example/gone.git" };
    const [b, c, fine] = [await stack(place), await stack(place), await stack()];
    for (const dependent of [b, c, fine]) await dependsOn(database, dependent, a);
    const parent = await apply(a);
    deps.head = async (url) => {
      if (url.includes("gone")) throw new HostError("unavailable", 502);
      return HEAD;
    };
    await resolveAll(deps, parent);
    expect(await children(database, fine)).toHaveLength(1);
    for (const dependent of [b, c]) {
      expect(await snapshotRow(database, parent, dependent)).toMatchObject({
        triggered_deployment_id: null,
        error: expect.stringContaining("could not be read"),
        attempts: 3,
      });
    }
    // Three times for both, together where they are due together; once for the third.
    expect(deps.asked).toBeGreaterThanOrEqual(4);
    expect(deps.asked).toBeLessThanOrEqual(7);
    expect(await failedEvents()).toEqual([
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

  it("is not tried again where that is no use: its branch does not exist", async () => {
    const [a, b] = [await stack(), await stack()];
    await dependsOn(database, b, a);
    const parent = await apply(a);
    deps.head = async () => null;
    await resolveAll(deps, parent);
    expect(deps.asked).toBe(1);
    expect(await snapshotRow(database, parent, b)).toMatchObject({
      error: expect.stringContaining("branch"),
      attempts: 1,
    });
    expect(await failedEvents()).toHaveLength(1);
  });

  it("for a reason that nobody foresaw is told with the apply and the dependent, and its row says no more than that", async () => {
    const [a, b] = [await stack(), await stack()];
    await dependsOn(database, b, a);
    const parent = await apply(a);
    const told: unknown[] = [];
    deps.onUnexpected = (error, about) => told.push([(error as Error).message, about]);
    deps.head = async () => {
      throw new Error("https://user:secret@git.example");
    };
    await resolveAll(deps, parent);
    const about = { orgId: org.orgId, deploymentId: parent, stackKey: b };
    expect(told).toEqual(Array(3).fill(["https://user:secret@git.example", about]));
    expect(await snapshotRow(database, parent, b)).toMatchObject({ error: "internal error", attempts: 3 });
  });

  it("comes through when its host is back in time", async () => {
    const [a, b] = [await stack(), await stack()];
    await dependsOn(database, b, a);
    const parent = await apply(a);
    let tries = 0;
    deps.head = async () => {
      if (++tries < 3) throw new HostError("rate_limited", 429, 20);
      return HEAD;
    };
    const first = await resolveDependents(deps, parent);
    expect(first.told).toMatchObject({ triggered: 0, failed: 0, putOff: 1 });
    expect(await snapshotRow(database, parent, b)).toMatchObject({
      error: null,
      attempts: 1,
      last_failure: expect.stringContaining("could not be read"),
    });
    await resolveAll(deps, parent);
    expect((await resolveDependents(deps, parent)).told).toMatchObject({ triggered: 1, putOff: 0 });
    expect(await children(database, b)).toHaveLength(1);
    expect(await failedEvents()).toEqual([]);
  });
});

describe("races", () => {
  it("two parents end in the same moment, 200 rounds: one child for each, none lost, none double", async () => {
    const [a, b, x] = [await stack(), await stack(), await stack()];
    await dependsOn(database, x, a);
    await dependsOn(database, x, b);
    const parents: string[] = [];
    for (let round = 0; round < 200; round++) {
      const both = await Promise.all([a, b].map((key) => untilApplying(service, database, org, key)));
      await Promise.all(both.map((applying) => finishApply(service, applying)));
      // Each twice at once, as after a worker that was cut off and goes on all the same.
      await Promise.all([...both, ...both].map(({ deploymentId }) => resolveAll(deps, deploymentId)));
      parents.push(...both.map(({ deploymentId }) => deploymentId));
    }
    const made = await children(database, x);
    expect(made.map(({ parent }) => parent).sort()).toEqual(parents.sort());
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set(["pending", "queued"]));
    expect(made.filter(({ status }) => status === "pending")).toHaveLength(1);
  }, 240_000);

  it("the button and the cascade want the same dependent, 50 rounds: it gets one child", async () => {
    const [a, b] = [await stack(), await stack()];
    await dependsOn(database, b, a);
    const [source] =
      await database.sql`select stack_key, org_id, repository_url, branch from stacks where stack_key = ${b}`;
    for (let round = 0; round < 50; round++) {
      const parent = await apply(a);
      // The snapshot is there, and its dependent still open.
      deps.head = async () => {
        throw new HostError("unavailable");
      };
      await resolveDependents(deps, parent);
      deps.head = async () => HEAD;
      const press = () =>
        unitOfWork(service, (work) =>
          triggerDependent(work, {
            parent: { id: parent, stack_key: a, path: [] },
            dependent: source as never,
            commit: HEAD,
            actor: ACTOR,
          }),
        );
      const [first, second] = await Promise.all([press(), press(), resolveAll(deps, parent)]);
      const outcomes = [first.outcome, second.outcome].filter((outcome) => outcome === "triggered");
      expect(outcomes.length).toBeLessThanOrEqual(1);
      expect((await children(database, b)).filter((child) => child.parent === parent)).toHaveLength(1);
      expect(await isResolved(database, parent)).toBe(true);
    }
  }, 120_000);

  it("many steps of one cascade at once trigger each of 60 dependents once", async () => {
    const a = await stack();
    const dependents = await Promise.all(Array.from({ length: 60 }, () => stack()));
    for (const dependent of dependents) await dependsOn(database, dependent, a);
    const parent = await apply(a);
    await Promise.all(Array.from({ length: 5 }, () => resolveAll(deps, parent)));
    const [{ n } = {}] = await database.sql`
      select count(*)::int as n from deployments where origin_dependency_deployment_id = ${parent}`;
    expect(n).toBe(60);
    expect(await isResolved(database, parent)).toBe(true);
  });
});

it("a retry of a child says where the child came from", async () => {
  const [a, b] = [await stack(), await stack()];
  await dependsOn(database, b, a);
  const parent = await apply(a);
  await resolveAll(deps, parent);
  const child = (await children(database, b))[0]?.id as string;
  await decide(service, database, child, "cancel");
  await database.sql`update deployments set created_at = created_at - interval '1 minute' where id = ${child}`;
  const principal = { ...ACTOR, orgId: org.orgId, credential: { kind: "session", sessionId: randomUUID() } } as never;
  await retryDeployment(service, {} as never, principal, { id: child, stackKey: b }, null);
  expect((await children(database, b)).at(-1)).toMatchObject({ parent, path: [a], status: "pending" });
});

it("what dependents were given is kept as long as the parent's activity log, and until it is resolved", async () => {
  await using own = await freshDatabase();
  service = testService(own);
  deps = testCascade(service);
  org = await makeOrg(own);
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

it("tells the reconciler which cascades are late: those whose due dependents nobody works on", async () => {
  await using own = await freshDatabase();
  service = testService(own);
  deps = testCascade(service);
  org = await makeOrg(own);
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
