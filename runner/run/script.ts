/** A script of a person or of the stack's settings, in the stack's directory and the engine's environment. */
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Engine } from "../engine/engine.ts";
import type { Exit } from "../process/processGroup.ts";
import type { StepOptions } from "../process/steps.ts";
import { endedBy } from "../process/systemReasons.ts";
import { sensitiveFormsNow } from "./stateReadBack.ts";
import type { RunResources, Workspace } from "./workspace.ts";

/**
 * Its text is in a private file outside the clone and in nothing that is written about the run.
 * @throws RunFailed when it cannot be started, Stopped
 */
export async function runScript(
  { directory, steps }: RunResources,
  { engine, cwd, env }: Workspace,
  { name, text, added, output }: { name: string; text: string; added?: Record<string, string>; output: Output },
): Promise<Exit> {
  const file = path.join(directory, `${name}.sh`);
  await writeFile(file, text, { mode: 0o600, flag: "wx" });
  const tools = await engineByName(engine, path.join(directory, "bin"));
  return steps.run("/bin/sh", ["-e", file], {
    cwd,
    ...output,
    env: { ...env, ...added, PATH: [tools, env.PATH].filter(Boolean).join(path.delimiter) },
  });
}

type Output = Pick<StepOptions, "sensitive">;

/** `failed with exit code 3`, or what ended it. */
export function howItEnded({ code, signal }: Exit): string {
  return code === null ? endedBy(signal) : `failed with exit code ${code}`;
}

/**
 * A script may print what the state has, so what is sensitive there is hidden. What the script itself makes sensitive
 * nobody knows before it has run, and people watch it run.
 */
export async function maskedByState(resources: RunResources, workspace: Workspace): Promise<{ sensitive: Buffer[] }> {
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
  await mkdir(directory, { mode: 0o700, recursive: true });
  const file = path.join(directory, tool);
  const quoted = `'${program.replaceAll("'", `'\\''`)}'`;
  await writeFile(file, `#!/bin/sh\nexec ${quoted} "$@"\n`, { mode: 0o700 });
  return directory;
}
