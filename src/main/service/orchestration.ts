/** What both programs need to reach Temporal and to carry out transitions: port, outbox relay, upkeep, decisions. */
import type { Tracer } from "@opentelemetry/api";
import { TASK_QUEUES } from "../../../workflows/contract.ts";
import { HintSender } from "../../core/dispatch/pendingHints.ts";
import { fanOut } from "../../exchange/notifications/fanOut.ts";
import { decisionRows, endedAsleep } from "../../orchestration/reconciler/decisionRows.ts";
import { startUpkeep, type Upkeep } from "../../orchestration/reconciler/upkeep.ts";
import { type Relay, startRelay } from "../../orchestration/relay/relay.ts";
import { outboxSender } from "../../orchestration/relay/send.ts";
import { openTemporal, type Temporal } from "../../orchestration/temporal/client.ts";
import { clientSpans } from "../../orchestration/temporal/clientSpans.ts";
import { type Decider, decider } from "../../orchestration/temporal/decide.ts";
import type { Db } from "../../platform/db/client.ts";
import { auditLogger, type Logger } from "../../platform/telemetry/log.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import type { Service } from "../../work/service.ts";
import type { Config } from "../config/settings.ts";

export type Orchestration = {
  service: Service;
  temporal: Temporal;
  decider: Decider;
  relay: Relay;
  upkeep: Upkeep;
  /** Stop relay and upkeep, then disconnect from Temporal. The pool is its opener's to close, afterwards. */
  close(): Promise<void>;
};

export type OrchestrationOptions = {
  config: Pick<Config, "temporal" | "timeouts" | "quotas" | "publicBaseUrl">;
  db: Db;
  log: Logger;
  metrics: Pick<Metrics, "outboxSent" | "outboxWindow" | "deadlineOvershoot">;
  /** Absent: no spans are made. */
  tracer?: Tracer | undefined;
  /**
   * Longest time between two looks at the outbox. Absent: at boot, when this process wrote what is patient, and after
   * one of its sends failed. That is enough for an API, since workers look every second.
   */
  idlePollMs?: number;
  /** Runs became claimable: told to this process's own pollers, beside the hint to other processes. */
  onRunsPending?: (selectorIds: string[]) => void;
};

/** Nothing here waits for Temporal or Postgres to be there. */
export function startOrchestration(options: OrchestrationOptions): Orchestration {
  const { config, db, log, metrics, tracer, idlePollMs, onRunsPending = () => {} } = options;
  const temporal = openTemporal(config.temporal, tracer === undefined ? [] : [clientSpans(tracer)]);
  const relay = startRelay({
    db,
    send: outboxSender(
      temporal,
      async (eventId) => void (await fanOut(service, config.publicBaseUrl, eventId)),
      (deploymentId) => endedAsleep(db, deploymentId),
    ),
    backlog: () => temporal.backlogMs([TASK_QUEUES.core, TASK_QUEUES.notify]),
    ...(idlePollMs !== undefined && { idlePollMs }),
    onError: (error) => log.warn({ err: error }, "outbox relay"),
    window: (urgency, size) => metrics.outboxWindow.set({ class: urgency }, size),
    count: (path, outcome) => metrics.outboxSent.inc({ path, outcome }),
  });
  const hints = new HintSender(db);
  const audit = auditLogger(log);
  const service: Service = {
    db,
    timeouts: config.timeouts,
    quotas: config.quotas,
    sendSoon: relay.sendSoon,
    runsPending(selectorIds) {
      onRunsPending(selectorIds);
      hints.send();
    },
    audit: (line) => audit.info(line),
    deadlinePassed: (deadline, ms) => metrics.deadlineOvershoot.observe({ deadline }, ms / 1000),
  };
  const upkeep = startUpkeep({
    db,
    temporal,
    onError: (error) => log.warn({ err: error }, "Temporal is out of reach"),
    onReachable: relay.wake,
  });
  return {
    service,
    temporal,
    decider: decider(temporal, decisionRows(db), (reason) =>
      log.warn({ reason }, "no workflow carried out a decision in time"),
    ),
    relay,
    upkeep,
    async close() {
      await Promise.all([upkeep.close(), relay.close()]);
      hints.close();
      await temporal.close();
    },
  };
}
