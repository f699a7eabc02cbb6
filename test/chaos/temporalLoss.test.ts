/**
 * A Temporal that dies, loses everything or is set back, under a running worker program: the reconciler heals all
 * (docs/rules/workflows.md#the-reconciler).
 */
import { randomBytes } from "node:crypto";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { loadConfig } from "../../src/main/config/config.ts";
import type { Config } from "../../src/main/config/settings.ts";
import { startTemporal } from "../../src/main/dev/temporal.ts";
import { startWorker } from "../../src/main/service/worker.ts";
import { readIdentity } from "../../src/orchestration/temporal/namespace.ts";
import { createLogger } from "../../src/platform/telemetry/log.ts";
import { workflowIds } from "../../workflows/ids.ts";
import { openCore, type TestCore } from "../support/core.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { create, makeOrg, makeStack, statuses, type TestOrg } from "../support/fixtures.ts";
import { accept, deploymentSees, poll, rowBecomes, untilWaiting, viewOf } from "../support/lifecycle.ts";
import { waitFor } from "../support/waitFor.ts";

const log = createLogger("silent", "test");

let database: TestDatabase;
let org: TestOrg;
let folder: string;
beforeAll(async () => {
  [database, folder] = await Promise.all([freshDatabase(), mkdtemp(join(tmpdir(), "svc-loss-"))]);
  org = await makeOrg(database);
});
afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

type Where = { address: string; namespace: string };

function configured({ address, namespace }: Where): Config {
  return loadConfig({
    SVC_DATABASE_URL: database.url,
    SVC_EXPLORE_DATABASE_URL: database.url,
    SVC_TEMPORAL_ADDRESS: address,
    SVC_TEMPORAL_NAMESPACE: namespace,
    SVC_OBJECTS_URL: `file://${folder}/objects`,
    SVC_DATA_ENCRYPTION_PROVIDER: "aes-256",
    SVC_DATA_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    SVC_WORKER_LISTEN: "127.0.0.1:0",
    SVC_WORKFLOW_BUNDLE: inject("workflowBundlePath"),
  });
}

/** The service's side without a worker: that is the program under test. */
function coreAt(where: Where): TestCore {
  return openCore(database, { ...where, startWorker: () => Promise.reject(new Error("not here")) });
}

describe("with a Temporal of its own", () => {
  it("goes on after Temporal was killed, and timers that came due meanwhile act once", async () => {
    const options = { ui: false, dbFile: join(folder, "temporal.db"), logFile: join(folder, "temporal.log") };
    let server = await startTemporal(options);
    const where = { address: server.address, namespace: server.namespace };
    const core = coreAt(where);
    const worker = await startWorker(configured(where), { log });
    try {
      const stackKey = await makeStack(database, org.orgId, { confirmation_timeout_ms: 4_000 });
      const waiting = await create(core.service, stackKey);
      await untilWaiting(core, database, org);
      await deploymentSees(core, waiting, "waiting");
      process.kill(server.pid, "SIGKILL");
      await server.exited;
      // Everything that needs no decision goes on: creating, claiming, the lane.
      const other = await create(core.service, await makeStack(database, org.orgId));
      const run = await poll(core, org);
      await accept(core, run);
      expect(await core.decide(other, "prioritize", { deadlineMs: 1_000, expiresMs: 1_000 })).toMatchObject({
        outcome: "unavailable",
      });
      await waitFor(
        async () => {
          const [row] =
            await database.sql`select waiting_since + interval '4 seconds' < svc_now() as due from deployments where id = ${waiting}`;
          return row?.due === true;
        },
        { what: "the deadline to pass" },
      );
      server = await startTemporal({ ...options, ports: server.ports });
      await rowBecomes(database, waiting, "skipped");
      await deploymentSees(core, other, "planning");
      const [log] = await database.sql`
        select count(*)::int as n from domain_events where deployment_id = ${waiting} and name = 'deployment_auto_skipped'`;
      expect(log?.n).toBe(1);
      expect(await core.decide(other, "cancel")).toMatchObject({ answer: { outcome: "done" } });
    } finally {
      await worker.close();
      await core.close();
      await server.stop();
    }
  }, 120_000);

  it("keeps rows and workflows together through ten kills in the middle of its work", async () => {
    const options = { ui: false, dbFile: join(folder, "killed", "temporal.db"), logFile: join(folder, "killed.log") };
    let server = await startTemporal(options);
    const where = { address: server.address, namespace: server.namespace };
    const core = coreAt(where);
    const worker = await startWorker(configured(where), { log });
    const made: string[] = [];
    const isOpen = async (id: string) => (await core.temporal.describe(workflowIds.deployment(id)))?.open ?? false;
    const isLive = async (id: string) => {
      const [row] = await database.sql`select completed_at is null as live from deployments where id = ${id}`;
      return row?.live as boolean;
    };
    const untilSent = () =>
      waitFor(async () => (await database.sql`select from outbox`).length === 0, {
        what: "every message to be sent",
        timeoutMs: 90_000,
      });
    const agree = (id: string) =>
      waitFor(async () => (await isOpen(id)) === (await isLive(id)), {
        what: `the workflow of ${id} to be open as long as its row is live`,
        timeoutMs: 90_000,
      });
    try {
      for (let round = 0; round < 10; round++) {
        const ending = made.slice(-2);
        const stackKeys = await Promise.all(Array.from({ length: 4 }, () => makeStack(database, org.orgId)));
        const first = await create(core.service, stackKeys[0] as string);
        const others = stackKeys.slice(1).map((stackKey) => create(core.service, stackKey));
        const decisions = ending.map((id) => core.decide(id, "cancel", { deadlineMs: 1_000, expiresMs: 1_000 }));
        await waitFor(() => isOpen(first), { what: "the server to be at work", everyMs: 1 });
        process.kill(server.pid, "SIGKILL");
        made.push(first, ...(await Promise.all(others)));
        await Promise.all([server.exited, ...decisions]);
        server = await startTemporal({ ...options, ports: server.ports });
      }
      await untilSent();
      for (const id of made) await agree(id);
      for (const id of made) {
        if (!(await isLive(id))) continue;
        expect(await core.decide(id, "cancel", { deadlineMs: 30_000, expiresMs: 30_000 })).toMatchObject({
          answer: { outcome: "done" },
        });
      }
      await untilSent();
      for (const id of made) await agree(id);
      expect(await Promise.all(made.map(isOpen))).not.toContain(true);
    } finally {
      await worker.close();
      await core.close();
      await server.stop();
    }
  }, 300_000);

  it("heals a Temporal that lost everything within a minute of its start", async () => {
    const options = { ui: false, logFile: join(folder, "wiped.log") };
    let server = await startTemporal(options);
    const where = { address: server.address, namespace: server.namespace };
    const core = coreAt(where);
    const worker = await startWorker(configured(where), { log });
    try {
      const waiting = await create(core.service, await makeStack(database, org.orgId));
      await untilWaiting(core, database, org);
      const stackKey = await makeStack(database, org.orgId, { queued_timeout_ms: 20_000 });
      const holder = await create(core.service, stackKey);
      const queued = await create(core.service, stackKey);
      await deploymentSees(core, waiting, "waiting");
      await deploymentSees(core, queued, "queued");
      process.kill(server.pid, "SIGKILL");
      await server.exited;
      server = await startTemporal({ ...options, ports: server.ports });
      const began = performance.now();
      for (const [id, status] of [
        [waiting, "waiting"],
        [holder, "pending"],
        [queued, "queued"],
      ] as const) {
        await waitFor(() => viewOf(core, workflowIds.deployment(id)).then((view) => view?.status === status), {
          what: `${id} to be healed`,
          timeoutMs: 60_000,
        });
      }
      expect(performance.now() - began).toBeLessThan(60_000);
      await rowBecomes(database, queued, "skipped");
      expect(await core.decide(waiting, "confirm", { args: { action: "apply" } })).toMatchObject({
        answer: { outcome: "done" },
      });
      expect((await statuses(database, waiting)).runs).toEqual(["plan_run:success", "apply_run:pending"]);
      const metrics = await (await fetch(`${worker.healthUrl}/metrics`)).text();
      expect(metrics).toMatch(/svc_reconciler_healed_total\{workflow="deployment",action="started"\} [1-9]/);
    } finally {
      await worker.close();
      await core.close();
      await server.stop();
    }
  }, 180_000);

  it("heals a Temporal that was set back to an older copy: what it forgot is started, what had ended ends again", async () => {
    const [store, copy] = [join(folder, "old"), join(folder, "copy")];
    const options = { ui: false, dbFile: join(store, "temporal.db"), logFile: join(folder, "old.log") };
    let server = await startTemporal(options);
    const where = { address: server.address, namespace: server.namespace };
    const core = coreAt(where);
    const worker = await startWorker(configured(where), { log });
    try {
      const known = await create(core.service, await makeStack(database, org.orgId));
      await deploymentSees(core, known, "pending");
      // The comparison of the start is over: what heals here is one that was asked for because of the outage.
      const identity = await readIdentity(core.temporal);
      await waitFor(
        () =>
          database.sql`select 1 from temporal_identity where cluster_id = ${identity?.clusterId ?? ""}`.then(
            ({ length }) => length > 0,
          ),
        { what: "the first comparison to end" },
      );
      await server.stop();
      // The file and its log belong together: a clean stop leaves commits in the log.
      await cp(store, copy, { recursive: true });
      server = await startTemporal({ ...options, ports: server.ports });
      expect(await core.decide(known, "cancel", { deadlineMs: 30_000, expiresMs: 30_000 })).toMatchObject({
        answer: { outcome: "done" },
      });
      const forgotten = await create(core.service, await makeStack(database, org.orgId));
      await deploymentSees(core, forgotten, "pending");
      await server.stop();
      await rm(store, { recursive: true });
      await cp(copy, store, { recursive: true });
      server = await startTemporal({ ...options, ports: server.ports });
      await waitFor(async () => (await core.temporal.describe(workflowIds.deployment(forgotten)))?.open, {
        what: "what it forgot to be started",
        timeoutMs: 60_000,
      });
      await waitFor(async () => (await core.temporal.describe(workflowIds.deployment(known)))?.open === false, {
        what: "what had ended to end again",
        timeoutMs: 60_000,
      });
      const metrics = await (await fetch(`${worker.healthUrl}/metrics`)).text();
      expect(metrics).toMatch(/svc_reconciler_healed_total\{workflow="deployment",action="started"\} [1-9]/);
      expect(metrics).toMatch(/svc_reconciler_healed_total\{workflow="deployment",action="reread"\} [1-9]/);
      expect(await core.decide(forgotten, "cancel")).toMatchObject({ answer: { outcome: "done" } });
    } finally {
      await worker.close();
      await core.close();
      await server.stop();
    }
  }, 180_000);
});
