/** The product's use cases without HTTP and Temporal around them: messages to workflows stay in the outbox. */
import { defaultConfig } from "../../src/main/config/defaultConfig.ts";
import type { Db } from "../../src/platform/db/client.ts";
import { createMetrics, type Metrics } from "../../src/platform/telemetry/metrics.ts";
import type { Service } from "../../src/work/service.ts";

export function quietService(db: Db): Service {
  const { timeouts, quotas } = defaultConfig();
  return { db, timeouts, quotas, sendSoon: () => {}, runsPending: () => {}, audit: () => {} };
}

export function quietMetrics(): Metrics {
  return createMetrics();
}
