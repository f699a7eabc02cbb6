/**
 * Every setting of the service, from the environment only. The table below is the single list: names are the
 * specification's where it gives one, and `docs/operations.md` is checked against it by a test.
 */
import * as v from "valibot";
import { PROVIDER_TYPES } from "./cloud/providerType.ts";
import {
  arns,
  between,
  byteKeys,
  bytesKey,
  cidrs,
  duration,
  durations,
  hours,
  integer,
  kmsKeyArn,
  listen,
  port,
  ratio,
  serviceUrl,
  someOf,
  text,
  words,
} from "./configFormats.ts";

/** One setting: its environment variable, what it is for, how its text is read, and a valid example. */
interface Setting<T> {
  name: string;
  what: string;
  unit: string;
  example: string;
  schema: v.GenericSchema<string, T>;
  /** Text taken when the variable is unset; `null` means required; `undefined` means optional, and absent when unset. */
  fallback: string | null | undefined;
  /** Its text must never be shown, also not in the message that refuses it. */
  secret: boolean;
}

type Describe = { what: string; unit: string; example: string; secret?: boolean };

function required<T>(name: string, schema: v.GenericSchema<string, T>, about: Describe): Setting<T> {
  return { name, schema, fallback: null, secret: false, ...about };
}

function optional<T>(name: string, schema: v.GenericSchema<string, T>, about: Describe): Setting<T | undefined> {
  return { name, schema, fallback: undefined, secret: false, ...about };
}

function withDefault<T>(
  name: string,
  schema: v.GenericSchema<string, T>,
  fallback: string,
  about: Omit<Describe, "example">,
): Setting<T> {
  return { name, schema, fallback, example: fallback, secret: false, ...about };
}

const postgresUrl = serviceUrl(["postgres:", "postgresql:"]);
const POSTGRES_EXAMPLE = "postgres://svc:secret@db.internal:5432/svc";
const KEY_EXAMPLE = "the output of: openssl rand -base64 32";
const KMS_KEY_EXAMPLE = "arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab";
const onOff = v.pipe(
  v.picklist(["on", "off"]),
  v.transform((word) => word === "on"),
);

const SETTINGS = {
  database: {
    url: required("SVC_DATABASE_URL", postgresUrl, {
      what: "the database that holds every fact",
      unit: "URL",
      example: POSTGRES_EXAMPLE,
      secret: true,
    }),
    exploreUrl: required("SVC_EXPLORE_DATABASE_URL", postgresUrl, {
      what: "the database of the resource index and findings; may be the same server",
      unit: "URL",
      example: "postgres://svc:secret@db.internal:5432/svc_explore",
      secret: true,
    }),
    poolSize: withDefault("SVC_DATABASE_POOL", integer(1, 500), "10", {
      what: "connections per process for people's routes, activities and the relay",
      unit: "connections",
    }),
    runnerPoolSize: withDefault("SVC_DATABASE_RUNNER_POOL", integer(1, 500), "10", {
      what: "connections per API process kept for runner routes alone",
      unit: "connections",
    }),
  },
  temporal: {
    address: required("SVC_TEMPORAL_ADDRESS", text(/^[^\s/:]+:\d{1,5}$|^\[[0-9a-fA-F:]+\]:\d{1,5}$/, "host:port"), {
      what: "the Temporal cluster's front end",
      unit: "host:port",
      example: "temporal.internal:7233",
    }),
    namespace: withDefault("SVC_TEMPORAL_NAMESPACE", text(/^[\w.-]{1,200}$/, "a namespace name"), "deployments", {
      what: "the namespace all workflows live in",
      unit: "name",
    }),
    tlsCaFile: optional("SVC_TEMPORAL_TLS_CA_FILE", text(/^\S.*$/, "a file path"), {
      what: "PEM file of the authority that signed the cluster's certificate; setting any of the three turns TLS on",
      unit: "path",
      example: "/etc/svc/temporal-ca.pem",
    }),
    tlsCertFile: optional("SVC_TEMPORAL_TLS_CERT_FILE", text(/^\S.*$/, "a file path"), {
      what: "PEM file of the client certificate",
      unit: "path",
      example: "/etc/svc/temporal.pem",
    }),
    tlsKeyFile: optional("SVC_TEMPORAL_TLS_KEY_FILE", text(/^\S.*$/, "a file path"), {
      what: "PEM file of the client key",
      unit: "path",
      example: "/etc/svc/temporal-key.pem",
    }),
  },
  objects: {
    url: required("SVC_OBJECTS_URL", serviceUrl(["file:", "s3:"]), {
      what: "where plan artifacts, sealed logs and sources are kept, encrypted",
      unit: "URL",
      example: "s3://bucket/prefix?region=eu-west-1 or file:///var/lib/svc/objects",
      secret: true,
    }),
  },
  encryption: {
    provider: required(
      "SVC_DATA_ENCRYPTION_PROVIDER",
      v.picklist(["aes-256", "aws-kms-aes-256"], "expected aes-256 or aws-kms-aes-256"),
      {
        what: "how secrets and artifacts are encrypted at rest: by a key of your own or by keys that AWS KMS makes",
        unit: "name",
        example: "aes-256",
      },
    ),
    key: optional("SVC_DATA_ENCRYPTION_KEY", bytesKey(32), {
      what: "with aes-256: the key that encrypts; 32 random bytes",
      unit: "base64",
      example: KEY_EXAMPLE,
      secret: true,
    }),
    previousKeys: withDefault("SVC_DATA_ENCRYPTION_PREVIOUS_KEYS", byteKeys(32), "", {
      what: "keys that only decrypt, so that a key can be rotated; comma-separated; with either provider",
      unit: "base64 list",
      secret: true,
    }),
    kmsKey: optional("SVC_DATA_ENCRYPTION_KMS_KEY", kmsKeyArn, {
      what: "with aws-kms-aes-256: the KMS key that encrypts, a symmetric one; its ARN, not an alias",
      unit: "ARN",
      example: KMS_KEY_EXAMPLE,
    }),
    previousKmsKeys: withDefault("SVC_DATA_ENCRYPTION_PREVIOUS_KMS_KEYS", arns, "", {
      what: "KMS keys that only decrypt; comma-separated; with either provider",
      unit: "ARN list",
    }),
    kmsEndpoint: optional("SVC_DATA_ENCRYPTION_KMS_ENDPOINT", serviceUrl(["https:", "http:"]), {
      what: "address of KMS when it is not the public one of the key's region",
      unit: "URL",
      example: "https://vpce-0123.kms.eu-west-1.vpce.amazonaws.com",
    }),
  },
  listen: withDefault("SVC_LISTEN", listen, "127.0.0.1:8080", {
    what: "address of the API; port 0 takes any free one",
    unit: "host:port",
  }),
  workerListen: withDefault("SVC_WORKER_LISTEN", listen, "127.0.0.1:8081", {
    what: "address of the worker's /healthz, /readyz and /metrics",
    unit: "host:port",
  }),
  workflowBundle: optional("SVC_WORKFLOW_BUNDLE", text(/^\S.*$/, "a file path"), {
    what: "workflows bundled beforehand, so that a worker starts a second sooner; unset: bundled at start",
    unit: "path",
    example: "/app/workflows.js",
  }),
  publicBaseUrl: optional("SVC_BACKEND_PUBLIC_BASE_URL", serviceUrl(["https:", "http:"]), {
    what: "the address people and hosts reach the service at; webhook addresses are shown only when it is set",
    unit: "URL",
    example: "https://deploy.example.com",
  }),
  trustedProxies: withDefault("SVC_TRUSTED_PROXIES", integer(0, 10), "0", {
    what: "how many proxies in front append to X-Forwarded-For",
    unit: "count",
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
    endpoint: optional("OTEL_EXPORTER_OTLP_ENDPOINT", serviceUrl(["https:", "http:"]), {
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
  orgDefaults: {
    maxUsers: withDefault("SVC_DEFAULT_MAX_USERS", integer(1, 1_000_000), "1", {
      what: "max_users stored on a new organization",
      unit: "members",
    }),
    runsPerHour: withDefault("SVC_DEFAULT_RUNS_PER_HOUR", integer(1, 1_000_000), "2", {
      what: "runs_per_hour_limit stored on a new organization",
      unit: "runs/hour",
    }),
  },
  dispatch: {
    rateLimit: withDefault("SVC_DISPATCH_RATE_LIMIT", onOff, "on", {
      what: "whether an organization's runs-per-hour budget is enforced",
      unit: "on or off",
    }),
    maxPerOrg: optional("SVC_DISPATCH_MAX_PER_ORG", integer(1, 1_000_000), {
      what: "most runs of one organization in flight at once; unset means no cap",
      unit: "runs",
      example: "50",
    }),
  },
  taskProcessorConcurrency: withDefault("SVC_TASK_PROCESSOR_CONCURRENCY", integer(1, 100), "4", {
    what: "background tasks at once, per worker process",
    unit: "tasks",
  }),
  cascadesPerSecond: withDefault("SVC_CASCADE_TRIGGERS_PER_SECOND", integer(1, 10_000), "15", {
    what: "deployments that cascades make a second, per worker process, so that thousands of dependents keep nobody else waiting",
    unit: "deployments/s",
  }),
  decisionDeadlineMs: withDefault("SVC_DECISION_DEADLINE", duration, "PT10S", {
    what: "how long a confirm, skip or cancel may wait for a workflow before it answers 503",
    unit: "duration",
  }),
  timeouts: {
    assignmentMs: withDefault("RUNNER_ASSIGNMENT_TIMEOUT", duration, "PT2M", {
      what: "how long a claimed run may stay unaccepted",
      unit: "duration",
    }),
    maxAssignmentAttempts: withDefault("RUNNER_MAX_ASSIGNMENT_ATTEMPTS", integer(1, 1_000), "5", {
      what: "claims of one run before it ends startup_timeout",
      unit: "claims",
    }),
    startupDeadlineMs: withDefault("RUNNER_STARTUP_DEADLINE", duration, "PT48H", {
      what: "how long a run may wait for a runner, counted from first_pending_at",
      unit: "duration",
    }),
    executionMs: withDefault("RUNNER_EXECUTION_TIMEOUT", duration, "PT1H", {
      what: "how long a running run may stay silent",
      unit: "duration",
    }),
    cancellationMs: withDefault("RUNNER_CANCELLATION_TIMEOUT", duration, "PT10M", {
      what: "how long a runner may stay silent after a cancel was requested",
      unit: "duration",
    }),
    maxRunDurationMs: withDefault("SVC_MAX_RUN_DURATION", duration, "PT6H", {
      what: "longest run of a stack that sets no max_run_duration of its own",
      unit: "duration",
    }),
  },
  runnerTokenGraceMs: withDefault("SVC_RUNNER_JWT_GRACE", duration, "PT15M", {
    what: "how long a runner's token still works after its run ended",
    unit: "duration",
  }),
  artifactMaxBytes: withDefault("SVC_ARTIFACT_MAX_BYTES", integer(65_536, 10_737_418_240), "268435456", {
    what: "largest artifact a runner may upload; the JSON plan of a big stack is some 50 MB",
    unit: "bytes",
  }),
  localSourceRetentionMs: withDefault("SVC_LOCAL_SOURCE_RETENTION", duration, "P7D", {
    what: "how long the archive of a local plan is kept after its deployment ended",
    unit: "duration",
  }),
  retention: {
    logsMs: withDefault("SVC_RETENTION_LOGS", hours(1), "P90D", {
      what: "how long logs are kept after their deployment ended",
      unit: "duration, PT1H or more",
    }),
    artifactsMs: withDefault("SVC_RETENTION_ARTIFACTS", hours(1), "P90D", {
      what: "how long plans and their data are kept after their deployment ended",
      unit: "duration, PT1H or more",
    }),
    deploymentEventsMs: withDefault("SVC_RETENTION_DEPLOYMENT_EVENTS", hours(1), "P400D", {
      what: "how long a deployment's activity log and what its dependents were given are kept after it ended",
      unit: "duration, PT1H or more",
    }),
    domainEventsMs: withDefault("SVC_RETENTION_DOMAIN_EVENTS", hours(24), "P90D", {
      what: "how long domain events are kept; those of a deployment that goes on stay",
      unit: "duration, P1D or more",
    }),
    scmEventsMs: withDefault("SVC_RETENTION_SCM_EVENTS", hours(24), "P30D", {
      what: "how long deliveries of code hosts are kept once processed or dead; one sent again later acts again",
      unit: "duration, P1D or more",
    }),
    notificationDeliveriesMs: withDefault("SVC_RETENTION_NOTIFICATION_DELIVERIES", hours(24), "P30D", {
      what: "how long dead notifications are kept",
      unit: "duration, P1D or more",
    }),
    decisionsMs: withDefault("SVC_RETENTION_DECISIONS", hours(24), "P1D", {
      what: "how long decisions and their answers are kept",
      unit: "duration, P1D or more",
    }),
    idempotencyKeysMs: withDefault("SVC_RETENTION_IDEMPOTENCY_KEYS", hours(24), "P1D", {
      what: "how long an Idempotency-Key gets the same answer again",
      unit: "duration, P1D or more",
    }),
  },
  gitAllowProtocol: withDefault(
    "SVC_GIT_ALLOW_PROTOCOL",
    words(["https", "ssh", "http", "git", "file"], ":"),
    "https:ssh",
    {
      what: "transports git may use",
      unit: "names joined by :",
    },
  ),
  signIn: {
    codehostClientId: optional("SVC_SSO_CODEHOST_CLIENT_ID", text(/^\S{1,500}$/, "a client id"), {
      what: "client id at the code host; unset: nobody signs in with it",
      unit: "text",
      example: "Iv1.0123456789abcdef",
    }),
    codehostClientSecret: optional("SVC_SSO_CODEHOST_CLIENT_SECRET", text(/^\S{1,2000}$/, "a client secret"), {
      what: "client secret at the code host",
      unit: "text",
      example: "the secret the code host shows once",
      secret: true,
    }),
    codehostBaseUrl: withDefault("SVC_SSO_CODEHOST_BASE_URL", serviceUrl(["https:", "http:"]), "https://github.com", {
      what: "the code host; an enterprise installation's own address. It is the issuer stored on identities",
      unit: "URL",
    }),
    workspaceClientId: optional("SVC_SSO_WORKSPACE_CLIENT_ID", text(/^\S{1,500}$/, "a client id"), {
      what: "client id at the workspace provider; unset: nobody signs in with it",
      unit: "text",
      example: "1234567890-abc.apps.googleusercontent.com",
    }),
    workspaceClientSecret: optional("SVC_SSO_WORKSPACE_CLIENT_SECRET", text(/^\S{1,2000}$/, "a client secret"), {
      what: "client secret at the workspace provider",
      unit: "text",
      example: "the secret the provider shows",
      secret: true,
    }),
    workspaceHostedDomain: optional("SVC_SSO_WORKSPACE_HOSTED_DOMAIN", text(/^[\w.-]{1,253}$/, "a domain name"), {
      what: "domain that the workspace provider's account chooser shows first; a hint, decides nothing",
      unit: "domain",
      example: "example.com",
    }),
    entitlementTtlMs: withDefault("SVC_SSO_ENTITLEMENT_TTL", duration, "P7D", {
      what: "how long what a sign-in learned of groups and memberships lasts without another sign-in",
      unit: "duration",
    }),
    requestsPerMinute: withDefault("SVC_SSO_REQUESTS_PER_MINUTE", integer(1, 1_000_000), "30", {
      what: "requests a client address may make to the public sign-in routes",
      unit: "requests/min",
    }),
  },
  scm: {
    webhookMaxBytes: withDefault("SVC_SCM_WEBHOOK_MAX_BYTES", integer(65_536, 26_214_400), "5242880", {
      what: "largest delivery of a code host that is read; hosts send up to 25 MiB for pushes of thousands of commits",
      unit: "bytes",
    }),
    maxAttempts: withDefault("SVC_SCM_EVENT_MAX_ATTEMPTS", integer(1, 100), "8", {
      what: "tries of one delivery before it is dead and scm_sync_failed is sent",
      unit: "tries",
    }),
    firstPauseMs: withDefault("SVC_SCM_EVENT_FIRST_PAUSE", duration, "PT5S", {
      what: "pause after a delivery's first failure; tripled with each further one, up to 15 minutes",
      unit: "duration",
    }),
    concurrency: withDefault("SVC_SCM_CONCURRENCY", integer(1, 100), "10", {
      what: "calls to code hosts at once, per worker process, so that one that hangs takes no other work's slots",
      unit: "activities",
    }),
  },
  dependencies: {
    maxOrgEdges: withDefault("SVC_MAX_ORG_EDGES", integer(1, 10_000_000), "200000", {
      what: "dependency edges of one organization; above it cycle status is unknown and no dependent is deployed by itself",
      unit: "edges",
    }),
    maxOrgStackPairs: withDefault("SVC_MAX_ORG_STACK_PAIRS", integer(1, 10_000_000), "200000", {
      what: "pairs of depending stacks in one organization; above it as above",
      unit: "pairs",
    }),
    maxNeighborhoodEdges: withDefault("SVC_MAX_NEIGHBORHOOD_EDGES", integer(1, 10_000_000), "200000", {
      what: "edges of one stack that a read of its dependencies looks at; above it the answer says it is incomplete",
      unit: "edges",
    }),
    maxDirectDependentEdgesPerStack: withDefault(
      "SVC_MAX_DIRECT_DEPENDENT_EDGES_PER_STACK",
      integer(1, 10_000_000),
      "10000",
      {
        what: "edges from one dependent to the stack that was applied; above it the dependent waits for a person",
        unit: "edges",
      },
    ),
    maxDirectDependentEdges: withDefault("SVC_MAX_DIRECT_DEPENDENT_EDGES", integer(1, 10_000_000), "50000", {
      what: "edges of all dependents of the stack that was applied together; above it all of them wait for a person",
      unit: "edges",
    }),
    maxInferredEdgesPerStack: withDefault("SVC_MAX_INFERRED_EDGES_PER_STACK", integer(1, 10_000_000), "5000", {
      what: "edges that are inferred for one dependent stack; further ones are left out",
      unit: "edges",
    }),
    maxResponseEdges: withDefault("SVC_MAX_RESPONSE_EDGES", integer(1, 100_000), "2000", {
      what: "edges in one answer about dependencies",
      unit: "edges",
    }),
    maxPairEdges: withDefault("SVC_MAX_PAIR_EDGES", integer(1, 100_000), "50", {
      what: "edges between the same two stacks in one answer about dependencies",
      unit: "edges",
    }),
  },
  notifications: {
    retrySchedule: withDefault(
      "SVC_NOTIFICATION_RETRY_SCHEDULE",
      durations(20),
      "PT5S,PT1M,PT5M,PT30M,PT2H,PT6H,PT12H,PT24H",
      {
        what: "pauses after a notification's failed attempts, each varied by a tenth; after the last one it is dead",
        unit: "durations, comma-separated",
      },
    ),
    concurrency: withDefault("SVC_NOTIFICATION_CONCURRENCY", integer(1, 1_000), "100", {
      what: "notifications sent at once, per worker process; one organization takes at most half of it",
      unit: "requests",
    }),
    targetConcurrency: withDefault("SVC_NOTIFICATION_TARGET_CONCURRENCY", integer(1, 100), "5", {
      what: "notifications sent at once to one integration, per worker process, so that a silent target delays no other",
      unit: "requests",
    }),
  },
  cloud: {
    providers: withDefault("RUNTIME_PROVIDERS", someOf(PROVIDER_TYPES), PROVIDER_TYPES.join(","), {
      what: "cloud providers that stacks may use: cloud_a is AWS, cloud_b is Google Cloud",
      unit: "list",
    }),
    credentialsLifetimeMs: withDefault("SVC_CLOUD_CREDENTIALS_LIFETIME", between(900_000, 43_200_000), "PT1H", {
      what: "how long a run's cloud credentials last; above PT1H roles, service accounts and the service's own identity must allow it",
      unit: "duration, PT15M to PT12H",
    }),
    stsRegion: withDefault("SVC_CLOUD_A_REGION", text(/^[a-z0-9-]{1,50}$/, "a region's name"), "us-east-1", {
      what: "region whose STS is asked for AWS credentials; it decides the partition too",
      unit: "name",
    }),
    stsEndpoint: optional("SVC_CLOUD_A_STS_ENDPOINT", serviceUrl(["https:", "http:"]), {
      what: "address of STS when it is not the region's public one; a private one must be in SVC_EGRESS_ALLOW",
      unit: "URL",
      example: "https://vpce-0123.sts.eu-west-1.vpce.amazonaws.com",
    }),
    iamCredentialsEndpoint: withDefault(
      "SVC_CLOUD_B_IAM_ENDPOINT",
      serviceUrl(["https:", "http:"]),
      "https://iamcredentials.googleapis.com",
      {
        what: "address of Google's IAM Credentials API; a private one must be in SVC_EGRESS_ALLOW",
        unit: "URL",
      },
    ),
  },
  egress: {
    allow: withDefault("SVC_EGRESS_ALLOW", cidrs, "", {
      what: "non-public addresses, CIDR ranges, each with an optional :port, that outbound calls may reach; comma-separated",
      unit: "list",
    }),
    ports: withDefault("SVC_EGRESS_PORTS", v.pipe(words(null, ","), v.array(port)), "80,443,22", {
      what: "ports that outbound calls may use on public addresses",
      unit: "list",
    }),
  },
} satisfies Tree;

interface Tree {
  // biome-ignore lint/suspicious/noExplicitAny: the table mixes value types; each entry keeps its own
  [key: string]: Setting<any> | { [key: string]: Setting<any> };
}

type Values<T> = { [K in keyof T]: T[K] extends Setting<infer V> ? V : Values<T[K]> };

/** Everything the API and the worker are told by their operator. Durations are milliseconds. */
export type Config = Values<typeof SETTINGS>;

/** What `npm run admin` may do without: a migration needs no Temporal cluster, no object store and no keys. */
type ServiceOnly = "temporal" | "objects" | "encryption";
export type AdminConfig = Omit<Config, ServiceOnly> & { [K in ServiceOnly]: Config[K] | undefined };

/** The RUNNER_* limits and the default run duration, as the SQL deadline functions take them. */
export type Timeouts = Config["timeouts"];

/** A setting is missing or malformed. The message is one line that names it and shows a valid value. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

/** @throws ConfigError on the first setting that is missing or malformed. */
export function loadConfig(env?: NodeJS.ProcessEnv, program?: "api" | "worker"): Config;
export function loadConfig(env: NodeJS.ProcessEnv | undefined, program: "admin"): AdminConfig;
export function loadConfig(
  env: NodeJS.ProcessEnv = process.env,
  program: "api" | "worker" | "admin" = "api",
): Config | AdminConfig {
  const serviceOnly: readonly string[] = ["temporal", "objects", "encryption"] satisfies ServiceOnly[];
  const entries = Object.entries(SETTINGS as Tree).map(([key, node]) => {
    if (isSetting(node)) return [key, read(node, env)];
    const names = Object.values(node).map((setting) => setting.name);
    const untouched = names.every((name) => (env[name] ?? "") === "");
    if (program === "admin" && serviceOnly.includes(key) && untouched) return [key, undefined];
    return [key, Object.fromEntries(Object.entries(node).map(([inner, setting]) => [inner, read(setting, env)]))];
  });
  return checkTogether(Object.fromEntries(entries));
}

/** The table's rows, flat and in order, for the operator's manual. */
export function settingsTable(): { name: string; what: string; unit: string; default: string }[] {
  return Object.values(SETTINGS as Tree)
    .flatMap((node) => (isSetting(node) ? [node] : Object.values(node)))
    .map(({ name, what, unit, fallback }) => ({
      name,
      what,
      unit,
      default: fallback === null ? "required" : (fallback ?? "") === "" ? "none" : String(fallback),
    }));
}

function isSetting(node: Tree[string]): node is Setting<unknown> {
  return "schema" in node && "fallback" in node;
}

function read(setting: Setting<unknown>, env: NodeJS.ProcessEnv): unknown {
  // An empty variable is an unset one: container files cannot unset what they inherit.
  const given = env[setting.name] === "" ? undefined : env[setting.name];
  const raw = given ?? setting.fallback;
  const hint = `for example ${setting.example === "" ? "(empty)" : setting.example}`;
  if (raw === undefined) return undefined;
  if (raw === null) throw new ConfigError(`${setting.name} is not set: ${setting.what}; ${hint}`);
  const parsed = v.safeParse(setting.schema, raw, { abortEarly: true });
  if (parsed.success) return parsed.output;
  // Valibot's own messages quote the value, so only our formats' wording is shown for a secret.
  const shown = setting.secret ? "" : `, not ${JSON.stringify(raw.slice(0, 80))}`;
  const wrong = setting.secret ? `is malformed: expected ${setting.unit}` : `${parsed.issues[0].message}${shown}`;
  throw new ConfigError(`${setting.name} ${wrong.replace(/\s+/g, " ")}; ${hint}`);
}

/** Settings that only make sense together. */
function checkTogether<C extends Config | AdminConfig>(config: C): C {
  checkEncryption(config.encryption);
  const { tlsCertFile, tlsKeyFile } = config.temporal ?? {};
  if ((tlsCertFile === undefined) !== (tlsKeyFile === undefined)) {
    throw new ConfigError(
      "SVC_TEMPORAL_TLS_CERT_FILE and SVC_TEMPORAL_TLS_KEY_FILE go together; for example /etc/svc/temporal.pem and /etc/svc/temporal-key.pem",
    );
  }
  const { signIn } = config;
  for (const [name, id, secret] of [
    ["SVC_SSO_CODEHOST", signIn.codehostClientId, signIn.codehostClientSecret],
    ["SVC_SSO_WORKSPACE", signIn.workspaceClientId, signIn.workspaceClientSecret],
  ] as const) {
    if ((id === undefined) !== (secret === undefined)) {
      throw new ConfigError(
        `${name}_CLIENT_ID and ${name}_CLIENT_SECRET go together; for example what the provider shows`,
      );
    }
    if (id !== undefined && config.publicBaseUrl === undefined) {
      throw new ConfigError(
        `SVC_BACKEND_PUBLIC_BASE_URL is not set, and ${name}_CLIENT_ID needs it: providers send people back to it; for example https://deploy.example.com`,
      );
    }
  }
  const kept = Math.min(config.retention.logsMs, config.retention.artifactsMs);
  if (kept < config.runnerTokenGraceMs + 600_000) {
    // A runner may store the end of its log for as long as its token works.
    throw new ConfigError(
      "SVC_RETENTION_LOGS and SVC_RETENTION_ARTIFACTS must exceed SVC_RUNNER_JWT_GRACE by ten minutes; for example P90D",
    );
  }
  return config;
}

/** Each provider needs its own key. */
function checkEncryption(encryption: Config["encryption"] | undefined): void {
  if (encryption === undefined) return;
  const { key, kmsKey } = SETTINGS.encryption;
  const wanted = encryption.provider === "aes-256" ? key : kmsKey;
  const given = encryption.provider === "aes-256" ? encryption.key : encryption.kmsKey;
  if (given === undefined) {
    throw new ConfigError(`${wanted.name} is not set: ${wanted.what}; for example ${wanted.example}`);
  }
}
