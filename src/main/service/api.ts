/**
 * The API, ready to be started by its program or inside another: people's and runners' routes on one address. Any number
 * of copies may run.
 */
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { sql } from "drizzle-orm";
import type { Hono } from "hono";
import { openRuntimeProviders } from "../../core/cloud/openProviders.ts";
import { preflightOf } from "../../core/cloud/preflight.ts";
import { runtimeCredentials } from "../../core/cloud/runtimeCredentials.ts";
import { contextEnvironment } from "../../core/contexts/environment.ts";
import { Dispatcher } from "../../core/dispatch/dispatcher.ts";
import { HintListener } from "../../core/dispatch/pendingHints.ts";
import { queueFigures } from "../../core/dispatch/queueFigures.ts";
import { logReading } from "../../core/logs/logsRoute.ts";
import { GroupKeys } from "../../core/runnerIdentity/keys.ts";
import { runnerProtocolRoutes } from "../../core/runnerProtocol/protocolRoutes.ts";
import { headFrom } from "../../exchange/scm/headFrom.ts";
import { openHosts } from "../../exchange/scm/host/hosts.ts";
import { commitHost } from "../../exchange/scm/host/ports.ts";
import { refreshInbox } from "../../exchange/scm/inbox.ts";
import { cloneCredentials } from "../../exchange/scm/source.ts";
import { webhookBodies } from "../../exchange/scm/webhookBody.ts";
import { openSignIn } from "../../people/sso/openSignIn.ts";
import { createKeyring } from "../../platform/crypto/keyring.ts";
import { connect } from "../../platform/db/client.ts";
import { createEgress } from "../../platform/egress/egress.ts";
import { openObjectStore } from "../../platform/objects/openStore.ts";
import { sealedObjects } from "../../platform/objects/sealed.ts";
import { createLogger, type Logger } from "../../platform/telemetry/log.ts";
import { createMetrics } from "../../platform/telemetry/metrics.ts";
import { requestSpans } from "../../platform/telemetry/requestSpans.ts";
import { lostSpans, openTraces } from "../../platform/telemetry/traces.ts";
import { createApp } from "../app/app.ts";
import { credentialSchemes } from "../app/credentialSchemes.ts";
import type { Config } from "../config/settings.ts";
import { checkSealingKeys } from "../operator/sealingKeys.ts";
import { startOrchestration } from "./orchestration.ts";

export type Api = {
  port: number;
  /** Take no new requests, answer waiting polls, finish the rest, close every connection. A second call waits for the first. */
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
  const db = connect(config.database.url, { max: config.database.poolSize, name: "svc-api" });
  // Of their own, so that slow reads of people's routes never keep a runner from its run.
  const runnerDb = connect(config.database.url, { max: config.database.runnerPoolSize, name: "svc-api-runners" });
  const explore = connect(config.database.exploreUrl, { max: EXPLORE_POOL, name: "svc-api-explore" });
  const traces = await openTraces("api", config.traces, lostSpans(log));
  const limits = { rateLimit: config.dispatch.rateLimit, maxPerOrg: config.dispatch.maxPerOrg };
  const dispatcher = new Dispatcher(runnerDb, limits);
  metrics.scrape.before(queueFigures(db, metrics));
  const orchestration = startOrchestration({
    config,
    db,
    log,
    metrics,
    tracer: traces?.tracer,
    onRunsPending: () => dispatcher.hint(),
  });
  const egress = createEgress(config.egress);
  const providers = openRuntimeProviders(config.cloud, egress);
  const { decider } = orchestration;
  const service = { ...orchestration.service, preflight: preflightOf(db, providers) };
  const hosts = openHosts({ egress, keyring });
  const hints = new HintListener(config.database.url, () => dispatcher.hint());
  hints.start();

  const logs = logReading({ db, objects, keyring, graceMs: config.runnerTokenGraceMs }, (error) =>
    log.warn({ err: error }, "an event stream broke off"),
  );

  const signIn = await openSignIn({ config, db, keyring, egress, metrics, log });
  const app = createApp({
    service,
    explore,
    config,
    log,
    metrics,
    requestSpans: traces && requestSpans(traces.tracer, config.traces),
    readiness: { database: () => db.execute(sql`select 1`) },
    schemes: credentialSchemes(db, signIn.origin),
    deployments: {
      sender: decider,
      headOf: headFrom(config, { db, egress, hosts }),
      decisionDeadlineMs: config.decisionDeadlineMs,
    },
    pullRequests: { host: commitHost(db, hosts), inbox: refreshInbox },
    scm: {
      checkHost: egress.checkHost,
      publicBaseUrl: config.publicBaseUrl,
      bodies: webhookBodies(config.scm.webhookMaxBytes),
    },
    notifications: { egress },
    providers,
    logs,
    objects,
    keyring,
    signIn,
    runnerRoutes: runnerProtocolRoutes({
      service: { ...service, db: runnerDb },
      keys: new GroupKeys(runnerDb),
      dispatcher,
      limits,
      objects,
      keyring,
      sources: {
        environment: (subject) => contextEnvironment(runnerDb, keyring, subject),
        runtimeCredentials: (subject, signal) => runtimeCredentials(runnerDb, providers, subject, signal),
        scmCredentials: async ({ orgId, repositoryUrl }) =>
          repositoryUrl === null ? null : cloneCredentials(runnerDb, hosts, { orgId, repositoryUrl }),
      },
      metrics,
      graceMs: config.runnerTokenGraceMs,
      artifactBytes: config.artifactMaxBytes,
    }),
  });

  const release = async () => {
    await Promise.all([hints.close(), orchestration.close(), egress.close()]);
    await Promise.all([...[db, runnerDb, explore].map((pool) => pool.$client.end({ timeout: 5 })), traces?.close()]);
  };
  const server = await listen(app, config.listen).catch(async (error: unknown) => {
    dispatcher.close();
    await release();
    throw error;
  });
  log.info({ port: server.port }, "api started");

  let stopping: Promise<void> | undefined;
  const stop = async () => {
    const drained = server.drain();
    dispatcher.close();
    logs.feed.close();
    await drained;
    await release();
    log.info("api stopped");
  };
  return {
    port: server.port,
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
