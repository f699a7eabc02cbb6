/** The application on a real server over a test's database, wired as the API wires it. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { Dispatcher } from "../../src/core/dispatch/dispatcher.ts";
import { HintListener, HintSender } from "../../src/core/dispatch/pendingHints.ts";
import { answerClientErrors } from "../../src/http/clientErrors.ts";
import { gatedEgress } from "../../src/main/app/gatedEgress.ts";
import { type Given, type Replaced, type Wired, wire } from "../../src/main/app/wire.ts";
import { defaultConfig } from "../../src/main/config/defaultConfig.ts";
import type { Config } from "../../src/main/config/settings.ts";
import { createKeyring } from "../../src/platform/crypto/keyring.ts";
import { openObjectStore } from "../../src/platform/objects/openStore.ts";
import { sealedObjects } from "../../src/platform/objects/sealed.ts";
import { createLogger } from "../../src/platform/telemetry/log.ts";
import { createMetrics } from "../../src/platform/telemetry/metrics.ts";
import type { TestDatabase } from "./database.ts";
import { type TestService, testService } from "./fixtures.ts";

export type TestApp = Pick<Wired<TestService>, "app" | "service" | "runners"> &
  Pick<Given<TestService>, "keyring" | "objects" | "metrics"> & {
    /** Where `objects` are files. */
    objectFolder: string;
    baseUrl: string;
    /** Log lines so far, parsed. */
    logged: Record<string, unknown>[];
    close(): Promise<void>;
  };

export type AppChoices = Replaced &
  Partial<Pick<Given<TestService>, "explore" | "keyring" | "objects" | "console">> & {
    /** Stands where the workflows are. */
    sender?: Partial<Given<TestService>["sender"]>;
    /** Settings as an operator gives them. */
    env?: NodeJS.ProcessEnv;
    /** Settings that no environment could give. */
    settings?: Partial<Config>;
    timeouts?: Partial<TestService["timeouts"]>;
    /** How often the dispatcher looks for runs of its own accord. */
    lookEveryMs?: number;
    /** Whether other processes' hints are heard, and sent. */
    hints?: boolean;
  };

/** Where decisions go in a test that makes none. */
const noSender = {
  decide: () => Promise.reject(new Error("not part of this test")),
  decideMany: () => Promise.reject(new Error("not part of this test")),
};

export async function startApp(database: TestDatabase, choices: AppChoices = {}): Promise<TestApp> {
  const folder = await mkdtemp(join(tmpdir(), "svc-objects-"));
  const server = serve({ fetch: (request, env) => app.fetch(request, env), hostname: "127.0.0.1", port: 0 });
  answerClientErrors(server);
  await new Promise<void>((resolve) => (server.listening ? resolve() : server.once("listening", () => resolve())));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = {
    SVC_BACKEND_PUBLIC_BASE_URL: baseUrl,
    SVC_CLOUD_B_PROJECTS: "*:acme",
    // Tests that forge many are not tests of this.
    SVC_BAD_CREDENTIALS_PER_MINUTE: "100000",
    ...choices.env,
  };
  const config = { ...defaultConfig(env), ...choices.settings };

  const { db } = database;
  const dispatcher = new Dispatcher(db, config.dispatch, choices.lookEveryMs);
  let onAccess = () => {};
  const hints = choices.hints ? startHints(database, dispatcher, () => onAccess()) : null;
  const { keyring = createKeyring({ provider: "aes-256", key: randomBytes(32), previousKeys: [] }) } = choices;
  const { objects = sealedObjects(openObjectStore(`file://${folder}`), keyring) } = choices;
  const egress = gatedEgress(config.egress);
  const logged: Record<string, unknown>[] = [];
  const log = createLogger("debug", "test", { write: (line: string) => void logged.push(JSON.parse(line)) });
  const metrics = createMetrics();
  const { app, service, runners, logs } = await wire(
    config,
    {
      ...{ dispatcher, keyring, objects, egress, metrics, log },
      service: {
        ...testService(database, choices.timeouts),
        quotas: config.quotas,
        ...(hints && { runsPending: hints.send }),
      },
      explore: choices.explore ?? db,
      sender: { ...noSender, ...choices.sender },
      console: choices.console ?? null,
    },
    { txt: async () => [], ...choices },
  );
  onAccess = () => logs.access.changed();
  return {
    ...{ app, service, runners, keyring, objects, objectFolder: folder, metrics, baseUrl, logged },
    async close() {
      dispatcher.close();
      await hints?.close();
      await new Promise((resolve) => server.close(resolve));
      await egress.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function startHints({ db, url }: TestDatabase, dispatcher: Dispatcher, onAccess: () => void) {
  const listener = new HintListener(url, () => dispatcher.hint(), onAccess);
  listener.start();
  const sender = new HintSender(db);
  return {
    send() {
      dispatcher.hint();
      sender.send();
    },
    async close() {
      await listener.close();
      sender.close();
    },
  };
}
