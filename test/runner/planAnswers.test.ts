/** What a plan says to people, on a real engine: every name, every digit, and what was asked for in vain. */
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
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

test("an address that matches nothing is warned of, whatever was asked to happen to it", async () => {
  const source = commitFiles({ "main.tf": `${backend()}resource "terraform_data" "one" {\n  input = 1\n}\n` });
  const first = await ended(runContext(source, "plan_run"));
  await ended(applyContext(first));
  const plan = await ended(
    runContext(source, "plan_run", ({ run }) => {
      run.replaces = ["terraform_data.one", "terraform_data.misspelt"];
      if (TOOL === "tofu") run.excludes = ["terraform_data.nowhere"];
    }),
  );
  expect(plan.done, plan.log).toMatchObject({ status: "success", plan_summary: { counts: { replace: 1 } } });
  const warnings = plan.log.split("\n").filter((line) => line.includes("matches no resource"));
  expect(warnings.map((line) => /terraform_data\.\w+/.exec(line)?.[0])).toEqual([
    ...(TOOL === "tofu" ? ["terraform_data.nowhere"] : []),
    "terraform_data.misspelt",
  ]);
});

test("a refresh that the engine would not apply has no changes, whatever else the plan lists", async () => {
  const configuration = `resource "terraform_data" "one" {\n  input = 1\n}\noutput "one" {\n  value = terraform_data.one.id\n}\n`;
  const plan = await ended(runContext(commitFiles({ "main.tf": backend() + configuration }), "refresh_run"));
  expect(plan.done, plan.log).toMatchObject({ status: "success", plan_summary: { has_changes: false } });
});
