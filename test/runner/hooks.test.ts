/** Hooks around plan and apply, with a real engine and real shells (docs/stacks.md#hooks). */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
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
  world = temporaryDirectory("world");
  runner = new RunnerProcess(service);
});
afterEach(async () => {
  runner.child.kill("SIGTERM");
  await runner.stop("SIGINT");
  await service.stop();
});
afterAll(removeTemporaryDirectories);

/** The resource's value is that of a file which only a hook writes. */
const files = () =>
  commitFiles({
    "main.tf": `terraform {\n  backend "local" {\n    path = "${world}/terraform.tfstate"\n  }\n}
variable "pin" {\n  sensitive = true\n}
resource "terraform_data" "kept" {\n  input = [file("made.txt"), var.pin]\n}\n`,
  });
const variables = [
  { name: "WORLD", value: "", secret: false },
  { name: "TF_VAR_pin", value: "pin-of-the-stack", secret: true },
];

function planned(hooks: Record<string, string>): ScriptedRun {
  return service.offer(
    runContext(files(), "plan_run", (context) => {
      context.environment = variables.map((each) => (each.name === "WORLD" ? { ...each, value: world } : each));
      context.hooks = hooks;
    }),
  );
}

async function ended(run: ScriptedRun): Promise<ScriptedRun> {
  await service.until(() => run.done !== null);
  return run;
}

test("each is a step of its run, on the files and with the environment of the stack; a failed after_apply unsays nothing", async () => {
  const plan = await ended(
    planned({
      before_plan: `printf made > made.txt\n${TOOL} version > /dev/null && echo the engine is here`,
      after_plan:
        'grep -c resource_changes "$PLAN_JSON"; grep -o pin-of-the-stack "$PLAN_JSON" | head -n 1; echo changed > made.txt',
    }),
  );
  expect(plan.done, plan.log).toMatchObject({ status: "success", plan_summary: { counts: { add: 1 } } });
  expect(plan.log).toMatch(
    /==> Running the hook before_plan \(\d+ bytes\)\nthe engine is here\n[\s\S]*==> Running \w+ plan/,
  );
  expect(plan.log).toMatch(/Plan: 1 to add\n==> Running the hook after_plan \(\d+ bytes\)\n1\n\*\*\*\n/);
  expect(plan.log).not.toContain("pin-of-the-stack");

  const apply = await ended(
    service.offer(
      applyContext(plan, (context) => {
        context.hooks = {
          before_apply: 'cat made.txt > "$WORLD/before"',
          after_apply: `${TOOL} state list > "$WORLD/after"\nexit 3`,
        };
      }),
    ),
  );
  expect(apply.done, apply.log).toEqual({
    status: "success",
    exit_code: 0,
    error: "The hook after_apply failed with exit code 3. What was applied stays applied.",
  });
  // The files are those of the plan: what came after it is not applied.
  expect(readFileSync(path.join(world, "before"), "utf8")).toBe("made");
  expect(readFileSync(path.join(world, "after"), "utf8")).toContain("terraform_data.kept");
  expect(apply.log).toMatch(
    /==> Running the hook before_apply[\s\S]*==> Running \w+ apply[\s\S]*==> Running the hook after_apply/,
  );
}, 60_000);

test("one that fails before the plan or after it is the run's error, and there is no plan to apply", async () => {
  const before = await ended(planned({ before_plan: "echo no room >&2\nexit 4" }));
  expect(before.done).toMatchObject({
    status: "failure",
    exit_code: 4,
    error: expect.stringMatching(/^The hook before_plan failed with exit code 4/),
  });
  expect(before.log).not.toContain(`Running ${TOOL} plan`);
  const after = await ended(planned({ before_plan: "printf made > made.txt", after_plan: "exit 5" }));
  expect(after.done).toMatchObject({
    status: "failure",
    exit_code: 5,
    error: expect.stringMatching(/^The hook after_plan failed/),
  });
  expect(existsSync(path.join(world, "terraform.tfstate"))).toBe(false);
}, 60_000);
