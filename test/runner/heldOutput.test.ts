/**
 * What an engine prints before anybody can know which of it is sensitive
 * (docs/rules/secrets.md#shown-once-it-is-known-what-is-sensitive).
 */
import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
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

const SECRET = "hunter2-hunter2";

let service: ScriptedService;
let runner: RunnerProcess;
let world: string;
/** Every live push of every run. */
let lives: string[];

beforeEach(async () => {
  service = await new ScriptedService().start();
  world = temporaryDirectory("world");
  lives = [];
  const engine = path.join(world, TOOL);
  const real = execFileSync("/bin/sh", ["-c", `command -v ${TOOL}`], { encoding: "utf8" }).trim();
  writeFileSync(engine, `#!/bin/sh\n[ -e ${world}/before-$1 ] && . ${world}/before-$1\nexec ${real} "$@"\n`);
  chmodSync(engine, 0o755);
  runner = new RunnerProcess(service, { [`RUNNER_${TOOL.toUpperCase()}_PATH`]: engine });
});
afterEach(async () => {
  await runner.stop("SIGINT");
  await service.stop();
});
afterAll(removeTemporaryDirectories);

const backend = () => `terraform {\n  backend "local" {\n    path = "${world}/terraform.tfstate"\n  }\n}\n`;
const LOGIN = `
variable "password" {
  sensitive = true
  default   = "${SECRET}"
}
resource "terraform_data" "login" { input = var.password }
`;

async function ended(context: RunContext): Promise<ScriptedRun> {
  const run = service.offer(context);
  await service.until(() => {
    lives.push(String(run.live?.bytes ?? ""));
    return run.done !== null;
  });
  return run;
}

/** Everything of a run that anybody can read, at any time of it. */
function readable(run: ScriptedRun): string {
  const shown = ["changes", "plan-text", "analysis"].map((kind) => String(run.artifacts.get(kind)));
  return [run.log, JSON.stringify(run.done), ...shown, ...lives].join("\n");
}

async function applied(configuration: string): Promise<ScriptedRun> {
  const plan = await ended(runContext(commitFiles({ "main.tf": backend() + configuration }), "plan_run"));
  expect(plan.done, plan.log).toMatchObject({ status: "success" });
  return ended(applyContext(plan));
}

describe("a plan", () => {
  const says = `echo 'terraform_data.login: Refreshing state... [id=${SECRET}]'; echo 'Warning: ${SECRET} is weak' >&2`;

  test("shows what it printed on its way once the plan was read", async () => {
    writeFileSync(path.join(world, "before-plan"), `${says}\nwhile [ ! -e ${world}/go ]; do sleep 0.05; done\n`);
    const run = service.offer(runContext(commitFiles({ "main.tf": backend() + LOGIN }), "plan_run"));
    await service.until(() => run.live?.bytes.includes(`Running ${TOOL} plan`) ?? false);
    writeFileSync(path.join(world, "go"), "");
    await service.until(() => {
      lives.push(String(run.live?.bytes ?? ""));
      return run.done !== null;
    });
    expect(run.done, run.log).toMatchObject({ status: "success" });
    expect(run.log).toMatch(/Refreshing state\.\.\. \[id=\*\*\*\].*will be created/s);
    expect(run.log).toContain("Warning: *** is weak");
    expect(readable(run)).not.toContain("hunter2");
  });

  test("that fails without a plan says why, without what the state marks sensitive", async () => {
    expect((await applied(LOGIN)).done).toMatchObject({ status: "success" });
    writeFileSync(path.join(world, "before-plan"), `${says}\necho 'Error: no user has ${SECRET}' >&2; exit 1\n`);
    const plan = await ended(runContext(commitFiles({ "main.tf": `${backend()}# without the login\n` }), "plan_run"));
    expect(plan.done).toMatchObject({ status: "failure", error: expect.stringContaining("no user has ***") });
    expect(plan.log).toContain("[id=***]");
    expect(readable(plan)).not.toContain("hunter2");
  });

  test("that fails without plan and state shows no value that a sensitive variable has in the files", async () => {
    const files = {
      "main.tf": `${backend()}${LOGIN}variable "key" { sensitive = true }\n`,
      "terraform.tfvars": 'key = "key-in-a-file"\n',
    };
    writeFileSync(path.join(world, "before-plan"), `${says}\necho 'Error: ${SECRET} and key-in-a-file' >&2; exit 1\n`);
    const plan = await ended(runContext(commitFiles(files), "plan_run"));
    expect(plan.done).toMatchObject({ status: "failure", error: expect.stringContaining("*** and ***") });
    expect(readable(plan)).not.toMatch(/hunter2|key-in-a-file/);
  });

  test("that fails while the state cannot be read says why, and leaves the rest out", async () => {
    writeFileSync(path.join(world, "before-plan"), `${says}\necho 'Error: no way' >&2; exit 1\n`);
    writeFileSync(path.join(world, "before-show"), "exit 1\n");
    const plan = await ended(runContext(commitFiles({ "main.tf": `${backend()}# nothing\n` }), "plan_run"));
    expect(plan.done).toMatchObject({ status: "failure", error: expect.stringContaining("no way") });
    expect(plan.log).toContain("The plan's text is left out");
    expect(plan.log).not.toContain("Refreshing state");
  });
});

describe("an apply that makes a sensitive value", () => {
  const made = (program: string) => `
resource "terraform_data" "id" {}
resource "terraform_data" "made" { input = sensitive("made-$\{sha256(terraform_data.id.id)}") }
resource "terraform_data" "program" {
  provisioner "local-exec" { command = "echo user $\{nonsensitive(terraform_data.made.output)}; ${program}" }
}
`;

  test("and fails says why without it, and on its way only how it goes on", async () => {
    const apply = await applied(made("echo it broke >&2; exit 3"));
    expect(apply.done).toMatchObject({ status: "failure", error: expect.stringContaining("provisioner error") });
    expect(apply.log).toMatch(/exit status 3\. Output: user\s+\*\*\*/);
    expect(apply.log).toContain("terraform_data.made: Creating...");
    expect(apply.log).toMatch(/terraform_data\.made: Creation complete after \d+s\n/);
    expect(apply.log).toMatch(/Held until the new state was read:.*local-exec\): user \*\*\*/s);
    expect(readable(apply)).not.toMatch(/made-[0-9a-f]{8}/);
  });

  test("and succeeds shows what its programs printed in the end", async () => {
    const apply = await applied(made("true"));
    expect(apply.done, apply.log).toMatchObject({ status: "success" });
    expect(apply.log).toMatch(/local-exec\): user \*\*\*.*Apply complete!/s);
    expect(readable(apply)).not.toMatch(/made-[0-9a-f]{8}/);
  });
});

test("what makes no sensitive value is shown as it comes, ids and programs included", async () => {
  const command = `echo begun; while [ ! -e ${world}/go ]; do sleep 0.05; done`;
  const configuration = `resource "terraform_data" "one" {\n  provisioner "local-exec" { command = "${command}" }\n}\n`;
  const plan = await ended(runContext(commitFiles({ "main.tf": backend() + configuration }), "plan_run"));
  const apply = service.offer(applyContext(plan));
  await service.until(() => apply.live?.bytes.includes("(local-exec): begun") ?? false);
  writeFileSync(path.join(world, "go"), "");
  await service.until(() => apply.done !== null);
  expect(apply.log).toMatch(/Creation complete after \d+s \[id=[0-9a-f-]{36}\]/);
});

test("a command prints nothing that the state marks sensitive, and is told when the state cannot be read", async () => {
  expect((await applied(LOGIN)).done).toMatchObject({ status: "success" });
  const command = (script: string) =>
    runContext(commitFiles({ "main.tf": backend() + LOGIN }), "raw_run", (context) => {
      context.raw = { script };
    });
  const run = await ended(command(`${TOOL} show -json; ${TOOL} state pull; cat ${world}/terraform.tfstate\n`));
  expect(run.done, run.log).toMatchObject({ status: "success" });
  expect(run.log).toContain("terraform_data");
  expect(readable(run)).not.toContain("hunter2");
  writeFileSync(path.join(world, "before-show"), "exit 1\n");
  const blind = await ended(command("echo done\n"));
  expect(blind.log).toMatch(/The state cannot be read, so what is sensitive.*done/s);
});
