/**
 * The cascade as a durable workflow: begun by the apply's own transaction, tried again, healed, and taken up after a
 * kill.
 */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject } from "vitest";
import { cascadeActivities } from "../../activities/cascades.ts";
import { taskActivities } from "../../activities/tasks.ts";
import { HostError } from "../../src/exchange/scm/host/errors.ts";
import { freePorts } from "../../src/main/dev/ports.ts";
import { reconcile } from "../../src/orchestration/reconciler/reconcile.ts";
import { enqueueTask } from "../../src/work/tasks/enqueue.ts";
import { unitOfWork } from "../../src/work/unitOfWork.ts";
import { TASK_QUEUES } from "../../workflows/contract.ts";
import { workflowIds } from "../../workflows/ids.ts";
import {
  applied,
  applyPending,
  children,
  dependsOn,
  finishApply,
  HEAD,
  isResolved,
  snapshotRow,
  testCascade,
} from "../support/cascades.ts";
import { freshDatabase } from "../support/database.ts";
import { makeOrg, makeStack, testService } from "../support/fixtures.ts";
import { historyFigures, historyText } from "../support/histories.ts";
import { freshNamespace } from "../support/temporal.ts";
import { coreTest } from "../support/test.ts";
import { waitFor } from "../support/waitFor.ts";
import { startWorkerProcess } from "../support/workerProcess.ts";

const test = coreTest()
  .extend("deps", { scope: "file" }, ({ core }) => testCascade(core.service))
  .extend("world", async ({ database, core, temporal }) => {
    const org = await makeOrg(database);
    const stack = (settings: object = {}) => makeStack(database, org.orgId, { auto_approve_mode: "auto", ...settings });
    const resolved = (deploymentId: string, timeoutMs = 30_000) =>
      waitFor(() => isResolved(database, deploymentId), {
        what: `the dependents of ${deploymentId} to be resolved`,
        timeoutMs,
      });
    const ended = (deploymentId: string) =>
      waitFor(async () => (await core.temporal.describe(workflowIds.cascade(deploymentId)))?.open === false, {
        what: "the cascade to end",
      });

    /** What the workflow says of itself. */
    const details = async (deploymentId: string) => {
      const handle = temporal.client.workflow.getHandle(workflowIds.cascade(deploymentId));
      return (await handle.query<{ currentDetails: string }, []>("__temporal_workflow_metadata")).currentDetails;
    };

    return { stack, resolved, ended, details, org };
  });

test.beforeAll(async ({ core, temporal, deps }) => {
  await core.startWorker();
  await temporal.startWorker({ taskQueue: TASK_QUEUES.cascade, activities: cascadeActivities(deps) });
});
test.beforeEach(({ deps }) => {
  deps.head = async () => HEAD;
});

test("follows an apply through a chain by itself, in few workflow tasks, and its history names the applied stack alone", async ({
  database,
  temporal,
  core,
  world,
}) => {
  const [a, b, c] = [await world.stack(), await world.stack(), await world.stack()];
  await dependsOn(database, b, a);
  await dependsOn(database, c, b);
  const parent = await applied(core.service, database, world.org, a);
  await world.resolved(parent);
  const middle = (await children(database, b))[0]?.id as string;
  await finishApply(core.service, await applyPending(core.service, database, world.org, middle));
  await world.resolved(middle);
  const [child] = await children(database, c);
  expect(child).toMatchObject({ parent: middle, path: [a, b] });
  // The child's own workflow was begun too.
  await waitFor(() => core.temporal.describe(workflowIds.deployment(child?.id as string)), { what: "its workflow" });
  await world.ended(parent);
  const history = await historyText(temporal.client, workflowIds.cascade(parent));
  expect(history).not.toMatch(/git\.example|main|Ada/);
  // The stack that was applied, for who reads it; not those that depend on it.
  const named = new Set(history.match(/stack-[\w-]+/g));
  const [{ slug }] = (await database.sql`select slug from stacks where stack_key = ${a}`) as unknown as [
    { slug: string },
  ];
  expect([...named]).toEqual([slug]);
  expect(await world.details(parent)).toBe(`apply of stack ${slug}: every dependent is resolved (1 triggered)`);
  expect((await historyFigures(temporal.client, workflowIds.cascade(parent))).tasks).toBeLessThanOrEqual(2);
  // Nothing depends on the last, so there is nothing to begin.
  await finishApply(core.service, await applyPending(core.service, database, world.org, child?.id as string));
  expect(await isResolved(database, child?.id as string)).toBe(true);
  expect(await core.temporal.describe(workflowIds.cascade(child?.id as string))).toBeNull();
});

test("waits for a host that is away, and ends with its error when that lasts", async ({
  database,
  core,
  deps,
  world,
}) => {
  const [a, b] = [await world.stack(), await world.stack()];
  await dependsOn(database, b, a);
  await dependsOn(database, await world.stack(), a, { trigger: "manual" });
  deps.head = async () => {
    throw new HostError("unavailable", 502);
  };
  const parent = await applied(core.service, database, world.org, a);
  await world.resolved(parent);
  await world.ended(parent);
  expect(await world.details(parent)).toMatch(
    /^apply of stack \S+: every dependent is resolved \(1 failed, 1 wait for a person\)$/,
  );
  expect(await snapshotRow(database, parent, b)).toMatchObject({ error: expect.any(String), attempts: 3 });
  const told = await database.sql`
    select deployment_id from domain_events where org_id = ${world.org.orgId} and name = 'dependent_trigger_failed'`;
  expect(told).toEqual([{ deployment_id: parent }]);
  await world.ended(parent);
});

test("is begun by the reconciler when its message was lost", async ({ database, core, world }) => {
  const [a, b] = [await world.stack(), await world.stack()];
  await dependsOn(database, b, a);
  const silent = testService(database);
  const parent = await applied(silent, database, world.org, a);
  await database.sql`delete from outbox where message ->> 'deploymentId' = ${parent}`;
  const healed: string[] = [];
  await reconcile(core.service, core.temporal, { healed: (workflow, action) => healed.push(`${workflow} ${action}`) });
  expect(healed).toContain("cascade started");
  await world.resolved(parent);
  expect(await children(database, b)).toHaveLength(1);
});

test("does not wait for rebuilds that hold every slot of background tasks", async ({
  database,
  temporal,
  core,
  world,
}) => {
  const held = Promise.withResolvers<void>();
  let running = 0;
  const kind = "org_findings_rebuild";
  const worker = await temporal.startWorker({
    taskQueue: TASK_QUEUES.tasks,
    maxConcurrentActivityTaskExecutions: 4,
    activities: taskActivities({
      deps: { service: core.service } as never,
      kinds: {
        [kind]: {
          cursorVersion: 1,
          runSlice: async () => {
            running += 1;
            await held.promise;
            return { done: true };
          },
        },
      },
      sliceMs: 120_000,
      sliceEnded: () => {},
    }),
  });
  const background = await temporal.startWorker({ taskQueue: TASK_QUEUES.notify });
  for (let i = 0; i < 6; i++) {
    const { orgId } = await makeOrg(database);
    await unitOfWork(core.service, (work) => enqueueTask(work.tx, work.messages, { orgId, kind }));
  }
  await waitFor(() => running === 4, { what: "every slot to be held" });
  const [a, b] = [await world.stack(), await world.stack()];
  await dependsOn(database, b, a);
  const parent = await applied(core.service, database, world.org, a);
  await world.resolved(parent);
  expect(await children(database, b)).toHaveLength(1);
  expect(running).toBe(4);
  held.resolve();
  await Promise.all([worker.stop(), background.stop()]);
});

describe("with workers that are killed", () => {
  const DEPENDENTS = 60;
  let folder: string;
  let sha: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "svc-cascade-"));
    const git = async (...args: string[]) =>
      (await promisify(execFile)("git", ["-C", folder, "-c", "user.name=t", "-c", "user.email=t@t", ...args])).stdout;
    await git("init", "-q", "-b", "main", "repository");
    await git("-C", "repository", "commit", "-q", "--allow-empty", "-m", "first");
    sha = (await git("-C", "repository", "rev-parse", "HEAD")).trim();
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test("loses no dependent and doubles none", { timeout: 240_000 }, async () => {
    await using own = await freshDatabase();
    await using namespace = await freshNamespace();
    const service = testService(own);
    const here = await makeOrg(own);
    const repository = { repository_url: `file://${folder}/repository` };
    const parent = await makeStack(own, here.orgId, { auto_approve_mode: "auto" });
    for (let i = 0; i < DEPENDENTS; i++) await dependsOn(own, await makeStack(own, here.orgId, repository), parent);
    const [port] = await freePorts(1);
    const env = {
      SVC_DATABASE_URL: own.url,
      SVC_EXPLORE_DATABASE_URL: own.url,
      SVC_TEMPORAL_ADDRESS: namespace.address,
      SVC_TEMPORAL_NAMESPACE: namespace.namespace,
      SVC_OBJECTS_URL: `file://${folder}/objects`,
      SVC_DATA_ENCRYPTION_PROVIDER: "aes-256",
      SVC_DATA_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
      SVC_GIT_ALLOW_PROTOCOL: "file",
      SVC_WORKER_LISTEN: `127.0.0.1:${port}`,
      SVC_WORKFLOW_BUNDLE: inject("workflowBundlePath"),
    };
    const made = async () => {
      const [{ n } = {}] = await own.sql`select count(*)::int as n from deployments where origin_type = 'dependency'`;
      return n as number;
    };
    const first = await startWorkerProcess(env, join(folder, "first.log"));
    const deploymentId = await applied(service, own, here, parent);
    const madeAtKill = await waitFor(made, { what: "the first children", everyMs: 5, timeoutMs: 60_000 });
    await first.stop("SIGKILL");
    expect(madeAtKill).toBeLessThan(DEPENDENTS);
    expect(await isResolved(own, deploymentId)).toBe(false);
    const second = await startWorkerProcess(env, join(folder, "second.log"));
    await waitFor(() => isResolved(own, deploymentId), { what: "the cascade to be resolved", timeoutMs: 150_000 });
    await second.stop();
    const each = await own.sql`
      select count(*)::int as n, count(distinct stack_key)::int as stacks, min(commit_sha) as sha from deployments
      where origin_dependency_deployment_id = ${deploymentId}`;
    expect(each[0]).toEqual({ n: DEPENDENTS, stacks: DEPENDENTS, sha });
  });
});
