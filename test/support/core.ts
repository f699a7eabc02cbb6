/** The Temporal side of the product around a test's database and namespace: port, relay, workers; no HTTP. */
import type { Tracer } from "@opentelemetry/api";
import { coreActivities } from "../../activities/core.ts";
import type { BatchKind } from "../../src/core/deployments/endTogether.ts";
import { type BatchAnswer, submitBatch } from "../../src/core/deployments/submitBatch.ts";
import { fanOut } from "../../src/exchange/notifications/fanOut.ts";
import { decisionRows, endedAsleep } from "../../src/orchestration/reconciler/decisionRows.ts";
import { type Relay, startRelay } from "../../src/orchestration/relay/relay.ts";
import { outboxSender } from "../../src/orchestration/relay/send.ts";
import { openTemporal, type Temporal } from "../../src/orchestration/temporal/client.ts";
import { clientSpans } from "../../src/orchestration/temporal/clientSpans.ts";
import { type Decider, decider } from "../../src/orchestration/temporal/decide.ts";
import { activityInterceptors } from "../../src/orchestration/temporal/worker.ts";
import type { Service } from "../../src/work/service.ts";
import type { Timeouts } from "../../src/work/timeouts.ts";
import type { DecisionKind } from "../../workflows/contract.ts";
import type { CoreActivities } from "../../workflows/views.ts";
import type { TestDatabase } from "./database.ts";
import { ACTOR, TIMEOUTS } from "./fixtures.ts";
import type { TestTemporal, TestWorker } from "./temporal.ts";

export type TestCore = {
  service: Service;
  temporal: Temporal;
  relay: Relay;
  decider: Decider;
  /** Run a worker of the core queue; `wrap` may stand between workflow and activities. */
  startWorker(options?: WorkerChoices): Promise<TestWorker>;
  /** Record a decision and send it through the workflow; `answer` is what its row says afterwards. */
  decide(deploymentId: string, kind: DecisionKind, choices?: DecisionChoices): Promise<Decided>;
  /** The same about many of one stack; what the rows say, by deployment. */
  decideMany(deploymentIds: readonly string[], kind: BatchKind, deadlineMs?: number): Promise<Map<string, BatchAnswer>>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

export type WorkerChoices = { maxCachedWorkflows?: number; wrap?: (activities: CoreActivities) => CoreActivities };
export type DecisionChoices = { args?: Record<string, string>; deadlineMs?: number; expiresMs?: number };
export type Decided = { id: string; outcome: string; answer: { outcome: string } | null };

export function openCore(
  database: TestDatabase,
  namespace: Pick<TestTemporal, "address" | "namespace" | "startWorker">,
  timeouts: Partial<Timeouts> = {},
  tracer?: Tracer,
): TestCore {
  const { db, sql } = database;
  const settings = {
    address: namespace.address,
    namespace: namespace.namespace,
    tlsCaFile: undefined,
    tlsCertFile: undefined,
    tlsKeyFile: undefined,
  };
  const temporal = openTemporal(settings, tracer === undefined ? [] : [clientSpans(tracer)]);
  const relay = startRelay({
    db,
    send: outboxSender(
      temporal,
      async (id) => void (await fanOut(service, "https://deploy.example", id)),
      (id) => endedAsleep(db, id),
    ),
    idlePollMs: 1_000,
  });
  const service: Service = {
    db,
    timeouts: { ...TIMEOUTS, ...timeouts },
    sendSoon: relay.sendSoon,
    runsPending: () => {},
    audit: () => {},
  };
  const sender = decider(temporal, decisionRows(db));
  const close = async () => {
    await relay.close();
    await temporal.close();
  };
  return {
    service,
    temporal,
    relay,
    decider: sender,
    startWorker: ({ wrap = (activities: CoreActivities) => activities, ...options } = {}) =>
      namespace.startWorker({
        taskQueue: "core",
        activities: wrap(coreActivities(service)),
        interceptors: { activity: activityInterceptors({ tracer }) },
        ...options,
      }),
    async decide(deploymentId, kind, { args = {}, deadlineMs = 10_000, expiresMs = 10_000 } = {}) {
      const [row] = await sql`
        insert into decisions (org_id, deployment_id, kind, principal_id, principal_kind, arguments, expires_at)
        select org_id, id, ${kind}, ${ACTOR.id}, ${ACTOR.kind}, ${sql.json(args)}, svc_now() + ${expiresMs} * interval '1 millisecond'
        from deployments where id = ${deploymentId} returning id`;
      const outcome = await sender.decide(deploymentId, kind, row?.id, deadlineMs);
      const [after] = await sql`select answer from decisions where id = ${row?.id}`;
      return { id: row?.id, outcome, answer: after?.answer };
    },
    async decideMany(deploymentIds, kind, deadlineMs = 10_000) {
      const [row] = await sql`select org_id from deployments where id = ${deploymentIds[0] as string}`;
      return submitBatch(service, sender, { orgId: row?.org_id, deploymentIds, kind, actor: ACTOR }, deadlineMs);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
