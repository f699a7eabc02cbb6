import { describe, expect, test } from "vitest";
import type { RunKind } from "../../src/core/runs/protocol.ts";
import { bareEnvironment, checkArguments, dataDirectory, readingEnvironment, useOf } from "./engineVariables.ts";

/** Every variable that the two engines document, with a few that they read and do not; and what becomes of it. */
const DOCUMENTED = {
  runner: [
    ...["CHECKPOINT_DISABLE", "TERRAFORM_CONFIG", "TF_CLI_CONFIG_FILE", "TF_INPUT", "TF_IN_AUTOMATION", "TF_LOG"],
    ...["TF_LOG_CORE", "TF_LOG_PATH", "TF_LOG_PROVIDER", "TF_LOG_PROVIDER_AWS", "TF_LOG_SDK", "TF_LOG_SDK_PROTO"],
    ...["TF_TEMP_LOG_PATH"],
  ],
  asked: [
    "TF_CLI_ARGS",
    "TF_CLI_ARGS_apply",
    "TF_CLI_ARGS_init",
    "TF_CLI_ARGS_plan",
    "TF_CLI_ARGS_show",
    "TF_CLI_ARGS_version",
  ],
  engine: [
    ...["TF_ACC", "TF_APPEND_USER_AGENT", "TF_CLOUD_HOSTNAME", "TF_CLOUD_ORGANIZATION", "TF_CLOUD_PROJECT"],
    ...["TF_DATA_DIR", "TF_DISABLE_PLUGIN_TLS", "TF_ENCRYPTION", "TF_FORCE_LOCAL_BACKEND", "TF_HTTP_ADDRESS"],
    ...["TF_HTTP_PASSWORD", "TF_IGNORE", "TF_PLUGIN_CACHE_DIR", "TF_PLUGIN_CACHE_MAY_BREAK_DEPENDENCY_LOCK_FILE"],
    ...["TF_PROVIDER_DOWNLOAD_RETRY", "TF_REATTACH_PROVIDERS", "TF_REGISTRY_CLIENT_TIMEOUT"],
    ...["TF_REGISTRY_DISCOVERY_RETRY", "TF_SKIP_PROVIDER_VERIFY", "TF_STATE_ENCRYPTION", "TF_STATE_PERSIST_INTERVAL"],
    ...["TF_TEST_PARALLELISM", "TF_TOKEN_app_terraform_io", "TF_VAR_name", "TF_WORKSPACE"],
  ],
} as const;
const all = Object.values(DOCUMENTED).flat();
const env = Object.fromEntries(["PATH", "TFENV_TERRAFORM_VERSION", ...all].map((name) => [name, "x"]));

test.each(Object.entries(DOCUMENTED))("the use of each variable is decided: %s", (use, names) => {
  for (const name of names) expect([name, useOf(name)]).toEqual([name, use]);
});

test("a plan is read back with whatever made it, but with no arguments and no trace", () => {
  const left = all.filter((name) => !(name in readingEnvironment(env)));
  expect(left).toEqual(all.filter((name) => name.startsWith("TF_CLI_ARGS") || name.includes("_LOG")));
});

test("an engine is asked what it is with nothing that speaks of a configuration", () => {
  const given = Object.keys(bareEnvironment(env));
  expect(given.filter((name) => useOf(name) !== "runner")).toEqual(["PATH", "TFENV_TERRAFORM_VERSION"]);
});

test("the data folder is where the engine looks for it", () => {
  expect(dataDirectory("/stack", {})).toBe("/stack/.terraform");
  expect(dataDirectory("/stack", { TF_DATA_DIR: "" })).toBe("/stack/.terraform");
  expect(dataDirectory("/stack", { TF_DATA_DIR: "../data" })).toBe("/data");
  expect(dataDirectory("/stack", { TF_DATA_DIR: "/elsewhere" })).toBe("/elsewhere");
});

describe("arguments of a context", () => {
  test.each<[string, string, RunKind]>([
    ["TF_CLI_ARGS", "-input=false", "plan_run"],
    ["TF_CLI_ARGS_plan", "-parallelism=3 -var 'name=-destroy' -compact-warnings", "plan_run"],
    ["TF_CLI_ARGS_init", "-upgrade -backend-config=x.hcl", "apply_run"],
    ["TF_CLI_ARGS_plan", "-destroy", "apply_run"],
    ["TF_CLI_ARGS_plan", "-destroy -json", "raw_run"],
    ["TF_CLI_ARGS_destroy", "-target=a.b", "destroy_run"],
  ])("%s %s is the engine's in a %s", (name, line, kind) =>
    expect(() => checkArguments({ [name]: line }, kind, false)).not.toThrow(),
  );

  test.each<[string, string, RunKind, string]>([
    ["TF_CLI_ARGS_plan", "-parallelism=3 -destroy", "plan_run", "destroy"],
    ["TF_CLI_ARGS_plan", "--target=a.b", "refresh_run", "target"],
    ["TF_CLI_ARGS_plan", '"-out=x"', "plan_run", "out"],
    ["TF_CLI_ARGS", "-json", "plan_run", "json"],
    ["TF_CLI_ARGS_apply", "-state=x", "apply_run", "state"],
    ["TF_CLI_ARGS_init", "-backend=false", "raw_run", "backend"],
    ["TF_CLI_ARGS_init", "-cloud=false", "plan_run", "cloud"],
    ["TF_CLI_ARGS_plan", "-show-sensitive", "plan_run", "show-sensitive"],
  ])("%s %s is refused by name in a %s", (name, line, kind, option) =>
    expect(() => checkArguments({ [name]: line }, kind, false)).toThrow(`The variable ${name} sets -${option}, `),
  );

  test.each([
    ["-backend-config=address=http://elsewhere", "backend-config"],
    ["-upgrade --backend-config elsewhere.hcl", "backend-config"],
    ["'-backend-'config=elsewhere.hcl", "backend-config"],
    ["\\-backend-config=elsewhere.hcl", "backend-config"],
    ["-migrate-state", "migrate-state"],
    ["-force-copy", "force-copy"],
  ])("%s is refused where the service keeps the state, for every kind of run, and nowhere else", (line, option) => {
    for (const name of ["TF_CLI_ARGS", "TF_CLI_ARGS_init"]) {
      for (const kind of ["plan_run", "destroy_run", "refresh_run", "apply_run", "raw_run"] as const) {
        expect(() => checkArguments({ [name]: line }, kind, true)).toThrow(`The variable ${name} sets -${option}, `);
        expect(() => checkArguments({ [name]: line }, kind, false)).not.toThrow();
      }
    }
    expect(() => checkArguments({ TF_CLI_ARGS_init: "-reconfigure -upgrade" }, "plan_run", true)).not.toThrow();
  });
});
