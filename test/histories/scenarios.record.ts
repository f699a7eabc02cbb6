/**
 * Records a history of every path a workflow can take, on the real server, into the next numbered folder. Run it after
 * workflow code has changed (`npm run histories`) and commit the folder: `replay.test.ts` replays all of them for ever,
 * so that workflows begun by an older version go on under a newer one.
 */
import { randomUUID } from "node:crypto";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { cascadeActivities } from "../../activities/cascades.ts";
import { jobActivities } from "../../activities/jobs.ts";
import { policyActivities } from "../../activities/policies.ts";
import { previewActivities } from "../../activities/previews.ts";
import { scmEventActivities } from "../../activities/scmEvents.ts";
import { driftActivities } from "../../activities/drift.ts";
import { scheduleActivities } from "../../activities/schedules.ts";
import { taskActivities } from "../../activities/tasks.ts";
import { evaluateAgain } from "../../src/core/policies/decide.ts";
import { unitOfWork } from "../../src/work/unitOfWork.ts";
import { startTemporal, type TemporalDevServer } from "../../src/main/dev/temporal.ts";
import { syncPullRequests } from "../../src/core/pullRequests/sync.ts";
import type { RetryPolicy } from "../../src/platform/time/pause.ts";
import { HostError } from "../../src/exchange/scm/host/errors.ts";
import { addEvents, branchKey, type NewEvent } from "../../src/exchange/scm/inbox.ts";
import { enqueueTask } from "../../src/work/tasks/enqueue.ts";
import type { KindOfWork } from "../../src/graph/tasks/kinds.ts";
import { cascadeStart, deploymentStart, leaseStart, notificationStart, previewStart } from "../../src/orchestration/temporal/starts.ts";
import { ensureNamespace } from "../../src/orchestration/temporal/namespace.ts";
import { reconcile } from "../../src/orchestration/reconciler/reconcile.ts";
import { STATE_QUERY, TASK_QUEUES } from "../../workflows/contract.ts";
import { taskKey, workflowIds } from "../../workflows/ids.ts";
import { applied, dependsOn, HEAD, type TestCascade, testCascade } from "../support/cascades.ts";
import { approvalWorld } from "../support/approvalsTest.ts";
import { openCore, type TestCore } from "../support/core.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { create, makeOrg, makeStack, type TestOrg } from "../support/fixtures.ts";
import { driftWorld, refreshed } from "../support/driftTest.ts";
import { schedulesWorld } from "../support/schedulesTest.ts";
import { historyToJson } from "../support/histories.ts";
import { accept, deploymentSees, doneApply, donePlan, leaseSees, poll, untilWaiting } from "../support/lifecycle.ts";
import {
  type PublishedHost,
  previewWorkflow,
  publishedHost,
  pullRequest,
  REPOSITORY,
  sha,
  statedHost,
} from "../support/pullRequests.ts";
import { policyWorld } from "../support/policyTest.ts";
import { NotificationTarget } from "../support/notificationTarget.ts";
import { makeNotifier, startNotifier, tellEvent } from "../support/notifications.ts";
import { hostStack, makeIntegration, testHosts } from "../support/scm.ts";
import { ScriptedHost } from "../support/scriptedHost.ts";
import { testTaskDeps } from "../support/tasks.ts";
import { connectTo, type TestTemporal } from "../support/temporal.ts";
import { waitFor } from "../support/waitFor.ts";

/** Continue-as-new is suggested at this many events instead of after thousands. */
const SUGGESTED_AT = 40;
const ABSENT = "00000000-0000-7000-8000-00000000abad";

let database: TestDatabase;
let server: TemporalDevServer;
let temporal: TestTemporal;
let org: TestOrg;
let folder: string;

beforeAll(async () => {
  [database, server] = await Promise.all([
    freshDatabase(),
    startTemporal({ ui: false, dynamicConfig: { "limit.historyCount.suggestContinueAsNew": SUGGESTED_AT } }),
  ]);
  temporal = await connectTo(server.address, server.namespace);
  await ensureNamespace({ sdk: temporal.client });
  org = await makeOrg(database);
  folder = await nextFolder();
});
afterAll(async () => {
  await temporal.close();
  await server.stop();
  await database.close();
});

async function nextFolder(): Promise<string> {
  const numbers = (await readdir(import.meta.dirname)).filter((name) => /^\d{3}$/.test(name)).map(Number);
  const next = join(import.meta.dirname, String(Math.max(0, ...numbers) + 1).padStart(3, "0"));
  await rm(next, { recursive: true, force: true });
  await mkdir(next);
  return next;
}

/** Store a workflow's history under `name`, without what tells the machine it was made on. */
async function store(name: string, workflowId: string, runId?: string): Promise<void> {
  const history = await temporal.client.workflow.getHandle(workflowId, runId).fetchHistory();
  const json = JSON.parse(JSON.stringify(historyToJson(history)), (key, value: unknown) => {
    if (key === "identity" || key === "workerIdentity") return "worker";
    if (key === "taskQueue" && (value as { kind?: string }).kind === "TASK_QUEUE_KIND_STICKY") return { ...(value as object), name: "sticky" };
    return key === "stackTrace" ? "" : value;
  });
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify(json, null, 1)}\n`);
}

async function ended(workflowId: string): Promise<void> {
  await waitFor(async () => (await temporal.client.workflow.getHandle(workflowId).describe()).status.name !== "RUNNING", {
    what: `${workflowId} to end`,
    timeoutMs: 60_000,
  });
}

async function withCore(timeouts: Record<string, number>, body: (core: TestCore) => Promise<void>, wrap?: Parameters<TestCore["startWorker"]>[0]): Promise<void> {
  await using core = openCore(database, temporal, timeouts);
  const worker = await core.startWorker(wrap);
  try {
    await body(core);
  } finally {
    await worker.stop();
  }
}

const subject = (deploymentId: string) => ({ orgId: org.orgId, stackKey: ABSENT, deploymentId, mode: "plan", origin: "manual" });
const apply = { args: { action: "apply" } };

describe("deployment", () => {
  it("plan, confirm, apply, with a lease that outlives its assignment", async () => {
    await withCore({ assignmentMs: 1_000 }, async (core) => {
      const id = await create(core.service, await makeStack(database, org.orgId));
      const plan = await poll(core, org);
      await leaseSees(core, plan.runId, "assigned");
      await accept(core, plan);
      await leaseSees(core, plan.runId, "running");
      await donePlan(core, database, plan);
      await deploymentSees(core, id, "waiting");
      await core.decide(id, "confirm", apply);
      const applied = await poll(core, org);
      await accept(core, applied);
      await leaseSees(core, applied.runId, "running");
      await doneApply(core, applied);
      for (const workflowId of [workflowIds.deployment(id), workflowIds.lease(plan.runId), workflowIds.lease(applied.runId)]) await ended(workflowId);
      await store("deployment-plan-confirm-apply", workflowIds.deployment(id));
      await store("lease-outlives-assignment", workflowIds.lease(plan.runId));
      await store("lease-apply", workflowIds.lease(applied.runId));
    });
  });

  it("is looked at by policies, denied, looked at again, reviewed and applied by itself", async () => {
    await withCore({}, async (core) => {
      const [orgOfPolicies, reviewer] = [await makeOrg(database), randomUUID()];
      const policies = policyWorld(database, core.service, orgOfPolicies);
      const activities = policyActivities({ service: core.service, objects: policies.objects });
      const evaluator = await temporal.startWorker({ taskQueue: TASK_QUEUES.tasks, activities });
      const { sql } = database;
      const policy = await policies.policy();
      const stackKey = await makeStack(database, orgOfPolicies.orgId, { auto_approve_mode: "auto" });
      const id = await create(core.service, stackKey, { actor: null });
      await policies.plan(id);
      await waitFor(async () => (await policies.gates(id))[0]?.code === "policy_denied", { what: "the denial" });
      await core.decide(id, "confirm", apply);
      const attention = [{ types: [], count: 1, from: [], reason: "look" }];
      await sql`update policy_versions set rules = ${sql.json({ protected_types: [], max_destroys: null, windows: null, attention })} where policy_id = ${policy}`;
      const by = { kind: "user", id: reviewer, orgId: orgOfPolicies.orgId, tokenId: null } as never;
      await evaluateAgain(core.service, by, { orgId: orgOfPolicies.orgId, deploymentId: id });
      await waitFor(async () => (await policies.gates(id)).length === 0, { what: "the second look" });
      const people = approvalWorld(database, core.service as never, orgOfPolicies);
      const ada = await people.person({ roles: [await people.role("read", "review")] });
      const [plan] = await sql`select id from runs where deployment_id = ${id} and kind = 'plan_run'`;
      // Whose word does not count, and whose does.
      await core.decide(id, "review", { args: { verdict: "approve", plan_run_id: plan?.id } });
      await people.approve(id, plan?.id, ada);
      await waitFor(async () => (await policies.status(id)) === "applying", { what: "the apply" });
      await core.decide(id, "cancel");
      await ended(workflowIds.deployment(id));
      await store("deployment-policies-and-review", workflowIds.deployment(id));
      await evaluator.stop();
    });
  });

  it("waits in the queue, is prioritized, promoted and cancelled while it runs", async () => {
    await withCore({}, async (core) => {
      const stackKey = await makeStack(database, org.orgId);
      const first = await create(core.service, stackKey);
      const second = await create(core.service, stackKey);
      await deploymentSees(core, second, "queued");
      await core.decide(second, "prioritize");
      await core.decide(second, "deprioritize");
      await core.decide(first, "cancel");
      await deploymentSees(core, second, "pending");
      const run = await poll(core, org);
      await accept(core, run);
      await leaseSees(core, run.runId, "running");
      await core.decide(second, "cancel");
      await leaseSees(core, run.runId, "requested_cancellation");
      await core.decide(second, "cancel", { args: { force: true as never } });
      await ended(workflowIds.deployment(second));
      await ended(workflowIds.lease(run.runId));
      await store("deployment-cancelled-at-once", workflowIds.deployment(first));
      await store("deployment-queued-then-cancelled", workflowIds.deployment(second));
      await store("lease-cancelled", workflowIds.lease(run.runId));
    });
  });

  it("is skipped by its confirmation timeout, after a policy change", async () => {
    await withCore({}, async (core) => {
      const stackKey = await makeStack(database, org.orgId);
      const id = await create(core.service, stackKey);
      await untilWaiting(core, database, org);
      await deploymentSees(core, id, "waiting");
      await database.sql`update stacks set confirmation_timeout_ms = 2000 where stack_key = ${stackKey}`;
      await core.temporal.signal(workflowIds.deployment(id), "policyChanged");
      await ended(workflowIds.deployment(id));
      await store("deployment-confirmation-timeout", workflowIds.deployment(id));
    });
  });

  it("fails at its startup deadline; its row is gone", async () => {
    await withCore({ startupDeadlineMs: 800 }, async (core) => {
      const id = await create(core.service, await makeStack(database, org.orgId));
      await ended(workflowIds.deployment(id));
      await store("deployment-startup-timeout", workflowIds.deployment(id));
      await core.temporal.start(deploymentStart(subject(ABSENT)));
      await core.temporal.start(leaseStart(ABSENT, subject(ABSENT)));
      await ended(workflowIds.deployment(ABSENT));
      await ended(workflowIds.lease(ABSENT));
      await store("deployment-absent", workflowIds.deployment(ABSENT));
      await store("lease-absent", workflowIds.lease(ABSENT));
    });
  });

  it("answers many decisions at once, whose activities overlap", async () => {
    await withCore({}, async (core) => {
      const id = await create(core.service, await makeStack(database, org.orgId));
      await untilWaiting(core, database, org);
      await deploymentSees(core, id, "waiting");
      await Promise.all([
        ...Array.from({ length: 3 }, () => core.decide(id, "confirm", apply)),
        ...Array.from({ length: 3 }, () => core.temporal.signal(workflowIds.deployment(id), "reread")),
      ]);
      await Promise.all([core.decide(id, "skip"), core.decide(id, "cancel"), core.decide(id, "confirmPreview")]);
      await ended(workflowIds.deployment(id));
      await store("deployment-decisions-at-once", workflowIds.deployment(id));
    });
  });

  it("carries decisions about many of its stack: woken for it, awake and ended by it, and going on after it", async () => {
    await withCore({}, async (core) => {
      const queue = async () => {
        const stackKey = await makeStack(database, org.orgId);
        const ids: string[] = [];
        for (let i = 0; i < 4; i++) ids.push(await create(core.service, stackKey));
        return ids as [string, string, string, string];
      };
      const [sleeper, ...others] = await queue();
      await core.decideMany(others, "cancel");
      await ended(workflowIds.deployment(others[0]));
      await store("deployment-many-while-asleep", workflowIds.deployment(others[0]));
      await core.decide(sleeper, "cancel");
      const [waiting, ...behind] = await queue();
      await untilWaiting(core, database, org);
      await deploymentSees(core, waiting, "waiting");
      await core.decideMany([...behind, waiting], "skip");
      await ended(workflowIds.deployment(waiting));
      await store("deployment-many-with-itself", workflowIds.deployment(waiting));
      const [running, ...queued] = await queue();
      const run = await poll(core, org);
      await accept(core, run);
      await Promise.all([core.decideMany([running, ...queued], "cancel"), core.decide(running, "deprioritize")]);
      await deploymentSees(core, running, "requested_cancellation");
      await core.decide(running, "cancel", { args: { force: true as never } });
      await ended(workflowIds.deployment(running));
      await store("deployment-many-and-on", workflowIds.deployment(running));
    });
  });

  it("falls back to regular activities while the database is away, for reads, deadlines and decisions", async () => {
    const away = new Map<string, number>();
    const flaky = <A extends unknown[], R>(name: string, activity: (...args: A) => Promise<R>) => async (...args: A) => {
      const tries = (away.get(name) ?? 0) + 1;
      away.set(name, tries);
      // Three local tries and one regular one.
      if (tries <= 4) throw Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
      return activity(...args);
    };
    await withCore(
      {},
      async (core) => {
        const stackKey = await makeStack(database, org.orgId, { confirmation_timeout_ms: 6_000 });
        const id = await create(core.service, stackKey);
        // It holds the lane, so that this is a conflict, and it goes on.
        await core.decideMany([id], "skip");
        await untilWaiting(core, database, org);
        await deploymentSees(core, id, "waiting");
        await core.decide(id, "prioritize");
        await ended(workflowIds.deployment(id));
        await store("deployment-database-away", workflowIds.deployment(id));
      },
      {
        wrap: (a) => ({
          ...a,
          readDeployment: flaky("readDeployment", a.readDeployment),
          decide: flaky("decide", a.decide),
          decideMany: flaky("decideMany", a.decideMany),
          deploymentDeadline: flaky("deploymentDeadline", a.deploymentDeadline),
        }),
      },
    );
  });

  it("continues as new when its history grows", async () => {
    await withCore({}, async (core) => {
      const id = await create(core.service, await makeStack(database, org.orgId));
      await deploymentSees(core, id, "pending");
      const workflowId = workflowIds.deployment(id);
      const first = (await core.temporal.describe(workflowId))?.runId;
      for (let i = 0; i < SUGGESTED_AT; i++) await core.temporal.signal(workflowId, "reread");
      await waitFor(async () => (await core.temporal.describe(workflowId))?.runId !== first, { what: "a new run" });
      await core.decide(id, "cancel");
      await ended(workflowId);
      await store("deployment-continued-as-new", workflowId, first);
      await store("deployment-continued", workflowId);
    });
  });
});

describe("runLease", () => {
  it("lapses and is handed back; claimed again it watches on", async () => {
    await withCore({ assignmentMs: 800 }, async (core) => {
      const id = await create(core.service, await makeStack(database, org.orgId));
      const { runId } = await poll(core, org);
      await ended(workflowIds.lease(runId));
      await store("lease-lapsed", workflowIds.lease(runId));
      await poll(core, org);
      await core.decide(id, "cancel");
      await ended(workflowIds.lease(runId));
      await store("lease-cancelled-before-accept", workflowIds.lease(runId));
    });
  });

  it("ends a run whose runner is silent, and one that takes too long", async () => {
    await withCore({ executionMs: 800 }, async (core) => {
      await create(core.service, await makeStack(database, org.orgId));
      const run = await poll(core, org);
      await accept(core, run);
      await ended(workflowIds.lease(run.runId));
      await store("lease-silent-runner", workflowIds.lease(run.runId));
    });
    await withCore({ maxRunDurationMs: 800 }, async (core) => {
      await create(core.service, await makeStack(database, org.orgId));
      const run = await poll(core, org);
      await accept(core, run);
      await ended(workflowIds.lease(run.runId));
      await store("lease-too-long", workflowIds.lease(run.runId));
    });
  });
});

describe("what arrives about a branch", () => {
  it("is worked through, and given up when its host stays away", async () => {
    const host = await ScriptedHost.start();
    const hosts = testHosts();
    const integration = await makeIntegration(database, hosts.keyring, org.orgId, host);
    await withCore({}, async (core) => {
      const worker = await temporal.startWorker({
        taskQueue: "scm",
        activities: scmEventActivities({
          service: core.service,
          hosts: hosts.hosts,
          policy: { maxAttempts: 2, firstPauseMs: 200 },
        }),
      });
      const before = await host.commit({ "network/main.tf": "1" });
      await hostStack(database, org.orgId, host, { working_directory: "network" });
      const id = workflowIds.scmEvent(branchKey(integration.id, host.repositoryKey, "main"));
      const push = async (becomes: string) => {
        const after = await host.commit({ "network/main.tf": randomUUID() });
        const at = { orgId: org.orgId, integrationId: integration.id, repositoryKey: host.repositoryKey };
        const event = { kind: "push_branch_changed", branch: "main", prNumber: null, before, after } as const;
        const [row] = await unitOfWork(core.service, (work) =>
          addEvents(work, at, [{ externalId: randomUUID(), ...event } as NewEvent]),
        );
        const became = () => database.sql`select 1 from scm_events where id = ${row as string} and status = ${becomes}`;
        await waitFor(async () => (await became()).length === 1, { what: `the event to be ${becomes}`, timeoutMs: 20_000 });
        await ended(id);
      };
      await push("processed");
      await store("scm-processed", id);
      host.script = ({ path }) => (path.includes("/branches/") ? { status: 502 } : undefined);
      await push("dead");
      await store("scm-dead", id);
      await worker.stop();
    });
    await hosts.egress.close();
    await host.stop();
  });
});

describe("checks for drift", () => {
  it("begins a check, reads its end, and ends when no stack is checked; continues as new", async () => {
    await withCore({}, async (core) => {
      const drift = driftWorld(database, core.service, org);
      const workers = [
        await temporal.startWorker({ taskQueue: "notify" }),
        await temporal.startWorker({ taskQueue: "tasks", activities: driftActivities({ service: core.service, checksPerHour: 1_000 }) }),
      ];
      const id = workflowIds.drift(org.orgId);
      const tell = () => unitOfWork(core.service, async ({ messages }) => void messages.push({ kind: "driftChanged", orgId: org.orgId }));
      const stackKey = await drift.applied();
      await tell();
      await waitFor(async () => (await drift.row(stackKey)).due_at !== null, { what: "the stack to be settled" });
      const execution = (await temporal.client.workflow.getHandle(id).describe()).runId;
      await drift.due(stackKey);
      await tell();
      await waitFor(async () => (await drift.row(stackKey)).check_id !== null, { what: "the check to begin", timeoutMs: 20_000 });
      await drift.run((await drift.row(stackKey)).check_id, refreshed("a.x"));
      await waitFor(async () => (await drift.row(stackKey)).status === "drifted", { what: "the finding", timeoutMs: 20_000 });
      for (let i = 0; (await temporal.client.workflow.getHandle(id).describe()).runId === execution; i++) {
        await temporal.client.workflow.getHandle(id).signal("reread");
        await waitFor(async () => i >= 0, { what: "the next signal" });
      }
      await store("drift-continued", id, execution);
      await database.sql`update stacks set deleted_at = svc_now() where stack_key = ${stackKey}`;
      await tell();
      await ended(id);
      await store("drift-ends", id);
      for (const worker of workers) await worker.stop();
    });
  });
});

describe("schedules", () => {
  it("make what is due, and end when nothing comes any more; continue as new", async () => {
    await withCore({}, async (core) => {
      const schedules = schedulesWorld(database, core.service, org);
      const workers = [
        await temporal.startWorker({ taskQueue: "notify" }),
        await temporal.startWorker({ taskQueue: "cascade", activities: scheduleActivities(schedules.deps) }),
      ];
      const id = workflowIds.schedules(org.orgId);
      const tell = () => unitOfWork(core.service, async ({ messages }) => void messages.push({ kind: "schedulesChanged", orgId: org.orgId }));
      const stackKey = await makeStack(database, org.orgId);
      const schedule = await schedules.schedule({ stack_key: stackKey });
      await schedules.due(schedule);
      await tell();
      await waitFor(async () => (await schedules.deployments(stackKey)).length === 1, { what: "the deployment", timeoutMs: 20_000 });
      const execution = (await temporal.client.workflow.getHandle(id).describe()).runId;
      for (let i = 0; (await temporal.client.workflow.getHandle(id).describe()).runId === execution; i++) {
        await temporal.client.workflow.getHandle(id).signal("reread");
        await waitFor(async () => i >= 0, { what: "the next signal" });
      }
      await store("schedules-continued", id, execution);
      await database.sql`delete from schedules where id = ${schedule}`;
      await tell();
      await ended(id);
      await store("schedules-end", id);
      for (const worker of workers) await worker.stop();
    });
  });
});

describe("background task", () => {
  it("is done in slices, is put off by a failure, and is left to newer workers", async () => {
    const kind = "org_findings_rebuild";
    const id = workflowIds.task(taskKey({ task: kind, orgId: org.orgId, stackKey: null }));
    const row = (status: string) => async () =>
      (await database.sql`select 1 from org_tasks where org_id = ${org.orgId} and status = ${status}`).length === 1;
    const withWork = async (version: number, runSlice: KindOfWork["runSlice"], body: () => Promise<void>) => {
      await withCore({}, async (core) => {
        const deps = await testTaskDeps(database, core.service);
        const worker = await temporal.startWorker({
          taskQueue: "tasks",
          activities: taskActivities({ deps, kinds: { [kind]: { cursorVersion: version, runSlice } }, sliceMs: 0, sliceEnded: () => {} }),
        });
        const background = await temporal.startWorker({ taskQueue: "notify" });
        await unitOfWork(core.service, (work) => enqueueTask(work.tx, work.messages, { orgId: org.orgId, kind }));
        await body();
        await Promise.all([worker.stop(), background.stop()]);
        await deps.close();
      });
    };
    await withWork(
      1,
      async (_deps, { cursor }) => {
        if (cursor === null) return { done: false, cursor: 1 };
        if (cursor === 2) return { done: true };
        // Its failure is not waited for.
        await database.sql`update org_tasks set cursor = '2'`;
        throw new Error("refused");
      },
      async () => {
        const putOff = () => database.sql`select 1 from org_tasks where attempts = 1`;
        await waitFor(async () => (await putOff()).length === 1, { what: "a failure" });
        await waitFor(row("done"), { what: "the task to be done", timeoutMs: 30_000 });
        await ended(id);
      },
    );
    await store("task-slices-and-failure", id);
    await database.sql`delete from org_tasks`;
    let first = true;
    await withWork(
      2,
      async () => {
        if (!first) return { done: true };
        first = false;
        await database.sql`update org_tasks set requested = requested + 1`;
        return { done: true };
      },
      async () => {
        await waitFor(row("done"), { what: "the task to be done" });
        await ended(id);
      },
    );
    await store("task-asked-for-again", id);
    await database.sql`delete from org_tasks`;
    await database.sql`insert into org_tasks (org_id, kind, cursor, cursor_version) values (${org.orgId}, ${kind}, '{}', 9)`;
    await withWork(1, async () => ({ done: true }), async () => {
      await waitFor(async () => (await temporal.client.workflow.getHandle(id).query<{ status: string } | null>(STATE_QUERY))?.status === "newer", { what: "the task to be left" });
      await database.sql`delete from org_tasks`;
      await temporal.client.workflow.getHandle(id).signal("reread");
      await ended(id);
    });
    await store("task-newer", id);
  });
});

describe("what depends on an apply", () => {
  it("is triggered in steps, tried again after a refusal, and absent", async () => {
    await withCascade({ maxAttempts: 9, firstPauseMs: 200 }, async (core, deps) => {
      const parent = await makeParent(25);
      let refusals = 0;
      deps.head = async () => {
        if (refusals++ === 0) throw new HostError("unavailable", 502);
        return HEAD;
      };
      const id = workflowIds.cascade(await applied(core.service, database, org, parent));
      await ended(id);
      await store("cascade-resolved", id);
      const absent = { orgId: org.orgId, stackKey: ABSENT, deploymentId: ABSENT, mode: "plan", origin: "manual" };
      await core.temporal.start(cascadeStart(absent));
      await ended(workflowIds.cascade(ABSENT));
      await store("cascade-absent", workflowIds.cascade(ABSENT));
    });
  });

  it("is continued as new when its history is long", async () => {
    await withCascade({ maxAttempts: 9, firstPauseMs: 1 }, async (core, deps) => {
      const parent = await makeParent(1);
      const id = workflowIds.cascade(await untilContinued(core, deps, parent));
      await ended(id);
      await store("cascade-continued", id);
    });
  });

  async function untilContinued(core: TestCore, deps: TestCascade, parent: string): Promise<string> {
    let refusing = true;
    deps.head = async () => {
      await database.sql`update dependent_triggers set attempts = 0`;
      if (refusing) throw new HostError("unavailable", 502);
      return HEAD;
    };
    const deploymentId = await applied(core.service, database, org, parent);
    const id = workflowIds.cascade(deploymentId);
    const first = (await waitFor(() => core.temporal.describe(id), { what: "its start" })).runId;
    const next = async () => (await core.temporal.describe(id))?.runId !== first;
    await waitFor(next, { what: "it to be continued as new", timeoutMs: 60_000 });
    refusing = false;
    await store("cascade-continued-as-new", id, first);
    return deploymentId;
  }

  async function makeParent(dependents: number): Promise<string> {
    const parent = await makeStack(database, org.orgId, { auto_approve_mode: "auto" });
    for (let i = 0; i < dependents; i++) await dependsOn(database, await makeStack(database, org.orgId), parent);
    return parent;
  }

  async function withCascade(
    policy: RetryPolicy,
    body: (core: TestCore, deps: TestCascade) => Promise<void>,
  ): Promise<void> {
    await withCore({}, async (core) => {
      const deps = testCascade(core.service);
      deps.policy = policy;
      const worker = await temporal.startWorker({ taskQueue: "cascade", activities: cascadeActivities(deps) });
      await body(core, deps);
      await worker.stop();
    });
  }
});

describe("pull request", () => {
  const repository = { repository_url: "https://git.example/acme/infra.git", repository_key: REPOSITORY };

  /** `head` counts heads of one pull request; null closes it. */
  async function at(core: TestCore, number: number, head: number | null): Promise<void> {
    const host = statedHost();
    for (let edit = 0; head !== null && edit <= head; edit++) host.set(pullRequest(number, { headSha: sha(number * 100 + edit) }));
    await syncPullRequests(core.service, host, { orgId: org.orgId, repositoryKey: REPOSITORY, branch: "main" }, null);
  }

  async function withHost(body: (core: TestCore, shown: PublishedHost) => Promise<void>): Promise<void> {
    await withCore({}, async (core) => {
      const shown = publishedHost();
      const worker = await temporal.startWorker({
        taskQueue: "scm",
        activities: previewActivities({ db: database.db, host: shown, publicBaseUrl: undefined }),
      });
      await body(core, shown);
      await worker.stop();
    });
  }

  it("is published, follows its preview and a new head, and is closed", async () => {
    await withHost(async (core, shown) => {
      const stackKey = await makeStack(database, org.orgId, { ...repository, pr_plan_mode: "auto" });
      await at(core, 1, 0);
      const run = await poll(core, org);
      await accept(core, run);
      await waitFor(() => shown.statuses.at(-1)?.description === "Planning", { what: "the plan to be told" });
      await donePlan(core, database, run);
      await waitFor(() => shown.statuses.at(-1)?.state === "success", { what: "the plan's end to be told" });
      await at(core, 1, 1);
      await waitFor(() => shown.statuses.at(-1)?.state === "pending", { what: "the new head to be told" });
      await at(core, 1, null);
      await ended(previewWorkflow(stackKey, 1));
      await store("preview-followed", previewWorkflow(stackKey, 1));
      await database.sql`update stacks set deleted_at = svc_now() where stack_key = ${stackKey}`;
    });
  });

  it("is tried again after a refusal, and is closed while it waits to try", async () => {
    await withHost(async (core, shown) => {
      const stackKey = await makeStack(database, org.orgId, repository);
      shown.refuse = true;
      await at(core, 2, 0);
      await waitFor(() => shown.refusals === 1, { what: "a refusal" });
      shown.refuse = false;
      await waitFor(() => shown.comments.size === 1, { what: "the second try", timeoutMs: 20_000 });
      shown.refuse = true;
      await at(core, 2, 1);
      await waitFor(() => shown.refusals === 2, { what: "another refusal" });
      await at(core, 2, null);
      await ended(previewWorkflow(stackKey, 2));
      await store("preview-refused", previewWorkflow(stackKey, 2));
      await database.sql`update stacks set deleted_at = svc_now() where stack_key = ${stackKey}`;
    });
  });

  it("is continued as new when its history is long; and has no row", async () => {
    await withHost(async (core) => {
      const stackKey = await makeStack(database, org.orgId, repository);
      const id = previewWorkflow(stackKey, 3);
      await at(core, 3, 0);
      const first = (await waitFor(() => core.temporal.describe(id), { what: "its start" })).runId;
      for (let head = 1; (await core.temporal.describe(id))?.runId === first; head++) await at(core, 3, head);
      await at(core, 3, null);
      await ended(id);
      await store("preview-continued-as-new", id, first);
      await store("preview-continued", id);
      const absent = previewStart({ orgId: org.orgId, stackKey: ABSENT, repositoryHash: "0123456789abcdef", number: 4 });
      await core.temporal.start(absent);
      await ended(absent.workflowId);
      await store("preview-absent", absent.workflowId);
    });
  });
});

describe("notification", () => {
  it("is taken, retried until it is taken, given up, retried by hand, and finds its row gone", async () => {
    const [target, hosts] = [await NotificationTarget.start(), testHosts()];
    await withCore({}, async (core) => {
      const worker = await startNotifier(temporal, database, hosts, { schedule: [1_500, 1_500] });
      const integration = await makeNotifier(database, hosts.keyring, org.orgId, { url: target.url });
      const tell = async () => {
        const event = await tellEvent(core.service, { orgId: org.orgId, name: "scm_sync_failed" });
        const row = () => database.sql`select id from notification_deliveries where domain_event_id = ${event}`;
        return workflowIds.notification((await waitFor(async () => (await row())[0], { what: "a delivery" })).id);
      };
      let answered = 0;
      target.answer = () => ({ status: ++answered % 3 === 0 ? 204 : 503 });
      const retried = await tell();
      await ended(retried);
      await store("notification-retried", retried);
      target.answer = () => ({ status: 401 });
      const dead = await tell();
      await ended(dead);
      await store("notification-dead", dead);
      target.answer = () => ({ status: 503 });
      const waiting = await tell();
      await waitFor(async () => (await core.temporal.state(waiting) as { nextMs: number | null } | null)?.nextMs, { what: "a pause" });
      await database.sql`delete from notification_deliveries where id = ${waiting.slice("notify/".length)}`;
      await core.temporal.signal(waiting, "reread");
      await ended(waiting);
      await store("notification-removed-while-waiting", waiting);
      target.answer = () => ({ status: 204 });
      const again = dead.slice("notify/".length);
      await database.sql`update notification_deliveries set status = 'pending', dead_at = null, attempts = 0 where id = ${again}`;
      await core.temporal.signalWithStart(notificationStart({ orgId: org.orgId, deliveryId: again }), "reread");
      await ended(dead);
      await store("notification-retried-by-hand", dead);
      await database.sql`delete from notification_integrations where id = ${integration}`;
      await worker.stop();
    });
    await hosts.egress.close();
    await target.stop();
  });
});

describe("jobs", () => {
  it("reconciler, housekeeping, seat audit and dependency sweep", async () => {
    await using core = openCore(database, temporal);
    const worker = await temporal.startWorker({
      taskQueue: "core",
      activities: jobActivities({
        reconcile: () => reconcile(core.service, core.temporal),
        housekeep: async () => ({ runners: 0 }),
        auditSeats: async () => ({ overCap: 0 }),
        sweepDependencies: async () => ({ rebuilds: 0 }),
      }),
    });
    for (const job of ["reconciler", "housekeeping", "seatAudit", "dependencySweep"]) {
      await temporal.client.workflow.start(job, { workflowId: job, taskQueue: "core" });
      await ended(job);
      await store(job, job);
    }
    await worker.stop();
  });
});
