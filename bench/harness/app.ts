/** The product's HTTP application called in process, so that a bench can count the statements of one request. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Dispatcher } from "../../src/core/dispatch/dispatcher.ts";
import { noSources } from "../../src/core/runnerProtocol/context.ts";
import { gatedEgress } from "../../src/main/app/gatedEgress.ts";
import { wire } from "../../src/main/app/wire.ts";
import { defaultConfig } from "../../src/main/config/defaultConfig.ts";
import { createKeyring, type Keyring } from "../../src/platform/crypto/keyring.ts";
import { openObjectStore } from "../../src/platform/objects/openStore.ts";
import { sealedObjects } from "../../src/platform/objects/sealed.ts";
import { createLogger } from "../../src/platform/telemetry/log.ts";
import type { BenchContext } from "./bench.ts";
import type { BenchDatabase } from "./servers.ts";
import { quietMetrics, quietService } from "./service.ts";

export type InProcessApp = {
  request(path: string, init?: RequestInit): Promise<Response>;
  /** What it seals secrets with. */
  keyring: Keyring;
};

/** Everything but Temporal: messages to workflows stay in the outbox, and nobody answers decisions. */
export async function openApp({ closers, folder }: BenchContext, { db }: BenchDatabase): Promise<InProcessApp> {
  const config = defaultConfig();
  const dispatcher = new Dispatcher(db, config.dispatch);
  closers.add(async () => dispatcher.close());
  const keyring = createKeyring({ provider: "aes-256", key: randomBytes(32), previousKeys: [] });
  const egress = gatedEgress(config.egress);
  closers.add(() => egress.close());
  const given = {
    service: { ...quietService(db), runsPending: () => dispatcher.hint() },
    explore: db,
    dispatcher,
    sender: { decide: async () => "unavailable", decideMany: async () => "unavailable" },
    keyring,
    objects: sealedObjects(openObjectStore(`file://${join(folder, "objects")}`), keyring),
    egress,
    metrics: quietMetrics(),
    log: createLogger("silent", "bench"),
  } as const;
  const { app } = await wire(config, given, { sources: noSources });
  return { request: async (path, init) => app.request(`/api/v1/${path}`, init), keyring };
}
