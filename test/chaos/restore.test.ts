/**
 * The drill of docs/operations.md: a backup of Postgres, work that goes on, the loss of Postgres (and of Temporal too),
 * the restore, and a worker that heals what is live. A backup is a copy of the database, as `pg_dump` and `pg_restore`
 * make one.
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { loadConfig } from "../../src/main/config/config.ts";
import { startTemporal } from "../../src/main/dev/temporal.ts";
import { startWorker, type WorkerProgram } from "../../src/main/service/worker.ts";
import { createLogger } from "../../src/platform/telemetry/log.ts";
import { workflowIds } from "../../workflows/ids.ts";
import { openCore, type TestCore } from "../support/core.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { claim, create, decide, makeOrg, makeStack, statuses, type TestOrg } from "../support/fixtures.ts";
import { accept, type Claimed, deploymentSees, doneApply, donePlan, rowBecomes, viewOf } from "../support/lifecycle.ts";
import { waitFor } from "../support/waitFor.ts";

type Server = Awaited<ReturnType<typeof startTemporal>>;

let database: TestDatabase;
let org: TestOrg;
let folder: string;
let server: Server;
let core: TestCore;
let worker: WorkerProgram;
beforeEach(async () => {
  [database, folder] = await Promise.all([freshDatabase(), mkdtemp(join(tmpdir(), "svc-restore-"))]);
  org = await makeOrg(database);
  server = await startTemporal({ ui: false, logFile: join(folder, "temporal.log") });
  core = openCore(database, { ...whereOf(server), startWorker: () => Promise.reject(new Error("not here")) });
  worker = await boot();
}, 60_000);
afterEach(async () => {
  await worker.close();
  await core.close();
  await server.stop();
  await admin((sql) => sql`drop database if exists ${sql(backup())} with (force)`);
  await database.close();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

const whereOf = ({ address, namespace }: Server) => ({ address, namespace });

function boot(): Promise<WorkerProgram> {
  const config = loadConfig({
    SVC_DATABASE_URL: database.url,
    SVC_EXPLORE_DATABASE_URL: database.url,
    SVC_TEMPORAL_ADDRESS: server.address,
    SVC_TEMPORAL_NAMESPACE: server.namespace,
    SVC_OBJECTS_URL: `file://${folder}/objects`,
    SVC_DATA_ENCRYPTION_PROVIDER: "aes-256",
    SVC_DATA_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    SVC_WORKER_LISTEN: "127.0.0.1:0",
    SVC_WORKFLOW_BUNDLE: inject("workflowBundlePath"),
    // A runner that is never heard of again after the restore.
    RUNNER_EXECUTION_TIMEOUT: "PT8S",
  });
  return startWorker(config, { log: createLogger("silent", "test") });
}

const name = () => new URL(database.url).pathname.slice(1);
const backup = () => `${name()}_backup`;

async function admin(statement: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(inject("postgresUrl"), { max: 1, onnotice: () => {} });
  await statement(sql).finally(() => sql.end());
}

/** Copy a database that nobody is connected to; who was connected comes back afterwards. */
async function copy(from: string, to: string): Promise<void> {
  await admin(async (sql) => {
    await sql`drop database if exists ${sql(to)} with (force)`;
    await sql.unsafe(`alter database "${from}" allow_connections false`);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${from}`;
    await sql.unsafe(`create database "${to}" template "${from}"`);
    for (const each of [from, to]) await sql.unsafe(`alter database "${each}" allow_connections true`);
  });
}

/** The pools notice that their connections are gone. */
async function reachable(): Promise<void> {
  const reach = () => Promise.all([database.sql`select 1`, database.db.execute("select 1")]).then(() => true);
  await waitFor(() => reach().catch(() => undefined), { what: "the database to answer" });
}

/** A plan that waits for a person. */
async function waiting(settings: Record<string, unknown> = {}): Promise<string> {
  const id = await create(core.service, await makeStack(database, org.orgId, settings));
  const run = await claimed(id);
  await donePlan(core, database, run);
  await deploymentSees(core, id, "waiting");
  return id;
}

async function claimed(deploymentId: string): Promise<Claimed> {
  const run = await claim(database, org, deploymentId);
  await accept(core, run);
  return run;
}

/** Confirm as a person does, and let a runner take the apply. */
async function applying(id: string): Promise<Claimed> {
  expect(await core.decide(id, "confirm", { args: { action: "apply" } })).toMatchObject({
    answer: { outcome: "done" },
  });
  return claimed(id);
}

describe.each([
  ["Postgres is lost", false],
  ["Postgres and Temporal are lost", true],
])("%s", (_what, temporalToo) => {
  it("everything live is healed, no lane is stuck, and nothing is applied by itself", {
    timeout: 180_000,
  }, async () => {
    const confirmedLater = await waiting();
    const inFlight = await waiting();
    const apply = await applying(inFlight);
    const lane = await makeStack(database, org.orgId);
    const holder = await create(core.service, lane);
    const queued = await create(core.service, lane);
    await deploymentSees(core, queued, "queued");

    await copy(name(), backup());
    await reachable();

    // After the backup: one is applied, the one in flight ends, one is new. All of that will be forgotten.
    await doneApply(core, await applying(confirmedLater));
    await doneApply(core, apply);
    const forgotten = await create(core.service, await makeStack(database, org.orgId));
    await deploymentSees(core, forgotten, "pending");

    await worker.close();
    await copy(backup(), name());
    await reachable();
    if (temporalToo) {
      process.kill(server.pid, "SIGKILL");
      await server.exited;
      server = await startTemporal({ ui: false, logFile: join(folder, "temporal.log"), ports: server.ports });
    }
    worker = await boot();

    // What was confirmed after the backup waits for a person again, with a workflow that carries the decision out.
    await waitFor(
      async () => {
        const workflowId = workflowIds.deployment(confirmedLater);
        const described = await core.temporal.describe(workflowId);
        const view = described?.open && (await viewOf(core, workflowId));
        if (view && view.status === "waiting") return true;
        throw new Error(`it is ${JSON.stringify({ described, view })}`);
      },
      { what: "what waits to have its workflow", timeoutMs: 90_000 },
    );
    expect((await statuses(database, confirmedLater)).runs).toEqual(["plan_run:success"]);
    // The apply whose end was forgotten fails when its runner stays silent; nobody starts another.
    await rowBecomes(database, inFlight, "failed");
    const { runs } = await statuses(database, inFlight);
    expect(runs).toHaveLength(2);
    expect(runs[1]).toMatch(/^apply_run:(?!pending|success)/);
    // A runner that comes with what it held before the restore is turned away.
    const late = await acceptRun(core.service, apply.runId, apply.runnerId);
    expect(late.outcome).not.toBe("accepted");
    // What was made after the backup has no row; its workflow ends and its id is free.
    expect(await database.sql`select from deployments where id = ${forgotten}`).toHaveLength(0);
    await waitFor(async () => (await core.temporal.describe(workflowIds.deployment(forgotten)))?.open !== true, {
      what: "the workflow without a row to end",
      timeoutMs: 90_000,
    });
    // The lane moves on.
    expect(await core.decide(holder, "cancel", { deadlineMs: 20_000, expiresMs: 20_000 })).toMatchObject({
      answer: { outcome: "done" },
    });
    await deploymentSees(core, queued, "pending");
    expect(await decide(core.service, database, confirmedLater, "skip")).toMatchObject({ outcome: "done" });
  });
});
