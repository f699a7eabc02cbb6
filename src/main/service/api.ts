/**
 * The API, ready to be started by its program or inside another: people's and runners' routes on one address, its
 * figures on another. Any number of copies may run.
 */
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { sql } from "drizzle-orm";
import type { Hono } from "hono";
import { Dispatcher } from "../../core/dispatch/dispatcher.ts";
import { HintListener } from "../../core/dispatch/pendingHints.ts";
import { queueFigures } from "../../core/dispatch/queueFigures.ts";
import { answerClientErrors } from "../../http/clientErrors.ts";
import { createKeyring } from "../../platform/crypto/keyring.ts";
import { connect } from "../../platform/db/client.ts";
import { refusalLog } from "../../platform/egress/refusalLog.ts";
import { openObjectStore } from "../../platform/objects/openStore.ts";
import { sealedObjects } from "../../platform/objects/sealed.ts";
import { listenAt } from "../../platform/settings/listening.ts";
import { createLogger, type Logger } from "../../platform/telemetry/log.ts";
import { createMetrics } from "../../platform/telemetry/metrics.ts";
import { requestSpans } from "../../platform/telemetry/requestSpans.ts";
import { lostSpans, openTraces } from "../../platform/telemetry/traces.ts";
import { openConsole } from "../app/consoleBundle.ts";
import { gatedEgress } from "../app/gatedEgress.ts";
import { wire } from "../app/wire.ts";
import type { Config } from "../config/settings.ts";
import { checkSealingKeys } from "../operator/sealingKeys.ts";
import { startHealthServer } from "./healthServer.ts";
import { startOrchestration } from "./orchestration.ts";
import { openReplicas } from "./replicas.ts";

export type Api = {
  port: number;
  /** Where `/readyz` and `/metrics` answer. */
  healthUrl: string;
  /**
   * Take no new requests, answer waiting polls, finish the rest, close every connection. A second call waits for the
   * first.
   */
  close(): Promise<void>;
};

/** Connections to the explore database: a search may take a while, and must not take everybody's. */
const EXPLORE_POOL = 5;

/** How long a request in flight may take to finish once the program was told to stop. */
const DRAIN_MS = 10_000;

/** Start the API. It needs neither Temporal nor Postgres to be there, and outlives both. */
export async function startApi(config: Config, options: { log?: Logger } = {}): Promise<Api> {
  const log = options.log ?? createLogger(config.logLevel, "api");
  const metrics = createMetrics();
  const keyring = createKeyring(config.encryption);
  await keyring.check();
  await checkSealingKeys(config.database.url, keyring);
  const store = openObjectStore(config.objects.url);
  await store.check();
  const objects = sealedObjects(store, keyring);
  const { statementMs } = config.database;
  const db = connect(config.database.url, { max: config.database.poolSize, name: "svc-api", statementMs });
  // Of their own, so that slow reads of people's routes never keep a runner from its run.
  const runnerDb = connect(config.database.url, {
    max: config.database.runnerPoolSize,
    name: "svc-api-runners",
    statementMs,
  });
  const explore = connect(config.database.exploreUrl, { max: EXPLORE_POOL, name: "svc-api-explore", statementMs });
  const { lists, ...replicas } = openReplicas(config.database, { db, explore }, { log, metrics });
  const traces = await openTraces("api", config.traces, lostSpans(log));
  const dispatcher = new Dispatcher(runnerDb, config.dispatch);
  metrics.scrape.before(queueFigures(db, metrics));
  const orchestration = startOrchestration({
    config,
    db,
    log,
    metrics,
    tracer: traces?.tracer,
    onRunsPending: () => dispatcher.hint(),
  });
  const egress = gatedEgress(config.egress, { onRefused: refusalLog(log) });
  const { app, logs } = await wire(config, {
    ...{ runnerDb, dispatcher, keyring, objects, egress, metrics, log },
    explore: replicas.explore,
    service: { ...orchestration.service, ...(lists && { lists }) },
    sender: orchestration.decider,
    requestSpans: traces && requestSpans(traces.tracer, config.traces),
    console: await openConsole(),
  });

  const hints = new HintListener(
    config.database.url,
    () => dispatcher.hint(),
    () => logs.access.changed(),
  );
  hints.start();

  const release = async () => {
    await Promise.all([hints.close(), orchestration.close(), egress.close(), replicas.close()]);
    await Promise.all([...[db, runnerDb, explore].map((pool) => pool.$client.end({ timeout: 5 })), traces?.close()]);
  };
  const closeAfterFailure = async (error: unknown): Promise<never> => {
    dispatcher.close();
    await release();
    throw error;
  };
  // Temporal is not asked: with it away the API still serves.
  const checks = { database: () => db.execute(sql`select 1`) };
  const health = await startHealthServer(config.apiHealthListen, checks, metrics).catch(closeAfterFailure);
  const server = await listenAt(config.listen, (port) => listen(app, { ...config.listen, port })).catch(
    async (error: unknown) => {
      await health.close();
      return closeAfterFailure(error);
    },
  );
  log.info({ port: server.port, health: health.url }, "api started");

  let stopping: Promise<void> | undefined;
  const stop = async () => {
    const drained = server.drain();
    dispatcher.close();
    logs.feed.close();
    await drained;
    await Promise.all([release(), health.close()]);
    log.info("api stopped");
  };
  return {
    port: server.port,
    healthUrl: health.url,
    close() {
      stopping ??= stop();
      return stopping;
    },
  };
}

type HttpServer = { port: number; drain(): Promise<void> };

function listen<E extends object>({ fetch }: Hono<E>, { host, port }: Config["listen"]): Promise<HttpServer> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch, hostname: host, port }, (address: AddressInfo) => {
      resolve({ port: address.port, drain });
    });
    answerClientErrors(server);
    server.on("error", reject);
    const drain = () =>
      new Promise<void>((done) => {
        const hurry = setTimeout(() => "closeAllConnections" in server && server.closeAllConnections(), DRAIN_MS);
        // Idle connections close at once, busy ones after their answer.
        server.close(() => {
          clearTimeout(hurry);
          done();
        });
      });
  });
}
