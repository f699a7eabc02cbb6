/** API and worker inside this process, configured as an operator would, by environment. */
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { pino } from "pino";
import { createLogger } from "../../platform/telemetry/log.ts";
import { loadConfig } from "../config/config.ts";
import type { Config } from "../config/settings.ts";
import { startApi } from "../service/api.ts";
import { startWorker } from "../service/worker.ts";
import type { Closers } from "./closers.ts";
import type { DataFolder } from "./dataFolder.ts";
import type { Databases, TemporalService } from "./servers.ts";

const READY_MS = 60_000;

export type ServiceAddresses = {
  port: number;
  databases: Databases;
  temporal: TemporalService;
  /** Of the local identity provider, which the service must be able to ask. */
  identityProviderPort: number;
};

export type StartedService = {
  /** Where this machine reaches the API. */
  baseUrl: string;
  /** Where browsers are told to; the same, unless the caller's environment names another. */
  publicBaseUrl: string;
};

/** Start both. */
export async function startService(
  data: DataFolder,
  addresses: ServiceAddresses,
  closers: Closers,
): Promise<StartedService> {
  const config = await serviceConfig(data, addresses);
  const log = (program: string) =>
    createLogger(config.logLevel, program, pino.destination({ dest: data.log(program), mode: 0o600 }));
  const api = await startApi(config, { log: log("api") });
  closers.add(() => api.close());
  const worker = await startWorker(config, { log: log("worker") });
  closers.add(() => worker.close());
  await untilReady(`${worker.healthUrl}/readyz`);
  const baseUrl = `http://127.0.0.1:${api.port}`;
  return { baseUrl, publicBaseUrl: config.publicBaseUrl ?? baseUrl };
}

/** A worker connects in the background; before it polls, a decision would find nobody. */
async function untilReady(url: string): Promise<void> {
  let answer = "no answer";
  for (const deadline = performance.now() + READY_MS; performance.now() < deadline; await setTimeout(50)) {
    const response = await fetch(url);
    answer = await response.text();
    if (response.ok) return;
  }
  throw new Error(`the worker was not ready within ${READY_MS} ms: ${answer}`);
}

/** The caller's SVC_* and RUNNER_* settings hold, but for the addresses and keys of this installation. */
async function serviceConfig(
  data: DataFolder,
  { port, databases, temporal, identityProviderPort }: ServiceAddresses,
): Promise<Config> {
  const opened = [process.env.SVC_EGRESS_ALLOW ?? "", `127.0.0.1:${identityProviderPort}`];
  return loadConfig({
    // The repositories of a first try are folders of this machine, or behind a code host on it.
    SVC_GIT_ALLOW_PROTOCOL: "https:http:ssh:file",
    SVC_BACKEND_PUBLIC_BASE_URL: `http://127.0.0.1:${port}`,
    ...process.env,
    SVC_DATABASE_URL: databases.url,
    SVC_EXPLORE_DATABASE_URL: databases.exploreUrl,
    SVC_TEMPORAL_ADDRESS: temporal.address,
    SVC_TEMPORAL_NAMESPACE: temporal.namespace,
    SVC_TEMPORAL_UI_URL: temporal.uiUrl,
    SVC_OBJECTS_URL: pathToFileURL(data.file("objects")).href,
    SVC_DATA_ENCRYPTION_PROVIDER: "aes-256",
    SVC_DATA_ENCRYPTION_KEY: await data.secret("encryption-key", 32),
    SVC_LISTEN: `127.0.0.1:${port}`,
    SVC_API_HEALTH_LISTEN: process.env.SVC_API_HEALTH_LISTEN || "127.0.0.1:0",
    SVC_WORKER_LISTEN: process.env.SVC_WORKER_LISTEN || "127.0.0.1:0",
    SVC_EGRESS_ALLOW: opened.filter((entry) => entry.trim() !== "").join(","),
  });
}
