/**
 * The worker program as a whole: it outlives Temporal and Postgres, stops cleanly, and may be killed
 * (docs/rules/workflows.md#temporal-away).
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { afterAll, describe, expect, inject } from "vitest";
import { startProxy, type TcpProxy } from "../../bench/harness/proxy.ts";
import { loadConfig } from "../../src/main/config/config.ts";
import type { Config } from "../../src/main/config/settings.ts";
import { freePorts } from "../../src/main/dev/ports.ts";
import { startWorker } from "../../src/main/service/worker.ts";
import { createLogger } from "../../src/platform/telemetry/log.ts";
import { workflowIds } from "../../workflows/ids.ts";
import { openCore, type TestCore } from "../support/core.ts";
import { create, makeOrg, makeStack, statuses } from "../support/fixtures.ts";
import { accept, deploymentSees, poll, rowBecomes } from "../support/lifecycle.ts";
import { freshNamespace, type TestTemporal } from "../support/temporal.ts";
import { databaseTest } from "../support/test.ts";
import { waitFor } from "../support/waitFor.ts";
import { startWorkerProcess, type WorkerProcess } from "../support/workerProcess.ts";

const log = createLogger("silent", "test");
const workflowBundle = { codePath: inject("workflowBundlePath") };

type Where = { databaseUrl?: string; address: string; namespace: string; healthPort?: number };

async function ready(url: string): Promise<boolean> {
  return (await fetch(`${url}/readyz`)).status === 200;
}

function hostAndPort(address: string): { host: string; port: number } {
  const [host, port] = address.split(":") as [string, string];
  return { host, port: Number(port) };
}

const test = databaseTest().extend("world", { scope: "file" }, async ({ database, folder }) => {
  const org = await makeOrg(database);

  function environment({
    databaseUrl = database.url,
    address,
    namespace,
    healthPort = 0,
  }: Where): Record<string, string> {
    return {
      SVC_DATABASE_URL: databaseUrl,
      SVC_EXPLORE_DATABASE_URL: databaseUrl,
      SVC_TEMPORAL_ADDRESS: address,
      SVC_TEMPORAL_NAMESPACE: namespace,
      SVC_OBJECTS_URL: `file://${folder}/objects`,
      SVC_DATA_ENCRYPTION_PROVIDER: "aes-256",
      SVC_DATA_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
      SVC_WORKER_LISTEN: `127.0.0.1:${healthPort}`,
      SVC_WORKFLOW_BUNDLE: workflowBundle.codePath,
    };
  }
  const configured = (where: Where, more: Record<string, string> = {}): Config =>
    loadConfig({ ...environment(where), ...more }, "worker");

  return { environment, configured, org };
});

describe("with Postgres and Temporal behind a line that can be cut", () => {
  let temporal: TestTemporal;
  let core: TestCore;
  let toPostgres: TcpProxy;
  let toTemporal: TcpProxy;
  let where: Where;
  test.beforeAll(async ({ database }) => {
    temporal = await freshNamespace();
    core = openCore(database, temporal);
    const url = new URL(database.url);
    toPostgres = await startProxy({ host: url.hostname, port: Number(url.port) });
    toTemporal = await startProxy(hostAndPort(temporal.address));
    url.hostname = "127.0.0.1";
    url.port = String(toPostgres.port);
    where = { databaseUrl: url.href, address: `127.0.0.1:${toTemporal.port}`, namespace: temporal.namespace };
  });
  afterAll(async () => {
    await core.close();
    await Promise.all([toPostgres.close(), toTemporal.close()]);
    await temporal.close();
  });

  test("boots without either, says so, works once they are there, and again after each was away", async ({
    database,
    world,
  }) => {
    toPostgres.cut();
    toTemporal.cut();
    const worker = await startWorker(world.configured(where), { log, workflowBundle });
    try {
      expect((await fetch(`${worker.healthUrl}/healthz`)).status).toBe(200);
      const answer = await fetch(`${worker.healthUrl}/readyz`);
      expect(answer.status).toBe(503);
      expect(await answer.json()).toMatchObject({ checks: { database: "failed", temporal: "failed" } });
      toPostgres.mend();
      toTemporal.mend();
      await waitFor(() => ready(worker.healthUrl), { what: "ready", timeoutMs: 45_000 });

      for (const line of [toTemporal, toPostgres]) {
        const deploymentId = await create(core.service, await makeStack(database, world.org.orgId));
        await deploymentSees(core, deploymentId, "pending");
        line.cut();
        await waitFor(async () => !(await ready(worker.healthUrl)), { what: "not ready", timeoutMs: 45_000 });
        expect((await fetch(`${worker.healthUrl}/healthz`)).status).toBe(200);
        line.mend();
        await waitFor(() => ready(worker.healthUrl), { what: "ready again", timeoutMs: 45_000 });
        // The row says so. An answer lost on its way is asked for again, of a workflow that has ended by then.
        expect(await core.decide(deploymentId, "cancel")).toMatchObject({ answer: { outcome: "done" } });
      }
      const metrics = await (await fetch(`${worker.healthUrl}/metrics`)).text();
      expect(metrics).toMatch(/svc_outbox_sent_total/);
    } finally {
      await worker.close();
    }
  });

  test("makes the namespace, its search attributes and the Schedules where there are none", async ({
    database,
    world,
  }) => {
    const namespace = `made-${randomBytes(4).toString("hex")}`;
    const fresh = openCore(database, { ...temporal, namespace });
    const worker = await startWorker(world.configured({ address: temporal.address, namespace }), {
      log,
      workflowBundle,
    });
    try {
      await waitFor(() => ready(worker.healthUrl), { what: "ready", timeoutMs: 45_000 });
      const deploymentId = await create(fresh.service, await makeStack(database, world.org.orgId));
      await deploymentSees(fresh, deploymentId, "pending");
      for (const job of ["reconciler", "housekeeping"]) {
        await fresh.temporal.sdk.schedule.getHandle(workflowIds.schedule(job)).describe();
      }
      await waitFor(async () => (await database.sql`select 1 from temporal_identity`).length === 1, {
        what: "a reconciler pass",
        timeoutMs: 45_000,
      });
      await fresh.temporal.sdk.schedule.getHandle(workflowIds.schedule("housekeeping")).trigger();
      await waitFor(
        async () => {
          for await (const run of fresh.temporal.sdk.workflow.list({ query: "WorkflowType = 'housekeeping'" }))
            return run.status.name === "COMPLETED";
          return false;
        },
        { what: "housekeeping to complete", timeoutMs: 45_000 },
      );
      expect(await fresh.decide(deploymentId, "cancel")).toMatchObject({ answer: { outcome: "done" } });
    } finally {
      await worker.close();
      await fresh.close();
    }
  });

  test("finishes what it does when it is told to stop", async ({ database, world }) => {
    const worker = await startWorker(world.configured(where), { log, workflowBundle });
    await waitFor(() => ready(worker.healthUrl), { what: "ready", timeoutMs: 45_000 });
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push(await create(core.service, await makeStack(database, world.org.orgId)));
    const patient = { deadlineMs: 60_000, expiresMs: 60_000 };
    const decided = ids.map((id) => core.decide(id, "cancel", patient));
    await rowBecomes(database, ids[0] as string, "cancelled");
    const began = performance.now();
    await worker.close();
    expect(performance.now() - began).toBeLessThan(20_000);
    await expect(fetch(`${worker.healthUrl}/healthz`)).rejects.toThrow();
    const next = await startWorker(world.configured(where), { log, workflowBundle });
    for (const { answer } of await Promise.all(decided)) expect(answer).toMatchObject({ outcome: "done" });
    await next.close();
  });
});

describe("two workers that are killed in turn, always at work", () => {
  test("give every decision its one true answer, and no run an attempt too many", async ({
    database,
    folder,
    world,
  }) => {
    await using temporal = await freshNamespace();
    await using core = openCore(database, temporal, { assignmentMs: 60_000 });
    const workers: WorkerProcess[] = [];
    const launch = async (index: number) => {
      // A new one each time: while the worker is dead, its port may become somebody else's.
      const [healthPort] = (await freePorts(1)) as [number];
      return startWorkerProcess(world.environment({ ...temporal, healthPort }), join(folder, `worker-${index}.log`));
    };
    workers.push(...(await Promise.all([launch(0), launch(1)])));
    let stop = false;
    const killing = (async () => {
      for (let i = 0; !stop; i = 1 - i) {
        process.kill(workers[i]?.pid as number, "SIGKILL");
        await workers[i]?.exited;
        workers[i] = await launch(i);
      }
    })();
    try {
      const stackKeys = await Promise.all(Array.from({ length: 4 }, () => makeStack(database, world.org.orgId)));
      await Promise.all(
        stackKeys.map(async (stackKey) => {
          for (let round = 0; round < 4; round++) {
            const deploymentId = await create(core.service, stackKey);
            const { outcome, answer } = await core.decide(deploymentId, "cancel", {
              deadlineMs: 25_000,
              expiresMs: 25_000,
            });
            const { deployment } = await statuses(database, deploymentId);
            // Whatever the workflow could still say: the row holds what was done, and nothing else was.
            if (answer === null) expect([outcome, deployment]).toEqual(["unavailable", "pending"]);
            else expect([answer.outcome, deployment]).toEqual(["done", "cancelled"]);
            const [events] = await database.sql`
              select count(*)::int as n from deployment_events where deployment_id = ${deploymentId} and kind = 'cancellation_requested'`;
            expect(events?.n).toBeLessThanOrEqual(1);
            if (answer === null) await core.decide(deploymentId, "cancel", { deadlineMs: 25_000, expiresMs: 25_000 });
          }
        }),
      );
      const deploymentId = await create(core.service, stackKeys[0] as string);
      const run = await poll(core, world.org);
      await deploymentSees(core, deploymentId, "pending");
      const [row] = await database.sql`select status, assignment_attempts from runs where id = ${run.runId}`;
      expect(row).toEqual({ status: "assigned", assignment_attempts: 0 });
      await accept(core, run);
    } finally {
      stop = true;
      await killing;
      await Promise.all(workers.map((worker) => worker.stop("SIGTERM", 25_000)));
    }
    expect(await Promise.all(workers.map((worker) => worker.exited))).toEqual(["code 0", "code 0"]);
  }, 180_000);
});
