/** The product's HTTP application called in process, so that a bench can count the statements of one request. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Dispatcher } from "../../src/core/dispatch/dispatcher.ts";
import { logReading } from "../../src/core/logs/logsRoute.ts";
import { noHost } from "../../src/core/pullRequests/host.ts";
import { GroupKeys } from "../../src/core/runnerIdentity/keys.ts";
import { noSources } from "../../src/core/runnerProtocol/context.ts";
import { runnerProtocolRoutes } from "../../src/core/runnerProtocol/protocolRoutes.ts";
import { webhookBodies } from "../../src/exchange/scm/webhookBody.ts";
import { createApp } from "../../src/main/app/app.ts";
import { credentialSchemes } from "../../src/main/app/credentialSchemes.ts";
import { openSignIn } from "../../src/people/sso/openSignIn.ts";
import { createKeyring, type Keyring } from "../../src/platform/crypto/keyring.ts";
import { createEgress } from "../../src/platform/egress/egress.ts";
import { openObjectStore } from "../../src/platform/objects/openStore.ts";
import { sealedObjects } from "../../src/platform/objects/sealed.ts";
import { createLogger } from "../../src/platform/telemetry/log.ts";
import type { BenchContext } from "./bench.ts";
import type { BenchDatabase } from "./servers.ts";
import { defaultConfig, quietMetrics, quietService } from "./service.ts";

export type InProcessApp = {
  request(path: string, init?: RequestInit): Promise<Response>;
  /** What it seals secrets with. */
  keyring: Keyring;
};

/** Everything but Temporal: messages to workflows stay in the outbox, and nobody answers decisions. */
export async function openApp({ closers, folder }: BenchContext, { db }: BenchDatabase): Promise<InProcessApp> {
  const config = defaultConfig();
  const limits = { rateLimit: config.dispatch.rateLimit, maxPerOrg: config.dispatch.maxPerOrg };
  const dispatcher = new Dispatcher(db, limits);
  closers.add(async () => dispatcher.close());
  const keyring = createKeyring({ provider: "aes-256", key: randomBytes(32), previousKeys: [] });
  const objects = sealedObjects(openObjectStore(`file://${join(folder, "objects")}`), keyring);
  const service = { ...quietService(db), runsPending: () => dispatcher.hint() };
  const metrics = quietMetrics();
  const log = createLogger("silent", "bench");
  const egress = createEgress(config.egress);
  closers.add(() => egress.close());
  const signIn = await openSignIn({ config, db, keyring, egress, metrics, log });
  const app = createApp({
    explore: db,
    service,
    config,
    log,
    metrics,
    readiness: {},
    schemes: credentialSchemes(db, signIn.origin),
    deployments: {
      sender: { decide: async () => "unavailable" },
      headOf: () => Promise.reject(new Error("no code host here")),
      decisionDeadlineMs: config.decisionDeadlineMs,
    },
    pullRequests: { host: noHost, inbox: async () => null },
    scm: { checkHost: async () => {}, publicBaseUrl: undefined, bodies: webhookBodies(5_242_880) },
    notifications: { egress },
    providers: new Map(),
    logs: logReading({ db, objects, keyring, graceMs: config.runnerTokenGraceMs }, () => {}),
    objects,
    keyring,
    signIn,
    runnerRoutes: runnerProtocolRoutes({
      service,
      keys: new GroupKeys(db),
      dispatcher,
      limits,
      objects,
      keyring,
      sources: noSources,
      metrics,
      graceMs: config.runnerTokenGraceMs,
      artifactBytes: 1_000_000,
    }),
  });
  return { request: async (path, init) => app.request(`/api/v1/${path}`, init), keyring };
}
