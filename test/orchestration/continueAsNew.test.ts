/** A deployment whose history grows: it continues as new, and no decision is lost on the way. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTemporal, type TemporalDevServer } from "../../src/main/dev/temporal.ts";
import { ensureNamespace } from "../../src/orchestration/temporal/namespace.ts";
import { openTraces, type Traces } from "../../src/platform/telemetry/traces.ts";
import { workflowIds } from "../../workflows/ids.ts";
import { type Collector, startCollector } from "../support/collector.ts";
import { openCore, type TestCore } from "../support/core.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { create, makeOrg, makeStack } from "../support/fixtures.ts";
import { deploymentSees, rowBecomes } from "../support/lifecycle.ts";
import { connectTo, type TestTemporal } from "../support/temporal.ts";

let database: TestDatabase;
let server: TemporalDevServer;
let temporal: TestTemporal;
let core: TestCore;
let collector: Collector;
let traces: Traces;
beforeAll(async () => {
  collector = await startCollector();
  traces = (await openTraces("worker", {
    endpoint: collector.url,
    tracesEndpoint: undefined,
    sampleRatio: 1,
  })) as Traces;
  [database, server] = await Promise.all([
    freshDatabase({ max: 20 }),
    // A suggestion after some twenty decisions instead of after a thousand.
    startTemporal({ ui: false, dynamicConfig: { "limit.historyCount.suggestContinueAsNew": 200 } }),
  ]);
  temporal = await connectTo(server.address, server.namespace);
  core = openCore(database, temporal, {}, traces.tracer);
  await ensureNamespace(core.temporal);
  await core.startWorker();
});
afterAll(async () => {
  await core.close();
  await temporal.close();
  await server.stop();
  await traces.close();
  await collector.close();
  await database.close();
});

it("answers every one of 120 decisions sent across several runs, keeps its timer, its search attributes and its trace", async () => {
  const org = await makeOrg(database);
  const stackKey = await makeStack(database, org.orgId, { queued_timeout_ms: 60_000 });
  await create(core.service, stackKey);
  const { traceId, id: queued } = await traces.tracer.startActiveSpan("create", async (span) => {
    const id = await create(core.service, stackKey);
    span.end();
    return { traceId: span.spanContext().traceId, id };
  });
  const workflowId = workflowIds.deployment(queued);
  await deploymentSees(core, queued, "queued");
  const first = await core.temporal.describe(workflowId);
  const sender = async (kind: "prioritize" | "deprioritize") => {
    for (let i = 0; i < 20; i++) {
      expect(await core.decide(queued, kind)).toMatchObject({ outcome: "answered", answer: { outcome: "done" } });
    }
  };
  await Promise.all([1, 2, 3].flatMap(() => [sender("prioritize"), sender("deprioritize")]));
  const last = await core.temporal.describe(workflowId);
  expect(last?.runId).not.toBe(first?.runId);
  expect(last?.open).toBe(true);
  const { typedSearchAttributes } = await temporal.client.workflow.getHandle(workflowId).describe();
  expect(typedSearchAttributes.getAll().map(({ key }) => key.name)).toEqual(
    expect.arrayContaining(["DeploymentId", "StackKey"]),
  );
  expect(await database.sql`select 1 from decisions where answer ->> 'outcome' = 'done'`).toHaveLength(120);

  await database.advanceClock(61_000);
  await core.temporal.signal(workflowId, "reread");
  await rowBecomes(database, queued, "skipped");

  // What happens in the last of the runs still belongs to the trace that began the first.
  await traces.close();
  const decided = collector.spans.filter(({ name }) => name === "RunActivity:decide");
  expect(decided).toHaveLength(120);
  // Nobody traced the requests, so they count as its own.
  expect(new Set(decided.map((span) => span.traceId))).toEqual(new Set([traceId]));
});
