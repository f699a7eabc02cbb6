import { checkBackend } from "../engine/stateBackend.ts";
import { type Outcome, RunFailed } from "../service/outcome.ts";
import { initialize } from "./initialize.ts";
import { howItEnded, maskedByState, runScript } from "./script.ts";
import { prepareWorkspace, type RunResources } from "./workspace.ts";

/**
 * raw_run: runs a person's script in the stack's directory, in the engine's environment, after `init`. Its text is
 * neither in its log nor in its error, which is why an error says no more than the exit code.
 * @throws RunFailed, Stopped
 */
export async function executeRaw(resources: RunResources): Promise<Outcome> {
  const { context, steps } = resources;
  const script = context.raw?.script;
  if (script === undefined) throw new RunFailed("The service sent no command to run.");
  const workspace = await prepareWorkspace(resources);
  await initialize(resources, workspace);
  await checkBackend(workspace, steps.log);
  const output = await maskedByState(resources, workspace);
  steps.log.step(`Running the command (${Buffer.byteLength(script, "utf8")} bytes)`);
  return steps.trace.step("command", async () => {
    const exit = await runScript(resources, workspace, { name: "command", text: script, output });
    if (exit.code === 0) return { status: "success", exit_code: 0, error: null };
    throw new RunFailed(`The command ${howItEnded(exit)}.`, exit.code);
  });
}
