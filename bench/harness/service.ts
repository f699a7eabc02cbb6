/** The product's use cases without HTTP and Temporal around them: messages to workflows stay in the outbox. */
import { loadConfig } from "../../src/main/config/config.ts";
import type { Config } from "../../src/main/config/settings.ts";
import type { Db } from "../../src/platform/db/client.ts";
import { createMetrics, type Metrics } from "../../src/platform/telemetry/metrics.ts";
import type { Service } from "../../src/work/service.ts";

/** The default limits of a production installation, by the product's own table. */
export function defaultConfig(env: NodeJS.ProcessEnv = {}): Config {
  return loadConfig({
    SVC_DATABASE_URL: "postgres://unused.test/unused",
    SVC_EXPLORE_DATABASE_URL: "postgres://unused.test/unused",
    SVC_TEMPORAL_ADDRESS: "unused.test:7233",
    SVC_OBJECTS_URL: "file:///unused",
    SVC_DATA_ENCRYPTION_PROVIDER: "aes-256",
    SVC_DATA_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString("base64"),
    ...env,
  });
}

export function quietService(db: Db): Service {
  return { db, timeouts: defaultConfig().timeouts, sendSoon: () => {}, runsPending: () => {}, audit: () => {} };
}

export function quietMetrics(): Metrics {
  return createMetrics();
}
