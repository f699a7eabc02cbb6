import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { PROVIDER_TYPES } from "../../core/cloud/providerType.ts";
import { ConfigError } from "../../platform/settings/setting.ts";
import { loadConfig, settingsTable } from "./config.ts";
import type { AdminConfig, Config } from "./settings.ts";

const KEY = Buffer.alloc(32, 7).toString("base64");
const OTHER_KEY = Buffer.alloc(32, 8).toString("base64");
const ENOUGH = {
  SVC_DATABASE_URL: "postgres://svc:hunter2@localhost:5432/svc",
  SVC_EXPLORE_DATABASE_URL: "postgres://svc:hunter2@localhost:5432/explore",
  SVC_TEMPORAL_ADDRESS: "127.0.0.1:7233",
  SVC_OBJECTS_URL: "file:///var/lib/svc/objects",
  SVC_DATA_ENCRYPTION_PROVIDER: "aes-256",
  SVC_DATA_ENCRYPTION_KEY: KEY,
};

function refusal(env: Record<string, string>): string {
  try {
    loadConfig({ ...ENOUGH, ...env });
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  throw new Error("the configuration was accepted");
}

describe("loadConfig", () => {
  it("needs six settings and has the documented defaults for the rest", () => {
    const config: Config = loadConfig(ENOUGH);
    expect(config.listen).toEqual({ host: "127.0.0.1", port: 8080 });
    expect(config.temporal).toMatchObject({ address: "127.0.0.1:7233", namespace: "deployments" });
    expect(config.encryption).toEqual({
      provider: "aes-256",
      key: Buffer.alloc(32, 7),
      previousKeys: [],
      previousKmsKeys: [],
    });
    expect(config.cloud).toMatchObject({ providers: PROVIDER_TYPES, credentialsLifetimeMs: 3_600_000 });
    expect(config.orgDefaults).toEqual({ maxUsers: 1, runsPerHour: 2 });
    expect(config.dispatch).toEqual({ rateLimit: true, maxPerOrg: undefined });
    expect(config.gitAllowProtocol).toEqual(["https", "ssh"]);
    expect(config.egress).toEqual({ allow: [], ports: [80, 443, 22], perOrg: 16, atOnce: 128 });
    expect(config.decisionDeadlineMs).toBe(10_000);
    expect(config.timeouts).toEqual({
      assignmentMs: 120_000,
      maxAssignmentAttempts: 5,
      startupDeadlineMs: 172_800_000,
      executionMs: 3_600_000,
      cancellationMs: 600_000,
      maxRunDurationMs: 21_600_000,
    });
  });

  it("reads base addresses without the slash at their end", () => {
    const config = loadConfig({
      ...ENOUGH,
      SVC_BACKEND_PUBLIC_BASE_URL: "https://deploy.example.com//",
      SVC_SSO_CODEHOST_BASE_URL: "https://host.example.com/code/",
      SVC_CLOUD_B_IAM_ENDPOINT: "https://iam.example.com/",
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector.example.com:4318/",
    });
    expect(config).toMatchObject({
      publicBaseUrl: "https://deploy.example.com",
      signIn: { codehostBaseUrl: "https://host.example.com/code" },
      cloud: { iamCredentialsEndpoint: "https://iam.example.com" },
      traces: { endpoint: "http://collector.example.com:4318" },
    });
  });

  it.each(Object.keys(ENOUGH))("names %s in one line with an example when it is unset or empty", (name) => {
    const message = refusal({ [name]: "" });
    expect(message).toMatch(new RegExp(`^${name} is not set: .*; for example .+$`));
    expect(message).not.toContain("\n");
  });

  it.each([
    ["SVC_LISTEN", "8080"],
    ["SVC_LISTEN", "127.0.0.1:70000"],
    ["SVC_DATABASE_READ_URL", "mysql://svc@db-read.internal/svc"],
    ["SVC_DATABASE_READ_URL", "postgres://svc@db-read.internal/svc?sslmode=prefer"],
    ["SVC_EXPLORE_DATABASE_READ_URL", "postgres://svc@db-read.internal/svc?sslmode=allow"],
    ["SVC_DATABASE_POOL", "0"],
    ["SVC_DATABASE_POOL", "1e2"],
    ["SVC_TEMPORAL_ADDRESS", "http://temporal:7233"],
    ["SVC_OBJECTS_URL", "/var/lib/objects"],
    ["SVC_OBJECTS_URL", "gs://bucket"],
    ["SVC_BACKEND_PUBLIC_BASE_URL", "deploy.example.com"],
    ["SVC_DATA_ENCRYPTION_PROVIDER", "none"],
    ["SVC_DISPATCH_RATE_LIMIT", "false"],
    ["SVC_GIT_ALLOW_PROTOCOL", "https:ext"],
    ["SVC_EGRESS_ALLOW", "10.0.0.0/33"],
    ["SVC_EGRESS_ALLOW", "10.1"],
    ["SVC_EGRESS_ALLOW", "internal.example.com"],
    ["SVC_EGRESS_ALLOW", "127.0.0.1:0"],
    ["SVC_EGRESS_PORTS", "443,https"],
    ["RUNNER_ASSIGNMENT_TIMEOUT", "120"],
    ["RUNNER_ASSIGNMENT_TIMEOUT", "PT0S"],
    ["SVC_MAX_RUN_DURATION", "P1M"],
    ["SVC_LOG_LEVEL", "verbose"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "otel-collector:4318"],
    ["SVC_TRACES_SAMPLE_RATIO", "1.5"],
    ["SVC_TRACES_SAMPLE_RATIO", "10%"],
    ["SVC_TRACES_JOIN_CALLERS", "true"],
  ])("refuses %s=%s, naming it and showing a valid value", (name, value) => {
    expect(refusal({ [name]: value })).toMatch(new RegExp(`^${name} .*; for example .+$`));
  });

  it.each([
    ["SVC_DATABASE_URL", "mysql://svc:hunter2@db/svc"],
    ["SVC_DATABASE_URL", "postgres://svc:hunter2@db/svc?sslmode=prefer"],
    ["SVC_OBJECTS_URL", "https://user:hunter2@bucket"],
    ["SVC_DATA_ENCRYPTION_KEY", "hunter2"],
    ["SVC_DATA_ENCRYPTION_KEY", `${KEY}hunter2`],
    ["SVC_DATA_ENCRYPTION_PREVIOUS_KEYS", `${OTHER_KEY},hunter2`],
  ])("never repeats the secret text of a malformed %s", (name, value) => {
    const message = refusal({ [name]: value });
    expect(message).toContain(name);
    expect(message).not.toContain("hunter2");
  });

  it("reads previous keys, opened ranges with and without a port, and version 6 listen addresses", () => {
    const config = loadConfig({
      ...ENOUGH,
      SVC_DATA_ENCRYPTION_PREVIOUS_KEYS: `${OTHER_KEY}, ${KEY}`,
      SVC_EGRESS_ALLOW: "10.0.0.0/8, 127.0.0.1:3000, [::1]:3000, fd00::/8, ::1",
      SVC_LISTEN: "[::1]:0",
    });
    expect(config.encryption.previousKeys).toEqual([Buffer.alloc(32, 8), Buffer.alloc(32, 7)]);
    expect(config.egress.allow.map((range) => `${range.address}/${range.prefix} ${range.port}`)).toEqual([
      "10.0.0.0/8 undefined",
      "127.0.0.1/32 3000",
      "::1/128 3000",
      "fd00::/8 undefined",
      "::1/128 undefined",
    ]);
    expect(config.listen).toEqual({ host: "::1", port: 0 });
  });

  it("keeps logs and artifacts for longer than a runner may still store them", () => {
    const long = { SVC_RUNNER_JWT_GRACE: "PT2H" };
    expect(refusal({ ...long, SVC_RETENTION_LOGS: "PT2H" })).toContain("SVC_RETENTION_LOGS");
    expect(refusal({ ...long, SVC_RETENTION_ARTIFACTS: "PT2H" })).toContain("SVC_RETENTION_ARTIFACTS");
    expect(loadConfig({ ...ENOUGH, SVC_RETENTION_LOGS: "PT1H" }).retention.logsMs).toBe(3_600_000);
    expect(refusal({ SVC_RETENTION_DECISIONS: "PT23H" })).toContain("at least 24 h");
  });

  it("wants a Temporal client certificate and its key together", () => {
    expect(refusal({ SVC_TEMPORAL_TLS_CERT_FILE: "/etc/cert.pem" })).toContain("SVC_TEMPORAL_TLS_KEY_FILE");
  });

  it("sends no Temporal API key in the clear", () => {
    expect(refusal({ SVC_TEMPORAL_API_KEY: "hunter2", SVC_TEMPORAL_TLS: "off" })).toMatch(/^SVC_TEMPORAL_API_KEY /);
    expect(refusal({ SVC_TEMPORAL_API_KEY: "hunter2 x" })).not.toContain("hunter2");
  });

  it("lets the admin program go without Temporal, objects and keys, but not with half of them", () => {
    const databases = {
      SVC_DATABASE_URL: ENOUGH.SVC_DATABASE_URL,
      SVC_EXPLORE_DATABASE_URL: ENOUGH.SVC_EXPLORE_DATABASE_URL,
    };
    const config: AdminConfig = loadConfig(databases, "admin");
    expect([config.temporal, config.objects, config.encryption]).toEqual([undefined, undefined, undefined]);
    expect(loadConfig({ ...databases, SVC_TEMPORAL_ADDRESS: "t:7233" }, "admin").temporal?.namespace).toBe(
      "deployments",
    );
    expect(() => loadConfig({ ...databases, SVC_DATA_ENCRYPTION_PROVIDER: "aes-256" }, "admin")).toThrow(
      "SVC_DATA_ENCRYPTION_KEY is not set",
    );
    expect(() => loadConfig({}, "admin")).toThrow("SVC_DATABASE_URL is not set");
  });

  it("lists every setting once", () => {
    const names = settingsTable().map((row) => row.name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain("SVC_TASK_PROCESSOR_CONCURRENCY");
  });

  it("has each setting, and no other, in the operator's manual", async () => {
    const manual = await readFile(new URL("../../../docs/operations.md", import.meta.url), "utf8");
    const documented = manual.split("\n").filter((line) => /^\| `(?:SVC|RUNNER|RUNTIME|OTEL)_/.test(line));
    const rows = settingsTable().map((row) => `| \`${row.name}\` | ${row.what} | ${row.unit} | ${row.default} |`);
    expect(documented).toEqual(expect.arrayContaining(rows));
    // The runner program has settings of its own, which start with RUNNER_ too.
    expect(documented.filter((row) => row.startsWith("| `SVC_"))).toEqual(rows.filter((row) => row.includes("`SVC_")));
  });
});
