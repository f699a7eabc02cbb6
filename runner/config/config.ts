/**
 * Every setting of the reference runner, from the environment only. `docs/operations.md` shows this table; a name that
 * the service also reads with the prefix RUNNER_ (its timeouts) is never reused here.
 */
import { readSetting } from "../../src/platform/settings/read.ts";
import { ConfigError, defaultText, type Setting } from "../../src/platform/settings/setting.ts";
import { COORDINATOR } from "./coordinator.ts";
import type { Isolation } from "./isolation.ts";
import { isLoopback } from "./loopback.ts";
import { RUN } from "./run.ts";

const { serviceUrl, ...ofRuns } = RUN;
/** The address of the service is what a new operator lacks first, so it is asked for first. */
export const RUNNER_SETTINGS = { serviceUrl, ...COORDINATOR, ...ofRuns };

type Values<T> = { [K in keyof T]: T[K] extends Setting<infer V> ? V : never };

/** Everything the coordinator is told by its operator. Times are milliseconds unless the name says otherwise. */
export type RunnerConfig = Values<typeof RUNNER_SETTINGS>;

/** The part of the settings an ephemeral runner works by. */
export type RunSettings = Values<typeof RUN> & {
  /** The plugin cache is one that runs share and only read. */
  pluginCacheShared?: boolean;
  /** What is around this run. */
  isolation?: Isolation;
};

export function runSettings(config: RunnerConfig): RunSettings {
  const keys = Object.keys(RUN) as (keyof typeof RUN)[];
  return Object.fromEntries(keys.map((key) => [key, config[key]])) as unknown as RunSettings;
}

/** @throws ConfigError on the first setting that is missing or malformed. */
export function loadRunnerConfig(env: NodeJS.ProcessEnv = process.env): RunnerConfig {
  const entries = rows().map(([key, setting]) => [key, readSetting(setting, env, assignment)]);
  const config = Object.fromEntries(entries) as RunnerConfig;
  assertPrivate(config);
  return { ...config, serviceUrl: config.serviceUrl.replace(/\/+$/, "") };
}

/** Every answer to accept holds secrets of the run. */
function assertPrivate({ serviceUrl, allowHttp }: RunnerConfig): void {
  const url = new URL(serviceUrl);
  if (url.protocol === "https:" || isLoopback(url) || allowHttp) return;
  throw new ConfigError(
    "RUNNER_SERVICE_URL must begin with https://, since secrets of runs pass there; for example https://deploy.example.com, or RUNNER_ALLOW_HTTP=on",
  );
}

/** The table's rows in order, for the operator's manual. */
export function runnerSettingsTable(): { name: string; what: string; default: string; example: string }[] {
  return rows().map(([, setting]) => {
    const { name, what, example } = setting;
    return { name, what, example, default: defaultText(setting) };
  });
}

function rows(): [string, Setting<unknown>][] {
  return Object.entries(RUNNER_SETTINGS as Record<string, Setting<unknown>>);
}

/** A line that an operator can take over into an environment file. */
function assignment({ name, example }: Setting<unknown>): string {
  return `${name}=${example}`;
}
