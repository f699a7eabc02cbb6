import { loadConfig } from "./config.ts";
import type { Config } from "./settings.ts";

/**
 * The defaults of the table and, where it has none, places at which nothing answers: for what connects to nothing of
 * these.
 */
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
