/** How the programs listen, are reached and tell of themselves. */
import * as v from "valibot";
import { baseUrl, integer, listen, onOff, ratio, serviceUrl, text } from "../../platform/settings/formats.ts";
import { optional, withDefault } from "../../platform/settings/setting.ts";

export const PROGRAMS = {
  listen: withDefault("SVC_LISTEN", listen, "127.0.0.1:8080", {
    what: "address of the API; port 0 takes any free one",
    unit: "host:port",
  }),
  apiHealthListen: withDefault("SVC_API_HEALTH_LISTEN", listen, "127.0.0.1:8082?", {
    what: "address of the API's /readyz and /metrics, which are not for everybody; a `?` behind the port: any free one where it is taken",
    unit: "host:port",
  }),
  workerListen: withDefault("SVC_WORKER_LISTEN", listen, "127.0.0.1:8081?", {
    what: "address of the worker's /healthz, /readyz and /metrics; a `?` behind the port: any free one where it is taken",
    unit: "host:port",
  }),
  workflowBundle: optional("SVC_WORKFLOW_BUNDLE", text(/^\S.*$/, "a file path"), {
    what: "workflows bundled beforehand, so that a worker starts a second sooner; unset: bundled at start",
    unit: "path",
    example: "/app/workflows.js",
  }),
  publicBaseUrl: optional("SVC_BACKEND_PUBLIC_BASE_URL", baseUrl, {
    what: "the address people and hosts reach the service at; webhook addresses are shown only when it is set",
    unit: "URL",
    example: "https://deploy.example.com",
  }),
  temporalUiUrl: optional("SVC_TEMPORAL_UI_URL", baseUrl, {
    what: "where people open Temporal's own pages; a deployment then names that of its workflow",
    unit: "URL",
    example: "https://temporal.example.com",
  }),
  trustedProxies: withDefault("SVC_TRUSTED_PROXIES", integer(0, 10), "0", {
    what: "how many proxies in front append to X-Forwarded-For",
    unit: "count",
  }),
  badCredentialsPerMinute: withDefault("SVC_BAD_CREDENTIALS_PER_MINUTE", integer(1, 1_000_000), "60", {
    what: "tokens of unknown runner groups and unknown webhook addresses that are looked up for a client address a minute; for one group or integration, wrong signatures",
    unit: "requests/min",
  }),
  logLevel: withDefault(
    "SVC_LOG_LEVEL",
    v.picklist(["fatal", "error", "warn", "info", "debug", "trace", "silent"]),
    "info",
    {
      what: "least serious log line written",
      unit: "level",
    },
  ),
  traces: {
    endpoint: optional("OTEL_EXPORTER_OTLP_ENDPOINT", baseUrl, {
      what: "OpenTelemetry collector that traces are sent to, over OTLP/HTTP; /v1/traces is added. Unset: there are no traces",
      unit: "URL",
      example: "http://otel-collector.internal:4318",
    }),
    tracesEndpoint: optional("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", serviceUrl(["https:", "http:"]), {
      what: "the same as a full address, for collectors that take traces at another path",
      unit: "URL",
      example: "http://otel-collector.internal:4318/v1/traces",
    }),
    sampleRatio: withDefault("SVC_TRACES_SAMPLE_RATIO", ratio, "1", {
      what: "part of the traces that is kept, decided once where a trace begins",
      unit: "0 to 1",
    }),
    joinCallers: withDefault("SVC_TRACES_JOIN_CALLERS", onOff, "off", {
      what: "whether requests of people and hosts go on with the traceparent they bring; on only behind a gateway that sets it",
      unit: "on or off",
    }),
  },
};
