import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ConfigError } from "../../src/platform/settings/setting.ts";
import { loadRunnerConfig, runnerSettingsTable } from "./config.ts";

const complete = {
  RUNNER_SERVICE_URL: "https://deploy.example.com/",
  RUNNER_GROUP_ID: "0190b7c2-6a1e-7c3d-9f00-5d2f6f1c8a11",
  RUNNER_KEY_FILE: "/etc/runner/key.pem",
  RUNNER_WORK_DIR: "/var/lib/runner",
};

test("the required settings are enough, and the rest has defaults", () => {
  expect(loadRunnerConfig(complete)).toMatchObject({
    serviceUrl: "https://deploy.example.com",
    maxConcurrent: 4,
    listen: { host: "127.0.0.1", port: 8082, orFree: true },
    cancelGraceMs: 120_000,
    gitAllowProtocol: ["https", "ssh"],
    engineEnv: [],
    terraformPath: undefined,
  });
});

test.each(Object.keys(complete))("without %s it says what is missing and shows a valid value", (name) => {
  const load = () => loadRunnerConfig({ ...complete, [name]: "" });
  expect(load).toThrow(ConfigError);
  expect(load).toThrow(new RegExp(`^${name} is not set: .*; for example ${name}=\\S+$`));
});

test.each([
  ["RUNNER_SERVICE_URL", "deploy.example.com"],
  ["RUNNER_GROUP_ID", "group"],
  ["RUNNER_MAX_CONCURRENT", "0"],
  ["RUNNER_POLL_WAIT_SECONDS", "51"],
  ["RUNNER_HEARTBEAT_INTERVAL", "15"],
  ["RUNNER_CANCEL_GRACE", "PT0S"],
  ["RUNNER_LISTEN", "8082"],
  ["RUNNER_GIT_ALLOW_PROTOCOL", "ext"],
  ["RUNNER_ENGINE_ENV", "HOME,RUNNER_KEY_FILE"],
  ["RUNNER_LOG_LEVEL", "loud"],
])("a malformed %s is refused in one line", (name, value) => {
  expect(() => loadRunnerConfig({ ...complete, [name]: value })).toThrow(
    new RegExp(`^${name} [^\\n]+, not "${value}"; for example ${name}=[^\\n]+$`),
  );
});

test("secrets go by http to this machine alone, unless the operator says otherwise", () => {
  const load = (url: string, more = {}) => loadRunnerConfig({ ...complete, RUNNER_SERVICE_URL: url, ...more });
  for (const here of ["http://127.0.0.1:8080", "http://localhost", "http://svc.localhost:1", "http://[::1]:8080"]) {
    expect(load(here).serviceUrl).toBe(here);
  }
  for (const away of [
    "http://deploy.example.com",
    "http://10.0.0.1",
    "http://127.evil.test",
    "http://localhost.evil.test",
  ]) {
    expect(() => load(away)).toThrow(/^RUNNER_SERVICE_URL must begin with https/);
    expect(load(away, { RUNNER_ALLOW_HTTP: "on" }).serviceUrl).toBe(away);
  }
});

test("every example and every default is valid", () => {
  const table = runnerSettingsTable();
  expect(new Set(table.map((row) => row.name)).size).toBe(table.length);
  for (const { name, example } of table) {
    expect(() => loadRunnerConfig({ ...complete, [name]: example }), name).not.toThrow();
  }
});

test("the operator's manual shows each setting of the runner", () => {
  const manual = readFileSync(new URL("../../docs/operations.md", import.meta.url), "utf8");
  const rows = runnerSettingsTable().map((row) => `| \`${row.name}\` | ${row.what} | ${row.default} |`);
  expect(manual.split("\n").filter((line) => rows.includes(line))).toEqual(rows);
});
