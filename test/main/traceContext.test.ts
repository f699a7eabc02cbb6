/**
 * Whose trace an activity belongs to: of the message that caused it, whatever else goes on in its workflow, and after
 * any replay.
 */
import { SpanKind } from "@opentelemetry/api";
import { Worker } from "@temporalio/worker";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { cascadeActivities } from "../../activities/cascades.ts";
import { startRelay } from "../../src/orchestration/relay/relay.ts";
import { outboxSender } from "../../src/orchestration/relay/send.ts";
import { activityInterceptors } from "../../src/orchestration/temporal/worker.ts";
import { currentTraceparent, outsideTrace } from "../../src/platform/telemetry/traceContext.ts";
import { openTraces, type Traces } from "../../src/platform/telemetry/traces.ts";
import { TASK_QUEUES, TRACE_HEADERS } from "../../workflows/contract.ts";
import { workflowIds } from "../../workflows/ids.ts";
import { applied, children, dependsOn, testCascade } from "../support/cascades.ts";
import { type CollectedSpan, type Collector, edges, startCollector } from "../support/collector.ts";
import { openCore, type TestCore } from "../support/core.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { create, makeOrg, makeStack, type TestOrg } from "../support/fixtures.ts";
import { historyFromJson, historyToJson } from "../support/histories.ts";
import { deploymentSees, rowBecomes, untilWaiting } from "../support/lifecycle.ts";
import { freshNamespace, type TestTemporal, type TestWorker } from "../support/temporal.ts";
import { waitFor } from "../support/waitFor.ts";

let database: TestDatabase;
let namespace: TestTemporal;
let collector: Collector;
let traces: Traces;
let core: TestCore;
let org: TestOrg;
beforeAll(async () => {
  [database, namespace, collector] = await Promise.all([freshDatabase(), freshNamespace(), startCollector()]);
  process.env.OTEL_BSP_SCHEDULE_DELAY = "50";
  const settings = { endpoint: collector.url, tracesEndpoint: undefined, sampleRatio: 1 };
  traces = (await openTraces("worker", settings)) as Traces;
  core = openCore(database, namespace, {}, traces.tracer);
  org = await makeOrg(database);
});
afterAll(async () => {
  await core.close();
  await namespace.close();
  await traces.close();
  await collector.close();
  await database.close();
});

/** Do it as a request would, in a trace of its own. @returns the trace's id beside what it answered */
async function inSpan<T>(name: string, work: () => Promise<T>): Promise<{ traceId: string; value: T }> {
  return traces.tracer.startActiveSpan(name, { root: true, kind: SpanKind.SERVER }, async (span) => {
    try {
      return { traceId: span.spanContext().traceId, value: await work() };
    } finally {
      span.end();
    }
  });
}

const of = (workflowId: string, name: string) =>
  collector.spans.filter((span) => span.name === name && span.attributes["temporal.workflow.id"] === workflowId);

function spansOf(workflowId: string, name: string, count: number): Promise<CollectedSpan[]> {
  const found = async () => of(workflowId, name).length >= count && of(workflowId, name);
  return waitFor(found, { what: `${count} times ${name}`, timeoutMs: 45_000, everyMs: 50 });
}

async function withWorker<T>(
  options: Parameters<TestCore["startWorker"]>[0],
  work: (worker: TestWorker) => Promise<T>,
): Promise<T> {
  const worker = await core.startWorker(options);
  try {
    return await work(worker);
  } finally {
    await worker.stop();
  }
}

async function historyOf(workflowId: string) {
  const { events } = await namespace.client.workflow.getHandle(workflowId).fetchHistory();
  return historyToJson({ events: events ?? [] });
}

describe.each([
  ["kept in memory", {}],
  ["replayed whenever another one had its place", { maxCachedWorkflows: 1 }],
])("a workflow %s", (_how, options) => {
  it("carries out decisions that come at once each in the trace of its own request", async () => {
    await withWorker(options, async () => {
      const stackKey = await makeStack(database, org.orgId);
      await create(core.service, stackKey);
      const begun = await inSpan("create", () => create(core.service, stackKey));
      const workflowId = workflowIds.deployment(begun.value);
      await deploymentSees(core, begun.value, "queued");
      const asked = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          inSpan("decide", () => core.decide(begun.value, i % 2 === 0 ? "prioritize" : "deprioritize")),
        ),
      );
      for (const { value } of asked) expect(value).toMatchObject({ outcome: "answered", answer: { outcome: "done" } });
      const decided = await spansOf(workflowId, "RunActivity:decide", 8);
      expect(decided.map(({ traceId }) => traceId).sort()).toEqual(asked.map(({ traceId }) => traceId).sort());
      for (const { links } of decided) expect(links).toEqual([begun.traceId]);

      // A history that was made with trace context is repeated as it was.
      const history = await historyOf(workflowId);
      expect(JSON.stringify(history)).toContain(TRACE_HEADERS.cause);
      const stored = [{ workflowId, history: historyFromJson(JSON.parse(JSON.stringify(history))) }];
      const bundle = { workflowBundle: { codePath: inject("workflowBundlePath") } };
      for await (const { error } of Worker.runReplayHistories(bundle, stored)) expect(error).toBeUndefined();
    });
  });

  it("begins a trace where a timer wakes it, with a link to the one that began the deployment", async () => {
    await withWorker(options, async () => {
      // Of its own, so that the next pending run is this deployment's.
      const own = await makeOrg(database);
      const stackKey = await makeStack(database, own.orgId, { confirmation_timeout_ms: 4_000 });
      const begun = await inSpan("create", () => create(core.service, stackKey));
      const workflowId = workflowIds.deployment(begun.value);
      // Else what wakes it may be sent first, and it would have begun in that trace.
      await deploymentSees(core, begun.value, "pending");
      const report = await inSpan("report", () => untilWaiting(core, database, own));
      await rowBecomes(database, begun.value, "skipped");
      const [passed] = await spansOf(workflowId, "RunActivity:deploymentDeadline", 1);
      expect(passed).toMatchObject({ parentId: null, links: [begun.traceId] });
      // Before that it slept, until it was woken because the run had ended; the first time by the look above.
      const reads = await spansOf(workflowId, "RunActivity:readDeployment", 2);
      expect(reads[1]?.traceId).toBe(report.traceId);
    });
  });
});

it("stays in its trace when a failing local activity is done by a regular one, beside others of which that is true", async () => {
  const tries = new Map<string, number>();
  const wrap: NonNullable<NonNullable<Parameters<TestCore["startWorker"]>[0]>["wrap"]> = (activities) => ({
    ...activities,
    decide: (deploymentId, decisionId) => {
      const tried = (tries.get(decisionId) ?? 0) + 1;
      tries.set(decisionId, tried);
      if (tried <= 4) throw Object.assign(new Error("canary-text"), { code: "ECONNREFUSED" });
      return activities.decide(deploymentId, decisionId);
    },
  });
  await withWorker({ wrap }, async () => {
    const begun = await inSpan("create", async () => create(core.service, await makeStack(database, org.orgId)));
    await deploymentSees(core, begun.value, "pending");
    const decisions = ["prioritize", "deprioritize", "prioritize"] as const;
    const asked = await Promise.all(decisions.map((kind) => inSpan(kind, () => core.decide(begun.value, kind))));
    const spans = await spansOf(workflowIds.deployment(begun.value), "RunActivity:decide", 15);
    for (const { traceId, value } of asked) {
      expect(value).toMatchObject({ answer: { outcome: "done" } });
      const told = spans
        .filter((span) => span.traceId === traceId)
        .map(({ attributes: a, failed }) => [a["temporal.activity.local"], a["temporal.activity.attempt"], failed]);
      expect(told).toEqual([
        [true, 1, true],
        [true, 2, true],
        [true, 3, true],
        [false, 1, true],
        [false, 2, false],
      ]);
    }
    expect(spans[0]?.attributes["error.type"]).toBe("DatabaseUnavailable");
    expect(collector.text()).not.toContain("canary-text");
  });
});

it("goes on from the outbox when another process sends what its writer could not", async () => {
  await withWorker({}, async () => {
    const dying = { ...core.service, sendSoon: () => {} };
    const begun = await inSpan("create", async () => create(dying, await makeStack(database, org.orgId)));
    const [row] = await database.sql`select traceparent from outbox where traceparent like ${`00-${begun.traceId}-%`}`;
    expect(row).toBeDefined();
    const relay = startRelay({
      db: database.db,
      send: outboxSender(core.temporal, async () => {}),
      idlePollMs: 200,
    });
    const [started] = await spansOf(workflowIds.deployment(begun.value), "StartWorkflow:deployment", 1);
    await relay.close();
    expect(started?.traceId).toBe(begun.traceId);
    const spans = collector.spans.filter(({ traceId }) => traceId === begun.traceId);
    expect(edges(spans)).toEqual(
      expect.arrayContaining(["worker create <- nothing", "worker StartWorkflow:deployment <- worker create"]),
    );
  });
});

it("is another for each deployment of a cascade, linked to that of the apply", async () => {
  const cascading = await namespace.startWorker({
    taskQueue: TASK_QUEUES.cascade,
    activities: cascadeActivities(testCascade(core.service)),
    interceptors: { activity: activityInterceptors({ tracer: traces.tracer }) },
  });
  await withWorker({}, async () => {
    const own = await makeOrg(database);
    const stack = () => makeStack(database, own.orgId, { auto_approve_mode: "auto" });
    const [parent, ...dependents] = [await stack(), await stack(), await stack(), await stack()];
    for (const dependent of dependents) await dependsOn(database, dependent, parent);
    const apply = await inSpan("apply", () => applied(core.service, database, own, parent));
    await spansOf(workflowIds.cascade(apply.value), "RunActivity:resolveDependents", 1);
    const found = async () => {
      const some = collector.spans.filter(({ name }) => name === "trigger a dependent");
      return some.length === dependents.length && some;
    };
    const triggers = await waitFor(found, { what: "a span for each dependent", timeoutMs: 45_000 });
    expect(new Set(triggers.map(({ traceId }) => traceId)).size).toBe(dependents.length);
    for (const { parentId, links } of triggers) expect([parentId, links]).toEqual([null, [apply.traceId]]);
    for (const dependent of dependents) {
      const [child] = await children(database, dependent);
      const [started] = await spansOf(workflowIds.deployment(child?.id as string), "StartWorkflow:deployment", 1);
      expect(triggers.map(({ traceId }) => traceId)).toContain(started?.traceId);
      expect(started?.links).toEqual([]);
    }
  });
  await cascading.stop();
});

it("is none for what a job wakes", async () => {
  const { value } = await inSpan("job", async () => [currentTraceparent(), outsideTrace(currentTraceparent)]);
  expect(value).toEqual([expect.stringMatching(/^00-/), null]);
});
