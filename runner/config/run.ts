/** What an ephemeral runner works by too: the coordinator hands it these. */
import * as v from "valibot";
import { duration, onOff, serviceUrl, text, words } from "../../src/platform/settings/formats.ts";
import { optional, required, withDefault } from "../../src/platform/settings/setting.ts";
import { ESCAPES } from "./escapes.ts";
import { filePath, variableNames } from "./formats.ts";

export const RUN = {
  serviceUrl: required("RUNNER_SERVICE_URL", serviceUrl(["https:", "http:"]), {
    what: "address of the service, without /api/v1",
    unit: "URL",
    example: "https://deploy.example.com",
  }),
  statusMs: withDefault("RUNNER_STATUS_INTERVAL", duration, "PT5S", {
    what: "time between two status calls of a live run; a cancel is noticed this late, or after 10 s while nobody follows the log",
    unit: "duration",
  }),
  logMs: withDefault("RUNNER_LOG_INTERVAL", duration, "PT2S", {
    what: "time between two pushes of the live log; up to five times as long while nobody follows it",
    unit: "duration",
  }),
  cancelGraceMs: withDefault("RUNNER_CANCEL_GRACE", duration, "PT2M", {
    what: "time an interrupted engine gets to save its state before it is killed; keep it below the service's RUNNER_CANCELLATION_TIMEOUT",
    unit: "duration",
  }),
  terraformPath: optional("RUNNER_TERRAFORM_PATH", filePath, {
    what: "the terraform program; unset means the one on PATH",
    unit: "path",
    example: "/usr/local/bin/terraform",
  }),
  tofuPath: optional("RUNNER_TOFU_PATH", filePath, {
    what: "the tofu program; unset means the one on PATH",
    unit: "path",
    example: "/usr/local/bin/tofu",
  }),
  cliConfigFile: optional("RUNNER_CLI_CONFIG_FILE", filePath, {
    what: "CLI configuration of the engine; unset means an empty one of the run's own",
    unit: "path",
    example: "/etc/runner/cli.tfrc",
  }),
  pluginCacheDir: optional("RUNNER_PLUGIN_CACHE_DIR", filePath, {
    what: "directory of provider caches, one per slot; unset means none",
    unit: "path",
    example: "/var/cache/runner/plugins",
  }),
  gitAllowProtocol: withDefault(
    "RUNNER_GIT_ALLOW_PROTOCOL",
    words(["https", "ssh", "http", "git", "file"], ":"),
    "https:ssh",
    {
      what: "transports git may use, joined by colons",
      unit: "names joined by :",
    },
  ),
  gitLoginsByHttp: withDefault("RUNNER_GIT_LOGINS_BY_HTTP", onOff, "off", {
    what: "whether git may send credentials by plain http elsewhere than on this machine; they are then readable on the way",
    unit: "on or off",
  }),
  gitSshCommand: optional("RUNNER_GIT_SSH_COMMAND", text(/^\S.*$/, "a command"), {
    what: "command git uses for ssh",
    unit: "command",
    example: "ssh -i /etc/runner/deploy_key",
  }),
  engineEnv: withDefault("RUNNER_ENGINE_ENV", variableNames, "", {
    what: "further variables of the runner's environment that engines may see, comma-separated",
    unit: "list",
    example: "VAULT_ADDR,KUBECONFIG",
  }),
  logEscapes: withDefault(
    "RUNNER_LOG_ESCAPES",
    v.picklist(ESCAPES, `expected one of ${ESCAPES.join(", ")}`),
    "styles",
    {
      what: "what of a program's terminal sequences gets into a log: `styles`, colors and weights alone; `raw`, all of them, for whoever replays logs",
      unit: "name",
    },
  ),
  logLevel: withDefault(
    "RUNNER_LOG_LEVEL",
    v.picklist(["fatal", "error", "warn", "info", "debug", "trace", "silent"]),
    "info",
    {
      what: "least serious log line written",
      unit: "level",
    },
  ),
  otlpEndpoint: optional("OTEL_EXPORTER_OTLP_ENDPOINT", serviceUrl(["https:", "http:"]), {
    what: "OpenTelemetry collector that spans of runs are sent to, over OTLP/HTTP; unset: there are none",
    unit: "URL",
    example: "http://otel-collector.internal:4318",
  }),
  otlpTracesEndpoint: optional("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", serviceUrl(["https:", "http:"]), {
    what: "the same as a full address",
    unit: "URL",
    example: "http://otel-collector.internal:4318/v1/traces",
  }),
};
