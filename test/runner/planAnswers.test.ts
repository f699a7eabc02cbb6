/** What a plan says to people, on a real engine: every name, every digit, and what was asked for in vain. */
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
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

beforeEach(async () => {
  service = await new ScriptedService().start();
  runner = new RunnerProcess(service);
  world = temporaryDirectory("world");
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

/** The lines of the changes as they were written. */
const changes = (run: ScriptedRun) => (run.artifacts.get("changes") ?? "").toString().split("\n").filter(Boolean);

test("outputs of any name are changes, and numbers are shown with the digits that are applied", async () => {
  const configuration = `
output "constructor" { value = 9223372036854773263 }
output "prototype" { value = { n = 0.1234567890123456789 } }
output "__proto__" {
  value     = "hidden-in-the-output"
  sensitive = true
}
output "copied" { value = nonsensitive("hidden-in-the-output") }`;
  const plan = await ended(runContext(commitFiles({ "main.tf": backend() + configuration }), "plan_run"));
  expect(plan.done, plan.log).toMatchObject({ status: "success", plan_summary: { has_changes: true, gaps: [] } });
  const shown = changes(plan);
  expect(shown.map((line) => JSON.parse(line).address).sort()).toEqual(
    ["__proto__", "constructor", "copied", "prototype"].map((name) => `output.${name}`),
  );
  expect(shown.join("\n")).toContain('"after":9223372036854773263');
  expect(shown.join("\n")).toContain('"after":{"n":0.1234567890123456789}');
  const apply = await ended(applyContext(plan));
  expect(apply.done, apply.log).toMatchObject({ status: "success" });
  expect(plan.log + apply.log + shown).not.toContain("hidden-in-the-output");
  expect(apply.log).toContain("9223372036854773263");
});
