/**
 * A worker killed in the middle of a batch of decisions: all of it is done once, or none of it, and the answers say
 * which.
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, it } from "vitest";
import { freePorts } from "../../src/main/dev/ports.ts";
import { openCore, type TestCore } from "../support/core.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { create, makeOrg, makeStack, type TestOrg } from "../support/fixtures.ts";
import { freshNamespace, type TestTemporal } from "../support/temporal.ts";
import { waitFor } from "../support/waitFor.ts";
import { startWorkerProcess, type WorkerProcess } from "../support/workerProcess.ts";

const QUEUED = 30;
/** Long enough for Temporal to notice that the worker is gone and to ask another one. */
const PATIENT_MS = 60_000;

let database: TestDatabase;
let temporal: TestTemporal;
let core: TestCore;
let org: TestOrg;
let folder: string;
beforeAll(async () => {
  [database, temporal, folder] = await Promise.all([
    freshDatabase(),
    freshNamespace(),
    mkdtemp(join(tmpdir(), "svc-killed-")),
  ]);
  core = openCore(database, temporal);
  org = await makeOrg(database);
});
afterAll(async () => {
  await core.close();
  await Promise.all([database.close(), temporal.close()]);
  await rm(folder, { recursive: true, force: true });
});

let worker: WorkerProcess;
let stackKey: string;
let ids: string[];
beforeEach(async () => {
  worker = await start();
  stackKey = await makeStack(database, org.orgId);
  ids = [];
  for (let i = 0; i <= QUEUED; i++) ids.push(await create(core.service, stackKey));
});
afterEach(() => worker.stop("SIGTERM", 25_000));

async function start(): Promise<WorkerProcess> {
  const [port] = (await freePorts(1)) as [number];
  const env = {
    SVC_DATABASE_URL: database.url,
    SVC_EXPLORE_DATABASE_URL: database.url,
    SVC_TEMPORAL_ADDRESS: temporal.address,
    SVC_TEMPORAL_NAMESPACE: temporal.namespace,
    SVC_OBJECTS_URL: `file://${folder}/objects`,
    SVC_DATA_ENCRYPTION_PROVIDER: "aes-256",
    SVC_DATA_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    SVC_WORKER_LISTEN: `127.0.0.1:${port}`,
    SVC_WORKFLOW_BUNDLE: inject("workflowBundlePath"),
  };
  return startWorkerProcess(env, join(folder, `worker-${port}.log`));
}

async function killAndReplace(): Promise<void> {
  await worker.stop("SIGKILL");
  worker = await start();
}

/** Kill the worker while its transaction waits for the stack, and only then let go of that. */
async function killedBeforeCommit(whatNext: () => Promise<void>): Promise<void> {
  await database.sql.begin(async (tx) => {
    await tx`select 1 from stacks where stack_key = ${stackKey} for update`;
    whenHeld.resolve();
    await waitFor(async () => (await waitingTransactions()) > 0, { what: "the worker to wait for the stack" });
    await worker.stop("SIGKILL");
    await whatNext();
  });
}
let whenHeld = Promise.withResolvers<void>();
beforeEach(() => {
  whenHeld = Promise.withResolvers<void>();
});

async function waitingTransactions(): Promise<number> {
  const [row] = await database.sql`select count(*)::int as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%lock_lanes%'`;
  return row?.n;
}

const endings = async () =>
  (
    await database.sql`select status, count(*)::int as n from deployments where stack_key = ${stackKey} group by 1 order by 1`
  ).map((row) => `${row.n} ${row.status}`);
const timesAsked = async () =>
  (
    await database.sql`select count(*)::int as n from deployment_events e join deployments d on d.id = e.deployment_id
      where d.stack_key = ${stackKey} and e.kind = 'cancellation_requested' group by d.id`
  ).map((row) => row.n);

it("before its commit: another one carries it out", { timeout: 180_000 }, async () => {
  const killed = killedBeforeCommit(async () => {
    worker = await start();
  });
  await whenHeld.promise;
  const answers = await core.decideMany(ids, "cancel", PATIENT_MS);
  await killed;
  expect([...answers.values()].map(({ outcome }) => outcome)).toEqual(Array(QUEUED + 1).fill("done"));
  expect(await endings()).toEqual([`${QUEUED + 1} cancelled`]);
  expect(await timesAsked()).toEqual(Array(QUEUED + 1).fill(1));
});

it("before its commit, with nobody there in time: none of it is done, also by the one that comes", {
  timeout: 180_000,
}, async () => {
  const killed = killedBeforeCommit(async () => {});
  await whenHeld.promise;
  const answers = await core.decideMany(ids, "cancel", 3_000);
  await killed;
  expect([...answers.values()].map(({ outcome }) => outcome)).toEqual(Array(QUEUED + 1).fill("expired"));
  worker = await start();
  const again = await core.decideMany(ids.slice(1, 3), "cancel", PATIENT_MS);
  expect([...again.values()].map(({ outcome }) => outcome)).toEqual(["done", "done"]);
  // The holder's workflow has had the first batch's Update too, by the time it answers one of its own.
  expect(
    await core.decide(ids[0] as string, "prioritize", { deadlineMs: PATIENT_MS, expiresMs: PATIENT_MS }),
  ).toMatchObject({
    answer: { outcome: "done" },
  });
  expect(await endings()).toEqual(["2 cancelled", "1 pending", `${QUEUED - 2} queued`]);
});

it("after its commit: the answers are those that were committed", { timeout: 180_000 }, async () => {
  const answered = core.decideMany(ids, "cancel", PATIENT_MS);
  await waitFor(
    async () =>
      (await database.sql`select 1 from decisions where deployment_id = any(${ids}::uuid[]) and answer is not null`)
        .length > 0,
    { what: "the commit", everyMs: 1, timeoutMs: 60_000 },
  );
  await killAndReplace();
  expect([...(await answered).values()].map(({ outcome }) => outcome)).toEqual(Array(QUEUED + 1).fill("done"));
  expect(await timesAsked()).toEqual(Array(QUEUED + 1).fill(1));
});
