import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Engine } from "../engine/engine.ts";
import { checkBackend } from "../engine/stateBackend.ts";
import { endedBy } from "../process/systemReasons.ts";
import { type Outcome, RunFailed } from "../service/outcome.ts";
import { initialize } from "./initialize.ts";
import { sensitiveFormsNow } from "./stateReadBack.ts";
import { prepareWorkspace, type RunResources, type Workspace } from "./workspace.ts";

/**
 * raw_run: runs a person's script in the stack's directory, in the engine's environment, after `init`. The text is in a
 * private file outside the clone and in nothing that is written about the run: neither in its log nor in its error,
 * which is why an error says no more than the exit code.
 * @throws RunFailed, Stopped
 */
export async function executeRaw(resources: RunResources): Promise<Outcome> {
  const { context, directory, steps } = resources;
  const script = context.raw?.script;
  if (script === undefined) throw new RunFailed("The service sent no command to run.");
  const workspace = await prepareWorkspace(resources);
  const { engine, cwd, env } = workspace;
  await initialize(resources, workspace);
  await checkBackend(workspace, steps.log);
  const file = path.join(directory, "command.sh");
  await writeFile(file, script, { mode: 0o600, flag: "wx" });
  const tools = await engineByName(engine, path.join(directory, "bin"));
  const output = await maskedByState(resources, workspace);
  steps.log.step(`Running the command (${Buffer.byteLength(script, "utf8")} bytes)`);
  return steps.trace.step("command", async () => {
    const { code, signal } = await steps.run("/bin/sh", ["-e", file], {
      cwd,
      ...output,
      env: { ...env, PATH: [tools, env.PATH].filter(Boolean).join(path.delimiter) },
    });
    if (code === 0) return { status: "success", exit_code: 0, error: null };
    const how = code === null ? endedBy(signal) : `failed with exit code ${code}`;
    throw new RunFailed(`The command ${how}.`, code);
  });
}

/**
 * The command may print what the state has, so what is sensitive there is hidden. What the command itself makes
 * sensitive nobody knows before it has run, and people watch it run.
 */
async function maskedByState(resources: RunResources, workspace: Workspace): Promise<{ sensitive: Buffer[] }> {
  const sensitive = await sensitiveFormsNow(resources, workspace);
  resources.steps.stop.check();
  if (sensitive === null) {
    resources.steps.log.note("The state cannot be read, so what is sensitive in it is not hidden in what follows.");
  }
  return { sensitive: [...workspace.declared, ...(sensitive ?? [])] };
}

/**
 * A directory in which the stack's engine is found under its own name, wherever this runner has it. A script calls
 * `terraform` and gets the one that plans and applies, not another that happens to be on PATH.
 */
async function engineByName({ tool, program }: Engine, directory: string): Promise<string> {
  await mkdir(directory, { mode: 0o700 });
  const file = path.join(directory, tool);
  const quoted = `'${program.replaceAll("'", `'\\''`)}'`;
  await writeFile(file, `#!/bin/sh\nexec ${quoted} "$@"\n`, { mode: 0o700 });
  return directory;
}
