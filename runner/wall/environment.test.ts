import { afterEach, expect, test, vi } from "vitest";
import { openEnvironment, walledEnvironment } from "./environment.ts";

afterEach(() => void vi.unstubAllEnvs());

test("behind a wall a run sees the variables that are named, and no other", () => {
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
  vi.stubEnv("RUNNER_KEY_FILE", "/etc/runner/key.pem");
  vi.stubEnv("SSH_AUTH_SOCK", "/run/agent");
  vi.stubEnv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=secret");
  vi.stubEnv("OTEL_SERVICE_NAME", "runner");
  vi.stubEnv("VAULT_ADDR", "https://vault.example.com");
  const environment = walledEnvironment(["VAULT_ADDR"], "/var/lib/runner");
  expect(environment).toMatchObject({
    HOME: "/var/lib/runner",
    OTEL_SERVICE_NAME: "runner",
    PATH: process.env.PATH,
    VAULT_ADDR: "https://vault.example.com",
  });
  expect(Object.values(environment).filter((value) => /secret|agent|key[.]pem/.test(value))).toEqual([]);
});

test("without one it sees all but the coordinator's settings", () => {
  vi.stubEnv("RUNNER_KEY_FILE", "/etc/runner/key.pem");
  vi.stubEnv("OF_THE_MACHINE", "1");
  expect(openEnvironment()).toMatchObject({ OF_THE_MACHINE: "1" });
  expect(Object.keys(openEnvironment()).filter((name) => name.startsWith("RUNNER_"))).toEqual([]);
});
