/** An apply works on just the tree that its plan left, on a real engine (docs/rules/runner-protocol.md#trees). */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
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

const PATH_OF_ENGINE = TOOL === "tofu" ? "RUNNER_TOFU_PATH" : "RUNNER_TERRAFORM_PATH";

let service: ScriptedService;
let runner: RunnerProcess;
let world: string;

beforeEach(async () => {
  service = await new ScriptedService().start();
  world = temporaryDirectory("world");
  runner = new RunnerProcess(service);
});
afterEach(async () => {
  await runner.stop("SIGINT");
  await service.stop();
});
afterAll(removeTemporaryDirectories);

const backend = () => `terraform {\n  backend "local" {\n    path = "${world}/terraform.tfstate"\n  }\n}\n`;

async function ended(context: RunContext): Promise<ScriptedRun> {
  const run = service.offer(context);
  await service.until(() => run.done !== null);
  return run;
}

async function planned(files: Record<string, string>, change?: (context: RunContext) => void): Promise<ScriptedRun> {
  const plan = await ended(runContext(commitFiles(files), "plan_run", change));
  expect(plan.done, plan.log).toMatchObject({ status: "success", plan_summary: { has_changes: true } });
  return plan;
}

/** What the apply of `plan` left as outputs. */
async function applied(plan: ScriptedRun): Promise<Record<string, unknown>> {
  const apply = await ended(applyContext(plan));
  expect(apply.done, apply.log).toMatchObject({ status: "success" });
  const { outputs } = JSON.parse(readFileSync(path.join(world, "terraform.tfstate"), "utf8"));
  return Object.fromEntries(
    Object.entries(outputs).map(([name, output]) => [name, (output as { value: unknown }).value]),
  );
}

/** The branch of the repository goes on to a commit with this file. */
function move(url: string, file: string, content: string): void {
  const cwd = fileURLToPath(url);
  writeFileSync(path.join(cwd, file), content);
  execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.com", "commit", "--quiet", "-am", "moved"], {
    cwd,
  });
}

describe("what changes while a plan waits", () => {
  test("a module whose branch moves is applied as it was planned", async () => {
    const module = (said: string) =>
      `resource "terraform_data" "one" {\n  input = "same"\n  provisioner "local-exec" {\n    command = "echo ${said} > ${world}/said"\n  }\n}\n`;
    const { url } = commitFiles({ "main.tf": module("reviewed") });
    const plan = await planned({ "main.tf": `${backend()}module "m" {\n  source = "git::${url}?ref=main"\n}\n` });
    move(url, "main.tf", module("unseen"));
    await applied(plan);
    expect(readFileSync(path.join(world, "said"), "utf8")).toBe("reviewed\n");
  });
});

/** The engine, with a plan that does what a data source does that runs a program. */
function engineWhosePlan(does: string): string {
  const [engine] = execFileSync("sh", ["-c", `command -v ${TOOL}`], { encoding: "utf8" }).split("\n");
  const file = path.join(temporaryDirectory("engine"), TOOL);
  writeFileSync(file, `#!/bin/sh\n[ "$1" = plan ] && { ${does}; }\nexec ${engine} "$@"\n`, { mode: 0o755 });
  return file;
}

describe("what a plan makes", () => {
  test("beside the stack, in its home and in its temporary directory is there when it is applied", async () => {
    await runner.stop();
    const does = `mkdir -p made ~/made && echo built > made/a && chmod 640 made/a && ln -s a made/link && echo home > ~/made/b && echo temporary > $TMPDIR/c`;
    runner = new RunnerProcess(service, { [PATH_OF_ENGINE]: engineWhosePlan(does) });
    const read = `cat made/link ~/made/b $TMPDIR/c > ${world}/read; stat -c %a made/a >> ${world}/read`;
    const plan = await planned({
      "main.tf": `${backend()}resource "terraform_data" "reads" {\n  provisioner "local-exec" {\n    command = "${read}"\n  }\n}\n`,
    });
    await applied(plan);
    expect(readFileSync(path.join(world, "read"), "utf8")).toBe("built\nhome\ntemporary\n640\n");
  });
});
