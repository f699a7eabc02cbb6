/**
 * Every way in which a stack could give a backend to an engine, where the service keeps its state: the service's counts
 * all the same, or the run fails, and nothing is ever sent elsewhere (docs/state.md).
 */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { RunContext } from "../../src/core/runs/protocol.ts";
import {
  applyContext,
  commitFiles,
  RunnerProcess,
  removeTemporaryDirectories,
  runContext,
  TOOL,
  temporaryDirectory,
} from "../support/runnerProcess.ts";
import { type ScriptedRun, ScriptedService } from "../support/scriptedService.ts";

vi.setConfig({ testTimeout: 120_000 });

let service: ScriptedService;
let runner: RunnerProcess;
/** A server that is not the service, and what it was sent. */
let elsewhere: Server;
let address = "";
const sent: string[] = [];
let stacks = 0;

beforeAll(async () => {
  elsewhere = createServer((request, response) => {
    sent.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/state`;
  service = await new ScriptedService().start();
  runner = new RunnerProcess(service);
});
afterAll(async () => {
  await runner.stop("SIGINT");
  await service.stop();
  elsewhere.close();
  removeTemporaryDirectories();
});

type Way = { files?: Record<string, string>; variables?: Record<string, string> };
type State = NonNullable<RunContext["state"]>;

const RESOURCE = 'resource "terraform_data" "one" {\n  input = "one"\n}\n';
const hosted = (): State => ({ mode: "hosted", has_versions: false, token: "token-of-the-run" });

async function ended(context: RunContext): Promise<ScriptedRun> {
  const run = service.offer(context);
  await service.until(() => run.done !== null, 60_000);
  return run;
}

function planOf({ files = {}, variables = {} }: Way, state: State | null = hosted()): RunContext {
  return runContext(commitFiles({ "main.tf": RESOURCE, ...files }), "plan_run", (context) => {
    stacks += 1;
    context.stack.id = `stack-${stacks}`;
    context.environment = Object.entries(variables).map(([name, value]) => ({ name, value, secret: false }));
    if (state !== null) context.state = state;
  });
}

/** A block as somebody would write it who wants the state. */
const http = () => `backend "http" {\n    address = "${address}"\n    lock_address = "${address}"\n  }`;
const block = (inner = http()) => `terraform {\n  ${inner}\n}\n`;
const json = (inner: object = { backend: { http: { address } } }) => JSON.stringify({ terraform: inner });

/** What `init` leaves of a backend without values, with an address put into it. */
async function recorded(): Promise<string> {
  const cwd = temporaryDirectory("recorded");
  const rc = path.join(cwd, "cli.tfrc");
  writeFileSync(path.join(cwd, "main.tf"), 'terraform {\n  backend "http" {}\n}\n');
  writeFileSync(rc, "disable_checkpoint = true\n");
  const env = { PATH: process.env.PATH, HOME: cwd, TF_CLI_CONFIG_FILE: rc, TF_HTTP_ADDRESS: address };
  await promisify(execFile)(TOOL, ["init", "-input=false"], { cwd, env });
  sent.splice(0);
  const record = JSON.parse(readFileSync(path.join(cwd, ".terraform", "terraform.tfstate"), "utf8"));
  Object.assign(record.backend.config, { address, lock_address: address });
  return JSON.stringify(record);
}

describe("the service's backend counts", () => {
  const ways: Record<string, () => Way> = {
    "a backend": () => ({ files: { "backend.tf": block() } }),
    "a cloud block": () => ({
      files: { "backend.tf": block('cloud {\n    organization = "x"\n    workspaces {\n      name = "x"\n    }\n  }') },
    }),
    "an override file": () => ({ files: { "override.tf": block() } }),
    "a late override file": () => ({ files: { "zzz_override.tf": block() } }),
    "a late override file in JSON": () => ({ files: { "zz_override.tf.json": json() } }),
    "one that says it twice in JSON": () => ({
      files: {
        "zz_override.tf.json": `{"terraform": ${JSON.stringify({ backend: { http: { address } } })}, "terraform": {}}`,
      },
    }),
    "one that hides it from simple readers": () => ({
      files: { "zz_override.tf": block(http().replace('backend "http"', 'backend /*\n*/ "http"')) },
    }),
    "one of a local state": () => ({ files: { "zz_override.tf": block('backend "local" {\n  }') } }),
    "a record of an init": () => ({ files: { ".terraform/terraform.tfstate": redirected } }),
    "a record in a folder of a context": () => ({
      files: { "committed/terraform.tfstate": redirected },
      variables: { TF_DATA_DIR: "committed" },
    }),
    "variables of the backend": () => ({
      variables: { TF_HTTP_ADDRESS: address, TF_HTTP_LOCK_ADDRESS: address, TF_HTTP_PASSWORD: "another" },
    }),
    "a new choice": () => ({
      files: { ".terraform/terraform.tfstate": redirected },
      variables: { TF_CLI_ARGS_init: "-reconfigure" },
    }),
    "what forces another one": () => ({ variables: { TF_FORCE_LOCAL_BACKEND: "1", TF_CLOUD_ORGANIZATION: "x" } }),
  };
  if (TOOL === "tofu")
    ways["an override file of OpenTofu"] = () => ({
      files: { "zzz_override.tofu": block(), "zz_override.tofu.json": json() },
    });
  let redirected = "";
  beforeAll(async () => {
    redirected = await recorded();
  });

  test.each(Object.entries(ways))("over %s", async (_, way) => {
    const plan = await ended(planOf(way()));
    expect(plan.done, plan.log).toMatchObject({ status: "success", plan_summary: { counts: { add: 1 } } });
    const apply = await ended(applyContext(plan));
    expect(apply.done, apply.log).toMatchObject({ status: "success" });
    const state = JSON.parse(String(service.states.bodies.get(plan.context.stack.id)));
    expect(state.resources).toHaveLength(1);
    expect(sent).toEqual([]);
  });
});

describe("the run fails before anything is planned", () => {
  const ways: Record<string, () => Way & { error: string }> = {
    "an override file that comes last": () => ({
      files: { "~~_override.tf": block() },
      error: "would come after the runner's own",
    }),
    "one of a name that is no text of ours": () => ({
      files: { "é_override.tf.json": json() },
      error: "would come after the runner's own",
    }),
    "one that takes the place of the runner's": () => ({
      files: { "~svc_hosted_state_override.tofu": block() },
      error: "would come after the runner's own",
    }),
    "one of the runner's name": () => ({
      files: { "svc_hosted_state_override.tf": block() },
      error: "a file of the runner's name",
    }),
    "an argument": () => ({
      variables: { TF_CLI_ARGS_init: `-backend-config=address=${address} -backend-config=lock_address=${address}` },
      error: "The variable TF_CLI_ARGS_init sets -backend-config",
    }),
    "an argument of every call": () => ({
      variables: { TF_CLI_ARGS: `"-backend-config" address=${address}` },
      error: "The variable TF_CLI_ARGS sets -backend-config",
    }),
    "a file of arguments": () => ({
      files: { "elsewhere.tfbackend": `address = "${address}"\n` },
      variables: { TF_CLI_ARGS_init: "-backend-config=elsewhere.tfbackend" },
      error: "The variable TF_CLI_ARGS_init sets -backend-config",
    }),
    "a state that moves in": () => ({
      variables: { TF_CLI_ARGS_init: "-migrate-state -force-copy" },
      error: "The variable TF_CLI_ARGS_init sets -migrate-state",
    }),
    "another directory": () => ({
      files: { "other/main.tf": block() },
      variables: { TF_CLI_ARGS_init: "-chdir=other" },
      error: "init failed",
    }),
    "a directory as an argument": () => ({
      files: { "other/main.tf": block() },
      variables: { TF_CLI_ARGS_init: "other" },
      error: "init failed",
    }),
    "a local file": () => ({
      variables: { TF_CLI_ARGS_plan: "-state=local.tfstate" },
      error: "The variable TF_CLI_ARGS_plan sets -state",
    }),
    "a workspace": () => ({ variables: { TF_WORKSPACE: "other" }, error: "failed" }),
    "a workspace that is recorded": () => ({ files: { ".terraform/environment": "other" }, error: "failed" }),
  };
  test.each(Object.entries(ways))("of %s", async (_, way) => {
    const { error, ...given } = way();
    const plan = await ended(planOf(given));
    expect(plan.done, plan.log).toMatchObject({ status: "failure", error: expect.stringContaining(error) });
    expect(plan.artifacts.has("plan")).toBe(false);
    expect(sent).toEqual([]);
  });
});

describe("a stack whose state goes elsewhere while a plan waits", () => {
  const NOTHING = "plan again. Nothing was applied.";

  test.each<State["mode"]>(["hosted", "auto"])("from its own to %s is planned again", async (mode) => {
    const plan = await ended(planOf({}, null));
    expect(plan.done, plan.log).toMatchObject({ status: "success" });
    const apply = await ended(
      applyContext(plan, (context) => Object.assign(context, { state: { ...hosted(), mode } })),
    );
    expect(apply.done, apply.log).toMatchObject({ status: "failure", error: expect.stringContaining(NOTHING) });
  });

  test.each<[State["mode"], string]>([
    ["hosted", ""],
    ["auto", ""],
    ["hosted", "named"],
  ])("from %s to elsewhere is planned again", async (mode, named) => {
    const kept = block(`backend "local" {\n    path = "${temporaryDirectory("kept")}/a.tfstate"\n  }`);
    const files: Record<string, string> = named === "" ? {} : { "backend.tf": kept };
    const plan = await ended(planOf({ files }, { ...hosted(), mode }));
    expect(plan.done, plan.log).toMatchObject({ status: "success" });
    const apply = await ended(
      applyContext(plan, (context) => {
        if (named === "") delete context.state;
        else context.state = { ...hosted(), mode: "auto" };
      }),
    );
    expect(apply.done, apply.log).toMatchObject({ status: "failure", error: expect.stringContaining(NOTHING) });
    expect(service.states.bodies.has(plan.context.stack.id)).toBe(false);
  });

  test("is applied when the configuration names where it was all the time", async () => {
    const file = path.join(temporaryDirectory("kept"), "a.tfstate");
    const plan = await ended(
      planOf({ files: { "backend.tf": block(`backend "local" {\n    path = "${file}"\n  }`) } }, null),
    );
    const apply = await ended(
      applyContext(plan, (context) => Object.assign(context, { state: { ...hosted(), mode: "auto" } })),
    );
    expect(apply.done, apply.log).toMatchObject({ status: "success" });
    expect(JSON.parse(readFileSync(file, "utf8")).resources).toHaveLength(1);
  });
});

test.each([
  ["local", "The backend local keeps the state in the folder of the run"],
  ["inmem", "The backend inmem keeps the state nowhere"],
])("a plan with the backend %s of the run's folder says that the state will be lost", async (backend, why) => {
  const warning = `${why}: the state of this stack is lost when the run ends.`;
  const plan = await ended(planOf({ files: { "backend.tf": block(`backend "${backend}" {\n  }`) } }, null));
  expect(plan.done, plan.log).toMatchObject({ status: "success", plan_summary: { warnings: [warning] } });
  expect(plan.log).toContain(`Warning: ${warning}`);
});
