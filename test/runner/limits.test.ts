/** Limits of the system that a run hits, with a real coordinator: the run ends with a reason that names the limit. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import {
  commitFiles,
  RunnerProcess,
  removeTemporaryDirectories,
  runContext,
  temporaryDirectory,
} from "../support/runnerProcess.ts";
import { type ScriptedRun, ScriptedService } from "../support/scriptedService.ts";

let service: ScriptedService;
let runner: RunnerProcess;

beforeEach(async () => {
  service = await new ScriptedService().start();
});
afterEach(async () => {
  await runner.stop("SIGINT");
  await service.stop();
});
afterAll(removeTemporaryDirectories);

async function ended(run: ScriptedRun): Promise<ScriptedRun> {
  await service.until(() => run.done !== null);
  return run;
}

test("contexts whose variables are too large together", async () => {
  runner = new RunnerProcess(service);
  const run = service.offer(
    runContext(commitFiles({ "main.tf": "" }), "plan_run", (context) => {
      context.environment = Array.from({ length: 100 }, (_, index) => ({
        name: `V${index}`,
        value: "x".repeat(32_768),
        secret: false,
      }));
    }),
  );
  expect((await ended(run)).done).toMatchObject({
    status: "failure",
    error: expect.stringMatching(/E2BIG.*largest V0/),
  });
});

test("a program that writes a file larger than its limit", async () => {
  runner = new RunnerProcess(service);
  const run = service.offer(
    runContext(commitFiles({ "main.tf": "" }), "raw_run", (context) => {
      context.raw = { script: "ulimit -f 1\nexec head -c 9000000 /dev/zero > large" };
    }),
  );
  expect((await ended(run)).done?.error).toContain("SIGXFSZ (a file grew larger than the runner's limits allow)");
});

test("an engine that may not be started", async () => {
  const engine = path.join(temporaryDirectory("engine"), "terraform");
  mkdirSync(path.dirname(engine), { recursive: true });
  writeFileSync(engine, "no program");
  chmodSync(engine, 0o600);
  runner = new RunnerProcess(service, { RUNNER_TERRAFORM_PATH: engine, RUNNER_TOFU_PATH: engine });
  const run = service.offer(runContext(commitFiles({ "main.tf": "" }), "plan_run"));
  expect((await ended(run)).done?.error).toContain(
    "cannot be started on this runner: the runner's user may not do that",
  );
});
