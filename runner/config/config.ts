/**
 * Every setting of the reference runner, from the environment only. `docs/operations.md` shows this table; a name that
 * the service also reads with the prefix RUNNER_ (its timeouts) is never reused here.
 */
import * as v from "valibot";
import { duration, integer, listen, serviceUrl, text, words } from "../../src/platform/settings/formats.ts";

/** A setting is missing or malformed. The message is one line that names it and shows a valid value. */
export class RunnerConfigError extends Error {
  override name = "RunnerConfigError";
}

interface Setting<T> {
  name: string;
  what: string;
  example: string;
  schema: v.GenericSchema<string, T>;
  /** Text taken when the variable is unset; `null` means required; `undefined` means optional. */
  fallback: string | null | undefined;
}

function required<T>(name: string, schema: v.GenericSchema<string, T>, example: string, what: string): Setting<T> {
  return { name, schema, example, what, fallback: null };
}

function optional<T>(
  name: string,
  schema: v.GenericSchema<string, T>,
  example: string,
  what: string,
): Setting<T | undefined> {
  return { name, schema, example, what, fallback: undefined };
}

function withDefault<T>(
  name: string,
  schema: v.GenericSchema<string, T>,
  fallback: string,
  what: string,
  example = fallback,
): Setting<T> {
  return { name, schema, fallback, what, example };
}

const path = text(/^\S.*$/, "a file path");
const uuid = text(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, "a lower-case UUID");
const envNames = v.pipe(
  v.string(),
  v.transform((list) =>
    list
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== ""),
  ),
  v.check(
    (names) => names.every((name) => /^[A-Za-z_]\w*$/.test(name) && !name.startsWith("RUNNER_")),
    "expected names of environment variables, comma-separated, none of them RUNNER_*",
  ),
);

const SETTINGS = {
  serviceUrl: required(
    "RUNNER_SERVICE_URL",
    serviceUrl(["https:", "http:"]),
    "https://deploy.example.com",
    "address of the service, without /api/v1",
  ),
  groupId: required(
    "RUNNER_GROUP_ID",
    uuid,
    "0190b7c2-6a1e-7c3d-9f00-5d2f6f1c8a11",
    "id of the runner group this coordinator serves",
  ),
  keyFile: required(
    "RUNNER_KEY_FILE",
    path,
    "/etc/runner/group-key.pem",
    "PEM file with the group's private key; it is watched, so a rotated key needs no restart",
  ),
  workDir: required(
    "RUNNER_WORK_DIR",
    path,
    "/var/lib/runner",
    "directory that holds one private directory per live run",
  ),
  maxConcurrent: withDefault("RUNNER_MAX_CONCURRENT", integer(1, 1_000), "4", "runs this coordinator works on at once"),
  listen: withDefault(
    "RUNNER_LISTEN",
    listen,
    "127.0.0.1:8082",
    "address of /healthz, /readyz and /metrics; port 0 takes any free one",
  ),
  pollWaitSeconds: withDefault(
    "RUNNER_POLL_WAIT_SECONDS",
    integer(0, 50),
    "50",
    "how long the service may hold an empty poll",
  ),
  heartbeatMs: withDefault(
    "RUNNER_HEARTBEAT_INTERVAL",
    duration,
    "PT15S",
    "time between two heartbeats of the coordinator",
  ),
  statusMs: withDefault(
    "RUNNER_STATUS_INTERVAL",
    duration,
    "PT5S",
    "time between two status calls of a live run; a cancel is noticed this late",
  ),
  logMs: withDefault("RUNNER_LOG_INTERVAL", duration, "PT2S", "time between two pushes of the live log"),
  cancelGraceMs: withDefault(
    "RUNNER_CANCEL_GRACE",
    duration,
    "PT2M",
    "time an interrupted engine gets to save its state before it is killed; keep it below the service's RUNNER_CANCELLATION_TIMEOUT",
  ),
  drainMs: withDefault(
    "RUNNER_DRAIN_TIMEOUT",
    duration,
    "PT10M",
    "time live runs get to end by themselves after SIGTERM, before they are interrupted",
  ),
  terraformPath: optional(
    "RUNNER_TERRAFORM_PATH",
    path,
    "/usr/local/bin/terraform",
    "the terraform program; unset means the one on PATH",
  ),
  tofuPath: optional("RUNNER_TOFU_PATH", path, "/usr/local/bin/tofu", "the tofu program; unset means the one on PATH"),
  cliConfigFile: optional(
    "RUNNER_CLI_CONFIG_FILE",
    path,
    "/etc/runner/cli.tfrc",
    "CLI configuration of the engine; unset means an empty one of the run's own",
  ),
  pluginCacheDir: optional(
    "RUNNER_PLUGIN_CACHE_DIR",
    path,
    "/var/cache/runner/plugins",
    "directory of provider caches, one per slot; unset means none",
  ),
  gitAllowProtocol: withDefault(
    "RUNNER_GIT_ALLOW_PROTOCOL",
    words(["https", "ssh", "http", "git", "file"], ":"),
    "https:ssh",
    "transports git may use, joined by colons",
  ),
  gitSshCommand: optional(
    "RUNNER_GIT_SSH_COMMAND",
    text(/^\S.*$/, "a command"),
    "ssh -i /etc/runner/deploy_key",
    "command git uses for ssh",
  ),
  engineEnv: withDefault(
    "RUNNER_ENGINE_ENV",
    envNames,
    "",
    "further variables of the runner's environment that engines may see, comma-separated",
    "VAULT_ADDR,KUBECONFIG",
  ),
  logLevel: withDefault(
    "RUNNER_LOG_LEVEL",
    v.picklist(["fatal", "error", "warn", "info", "debug", "trace", "silent"]),
    "info",
    "least serious log line written",
  ),
  otlpEndpoint: optional(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    serviceUrl(["https:", "http:"]),
    "http://otel-collector.internal:4318",
    "OpenTelemetry collector that spans of runs are sent to, over OTLP/HTTP; unset: there are none",
  ),
  otlpTracesEndpoint: optional(
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    serviceUrl(["https:", "http:"]),
    "http://otel-collector.internal:4318/v1/traces",
    "the same as a full address",
  ),
};

type Values<T> = { [K in keyof T]: T[K] extends Setting<infer V> ? V : never };

/** Everything the coordinator is told by its operator. Times are milliseconds unless the name says otherwise. */
export type RunnerConfig = Values<typeof SETTINGS>;

const RUN_SETTINGS = [
  "serviceUrl",
  "statusMs",
  "logMs",
  "cancelGraceMs",
  "terraformPath",
  "tofuPath",
  "cliConfigFile",
  "pluginCacheDir",
  "gitAllowProtocol",
  "gitSshCommand",
  "engineEnv",
  "logLevel",
  "otlpEndpoint",
  "otlpTracesEndpoint",
] as const satisfies (keyof RunnerConfig)[];

/** The part of the settings an ephemeral runner works by. */
export type RunSettings = Pick<RunnerConfig, (typeof RUN_SETTINGS)[number]>;

export function runSettings(config: RunnerConfig): RunSettings {
  return Object.fromEntries(RUN_SETTINGS.map((key) => [key, config[key]])) as RunSettings;
}

/** @throws RunnerConfigError on the first setting that is missing or malformed. */
export function loadRunnerConfig(env: NodeJS.ProcessEnv = process.env): RunnerConfig {
  const entries = Object.entries(SETTINGS as Record<string, Setting<unknown>>).map(([key, setting]) => [
    key,
    read(setting, env),
  ]);
  const config = Object.fromEntries(entries) as RunnerConfig;
  return { ...config, serviceUrl: config.serviceUrl.replace(/\/+$/, "") };
}

/** The table's rows in order, for the operator's manual. */
export function runnerSettingsTable(): { name: string; what: string; default: string; example: string }[] {
  return Object.values(SETTINGS as Record<string, Setting<unknown>>).map(({ name, what, fallback, example }) => ({
    name,
    what,
    example,
    default: fallback === null ? "required" : (fallback ?? "") === "" ? "none" : String(fallback),
  }));
}

function read(setting: Setting<unknown>, env: NodeJS.ProcessEnv): unknown {
  // An empty variable is an unset one: container files cannot unset what they inherit.
  const given = env[setting.name] === "" ? undefined : env[setting.name];
  const raw = given ?? setting.fallback;
  if (raw === undefined) return undefined;
  const hint = `for example ${setting.name}=${setting.example}`;
  if (raw === null) throw new RunnerConfigError(`${setting.name} is not set: ${setting.what}; ${hint}`);
  const parsed = v.safeParse(setting.schema, raw, { abortEarly: true });
  if (parsed.success) return parsed.output;
  const shown = JSON.stringify(raw.slice(0, 80));
  throw new RunnerConfigError(
    `${setting.name} ${parsed.issues[0].message}, not ${shown}; ${hint}`.replace(/\s+/g, " "),
  );
}
