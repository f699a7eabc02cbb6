/** With tracing off nothing is sent, stored or asked for; with a collector that takes nothing, nothing waits for it. */
import { randomBytes } from "node:crypto";
import { afterAll, describe, expect, inject } from "vitest";
import type { RunContext } from "../../src/core/runs/protocol.ts";
import { loadConfig } from "../../src/main/config/config.ts";
import { startWorker } from "../../src/main/service/worker.ts";
import { createLogger } from "../../src/platform/telemetry/log.ts";
import { TRACE_HEADERS } from "../../workflows/contract.ts";
import { workflowIds } from "../../workflows/ids.ts";
import { startCollector } from "../support/collector.ts";
import { openCore } from "../support/core.ts";
import { create, makeOrg, makeStack } from "../support/fixtures.ts";
import { historyToJson } from "../support/histories.ts";
import { deploymentSees, untilWaiting } from "../support/lifecycle.ts";
import { coordinator, runner, startRunnerApi } from "../support/runnerApi.ts";
import { commitFiles, RunnerProcess, removeTemporaryDirectories, runContext } from "../support/runnerProcess.ts";
import { ScriptedService } from "../support/scriptedService.ts";
import { freshNamespace } from "../support/temporal.ts";
import { databaseTest } from "../support/test.ts";
import { waitFor } from "../support/waitFor.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const GIVEN = `00-${TRACE}-00f067aa0ba902b7-01`;

const test = databaseTest()
  .extend("namespace", { scope: "file" }, async ({}, { onCleanup }) => {
    const namespace = await freshNamespace();
    onCleanup(() => namespace.close());
    return namespace;
  })
  .extend("org", { scope: "file" }, ({ database }) => makeOrg(database));

afterAll(() => {
  removeTemporaryDirectories();
});

describe("off", () => {
  test("leaves no header in a history and nothing in a row", async ({ database, org, namespace }) => {
    await using core = openCore(database, namespace);
    await using worker = await core.startWorker().then((started) => ({ [Symbol.asyncDispose]: () => started.stop() }));
    expect(worker).toBeDefined();
    const id = await create(core.service, await makeStack(database, org.orgId));
    await untilWaiting(core, database, org);
    await deploymentSees(core, id, "waiting");
    expect(await core.decide(id, "cancel")).toMatchObject({ answer: { outcome: "done" } });
    const { events } = await namespace.client.workflow.getHandle(workflowIds.deployment(id)).fetchHistory();
    const history = JSON.stringify(historyToJson({ events: events ?? [] }));
    expect(history).toContain("core_local_activity");
    for (const header of Object.values(TRACE_HEADERS)) expect(history).not.toContain(header);
    expect(await database.sql`select 1 from runs where traceparent is not null`).toHaveLength(0);
    expect(await database.sql`select 1 from outbox where traceparent is not null`).toHaveLength(0);
  });

  test("asks no runner for spans, also of a run whose trace was begun when it was on", async ({ database }) => {
    const api = await startRunnerApi(database);
    try {
      const group = await makeOrg(database);
      const { orgId } = group;
      await create(api.service, await makeStack(database, orgId));
      await database.sql`update runs set traceparent = ${GIVEN} where org_id = ${orgId}`;
      const claimed = await (await coordinator(api, group)).claim();
      const accepted = await (await runner(api, group, claimed)).accept();
      expect(accepted.status).toBe(200);
      const context = (await accepted.json()) as RunContext;
      expect(context.run.org_id).toBe(orgId);
      expect(context).not.toHaveProperty("traceparent");
    } finally {
      await api.close();
    }
  });
});

describe("a runner", () => {
  const SOURCE = { "main.tf": 'resource "terraform_data" "x" {}\n' };

  /** One plan by a real runner with this collector; how long its process lasted after the report of its result. */
  async function planned(collectorUrl: string, traceparent: string | undefined) {
    const service = await new ScriptedService().start();
    const coordinating = new RunnerProcess(service, { OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl });
    try {
      const run = service.offer(
        runContext(commitFiles(SOURCE), "plan_run", (context) => {
          if (traceparent !== undefined) context.traceparent = traceparent;
        }),
      );
      await service.until(() => run.done !== null);
      const reportedAt = performance.now();
      expect(await coordinating.exitCode(run)).toBe(0);
      return { run, lastedMs: performance.now() - reportedAt };
    } finally {
      await coordinating.stop();
      await service.stop();
    }
  }

  test("of a run that is in no trace makes no spans and sends no header", async () => {
    const collector = await startCollector();
    const { run } = await planned(collector.url, undefined);
    await collector.close();
    expect(run.done).toMatchObject({ status: "success" });
    expect(run.traceparents.filter((given) => given !== undefined)).toEqual([]);
    expect(collector.text()).toBe("");
  });

  test("of a run whose trace is not kept sends none either, and says so with each call", async () => {
    const collector = await startCollector();
    const { run } = await planned(collector.url, GIVEN.replace(/01$/, "00"));
    await collector.close();
    expect(run.done).toMatchObject({ status: "success" });
    const reports = run.traceparents.filter((_, i) => run.calls[i] === "POST done");
    expect(reports).toEqual([expect.stringMatching(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`))]);
    expect(collector.text()).toBe("");
  });

  test.each([
    ["never answers", () => startCollector({ silent: true })],
    ["is not there", () => null],
  ])("with a collector that %s plans as ever, and is gone soon after", async (_how, open) => {
    const collector = await open();
    const { run, lastedMs } = await planned(collector?.url ?? "http://127.0.0.1:9", GIVEN);
    await collector?.close();
    expect(run.done, run.log).toMatchObject({ status: "success" });
    // The log and the deregistration are in it too.
    expect(lastedMs).toBeLessThan(5_000);
    const begun = run.calls.indexOf("POST accept") + 1;
    expect(begun).toBeGreaterThan(0);
    for (const [at, given] of run.traceparents.entries()) {
      if (at < begun) expect([run.calls[at], given]).toEqual([run.calls[at], undefined]);
      // The run is over by then.
      else if (run.calls[at] !== "DELETE deregister")
        expect([run.calls[at], given?.slice(3, 35)]).toEqual([run.calls[at], TRACE]);
    }
  });
});

test("a worker whose collector never answers carries out decisions as ever, and stops in time", async ({
  database,
  org,
  namespace,
  folder,
}) => {
  const collector = await startCollector({ silent: true });
  await using core = openCore(database, namespace);
  const config = loadConfig(
    {
      SVC_DATABASE_URL: database.url,
      SVC_EXPLORE_DATABASE_URL: database.url,
      SVC_TEMPORAL_ADDRESS: namespace.address,
      SVC_TEMPORAL_NAMESPACE: namespace.namespace,
      SVC_OBJECTS_URL: `file://${folder}/objects`,
      SVC_DATA_ENCRYPTION_PROVIDER: "aes-256",
      SVC_DATA_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
      SVC_WORKER_LISTEN: "127.0.0.1:0",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    },
    "worker",
  );
  const workflowBundle = { codePath: inject("workflowBundlePath") };
  const worker = await startWorker(config, {
    log: createLogger("silent", "test", { write: () => {} }),
    workflowBundle,
  });
  await waitFor(async () => worker.running(), { what: "the worker to poll", timeoutMs: 45_000 });
  for (let round = 0; round < 5; round++) {
    const id = await create(core.service, await makeStack(database, org.orgId));
    await deploymentSees(core, id, "pending");
    expect(await core.decide(id, "cancel")).toMatchObject({ outcome: "answered", answer: { outcome: "done" } });
  }
  const stoppedAt = performance.now();
  await worker.close();
  expect(performance.now() - stoppedAt).toBeLessThan(15_000);
  await collector.close();
});
