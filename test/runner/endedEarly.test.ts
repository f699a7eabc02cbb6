/**
 * A run that is over before its runner could begin: no call of the runner is an error, whichever is the first to be
 * told.
 */
import { afterAll, expect, test } from "vitest";
import { commitFiles, RunnerProcess, removeTemporaryDirectories, runContext } from "../support/runnerProcess.ts";
import { ScriptedService } from "../support/scriptedService.ts";

afterAll(removeTemporaryDirectories);

test.each([
  ["ready", ["POST ready", "DELETE deregister"]],
  ["accept", ["POST ready", "POST accept", "DELETE deregister"]],
])("told so by %s the runner goes with exit code 0", async (call, calls) => {
  const service = await new ScriptedService().start();
  const runner = new RunnerProcess(service);
  try {
    const refusal = { [call]: { status: 409, code: "run_already_terminal" } };
    const run = service.offer(runContext(commitFiles({ "main.tf": "" }), "plan_run"), refusal);
    expect(await runner.exitCode(run)).toBe(0);
    expect(run.calls).toEqual(calls);
  } finally {
    await runner.stop("SIGINT");
    await service.stop();
  }
});
