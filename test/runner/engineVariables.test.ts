/**
 * Each variable that engines document, set by a context, on a real engine: it works as documented or is left out by
 * name.
 */
import { mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunContext } from "../../src/core/runs/protocol.ts";
import {
  applyContext,
  commitFiles,
  RunnerProcess,
  removeTemporaryDirectories,
  runContext,
  temporaryDirectory,
} from "../support/runnerProcess.ts";
import { type ScriptedRun, ScriptedService } from "../support/scriptedService.ts";

let service: ScriptedService;
let runner: RunnerProcess;
let world: string;

beforeAll(async () => {
  service = await new ScriptedService().start();
  runner = new RunnerProcess(service);
  world = temporaryDirectory("world");
  mkdirSync(path.join(world, "cache"));
});
afterAll(async () => {
  await runner.stop("SIGINT");
  await service.stop();
  removeTemporaryDirectories();
});

const configuration = (name: string) => `terraform {\n  backend "local" {\n    path = "${world}/${name}.tfstate"\n  }\n}
variable "color" {\n  default = "none"\n}\noutput "color" {\n  value = "color:\${var.color}:\${terraform.workspace}"\n}
resource "terraform_data" "one" {\n  input = 1\n}\n`;

function withVariables(variables: Record<string, string>, kind: RunContext["run"]["kind"] = "plan_run"): RunContext {
  const name = `${Object.keys(variables)[0]}-${kind}`;
  return runContext(commitFiles({ "main.tf": configuration(name) }), kind, (context) => {
    context.environment = Object.entries(variables).map(([name, value]) => ({ name, value, secret: false }));
  });
}

async function ended(context: RunContext): Promise<ScriptedRun> {
  const run = service.offer(context);
  await service.until(() => run.done !== null, 60_000);
  return run;
}

const changes = (run: ScriptedRun) => (run.artifacts.get("changes") ?? "").toString();

describe("what makes no other run of it", () => {
  const values: Record<string, () => string> = {
    TF_CLI_ARGS: () => "-input=false",
    TF_CLI_ARGS_init: () => "-upgrade",
    TF_CLI_ARGS_plan: () => "-parallelism=2",
    TF_CLI_ARGS_show: () => "-nonsense",
    TF_CLI_ARGS_version: () => "-nonsense",
    TF_DATA_DIR: () => path.join(world, "data"),
    TF_PLUGIN_CACHE_DIR: () => path.join(world, "cache"),
    TF_PLUGIN_CACHE_MAY_BREAK_DEPENDENCY_LOCK_FILE: () => "true",
    TF_REATTACH_PROVIDERS: () => "{}",
    TF_IGNORE: () => "trace",
    TF_REGISTRY_DISCOVERY_RETRY: () => "0",
    TF_REGISTRY_CLIENT_TIMEOUT: () => "1",
    TF_STATE_PERSIST_INTERVAL: () => "30",
    TF_APPEND_USER_AGENT: () => "somebody",
    TF_FORCE_LOCAL_BACKEND: () => "1",
    TF_TOKEN_app_terraform_io: () => "nobody",
    TF_CLOUD_ORGANIZATION: () => "nobody",
    constructor: () => "a name that objects inherit",
    __proto_: () => "another",
  };
  test.each(Object.entries(values))("%s", async (name, value) => {
    const plan = await ended(withVariables({ [name]: value() }));
    expect(plan.done, plan.log).toMatchObject({ status: "success", plan_summary: { counts: { add: 1 }, gaps: [] } });
    expect(plan.log).not.toContain("left out");
  });
});

describe("what the runner decides is left out by name", () => {
  test.each([
    ["TF_LOG", "trace"],
    ["TF_LOG_PROVIDER", "trace"],
    ["TF_LOG_PATH", "/nowhere/log"],
    ["TF_INPUT", "1"],
    ["TF_IN_AUTOMATION", ""],
    ["TF_CLI_CONFIG_FILE", "/nowhere/cli.tfrc"],
    ["TERRAFORM_CONFIG", "/nowhere/cli.tfrc"],
    ["CHECKPOINT_DISABLE", ""],
  ])("%s", async (name, value) => {
    const plan = await ended(withVariables({ [name]: value }));
    expect(plan.done, plan.log).toMatchObject({ status: "success", plan_summary: { counts: { add: 1 }, gaps: [] } });
    expect(plan.log).toContain(`The variable "${name}" is reserved or malformed and was left out.`);
    expect(plan.log).not.toMatch(/\[TRACE\]|nowhere/);
  });
});

test("the engine gets its data folder, its arguments and the variables of the configuration, in plan and apply", async () => {
  const data = path.join(world, "folder");
  const plan = await ended(
    withVariables({
      TF_VAR_color: "red",
      TF_DATA_DIR: data,
      TF_CLI_ARGS: "-input=false",
      TF_CLI_ARGS_apply: "-lock=false",
    }),
  );
  const apply = await ended(applyContext(plan));
  expect(apply.done, apply.log).toMatchObject({ status: "success" });
  expect(apply.log).toContain("color:red:default");
  expect(plan.log + apply.log).not.toContain("no backend or cloud block");
  expect(readdirSync(data)).toContain("terraform.tfstate");
});

test("TF_WORKSPACE chooses the workspace of plan, state and analysis", async () => {
  const plan = await ended(withVariables({ TF_WORKSPACE: "green" }));
  expect(plan.done, plan.log).toMatchObject({ status: "success" });
  expect(changes(plan)).toContain("color:none:green");
  const apply = await ended(applyContext(plan));
  expect(apply.done, apply.log).toMatchObject({ status: "success" });
  expect(apply.artifacts.get("analysis")?.toString()).toContain("workspace=green");
});

test.each([
  ["TF_CLI_ARGS_plan", "-destroy", "destroy"],
  ["TF_CLI_ARGS_init", "-backend=false", "backend"],
  ["TF_CLI_ARGS", "-json", "json"],
])("%s=%s is refused before anything is planned", async (name, value, option) => {
  const plan = await ended(withVariables({ [name]: value }));
  expect(plan.done).toMatchObject({
    status: "failure",
    error: expect.stringContaining(`The variable ${name} sets -${option}`),
  });
  expect(plan.artifacts.has("plan")).toBe(false);
});
