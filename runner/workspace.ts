import path from "node:path";
import type { RunContext } from "../src/runs/protocol.ts";
import type { ArtifactStore } from "./artifacts.ts";
import { checkOut } from "./checkout.ts";
import type { RunSettings } from "./config.ts";
import { type Engine, findEngine } from "./engine.ts";
import { engineEnvironment } from "./engineEnvironment.ts";
import { RunFailed } from "./outcome.ts";
import type { Exit, Sink } from "./processGroup.ts";
import type { StepOptions, Steps } from "./steps.ts";

/** What every kind of run is given to work with. */
export interface RunResources {
  context: RunContext;
  settings: RunSettings;
  /** The run's private directory. */
  directory: string;
  steps: Steps;
  store: ArtifactStore;
  /** Every form of every secret. */
  secretForms: readonly Buffer[];
}

/** A clone at the run's commit with the engine the stack asks for, ready for `init`. */
export interface Workspace {
  engine: Engine;
  /** The stack's directory inside the clone. */
  cwd: string;
  /** Path of the saved plan, outside the clone. */
  planFile: string;
  /** Runs the engine in the stack's directory. */
  run(args: readonly string[], stdout?: NonNullable<StepOptions["stdout"]>): Promise<Exit>;
}

/** @throws RunFailed, Stopped */
export async function prepareWorkspace(resources: RunResources): Promise<Workspace> {
  const { context, settings, directory, steps } = resources;
  const cwd = await checkOut(context, path.join(directory, "clone"), settings, steps);
  const { variables, ignored } = await engineEnvironment(context, settings, directory);
  for (const name of ignored)
    steps.log.note(`The variable ${JSON.stringify(name)} is reserved or malformed and was left out.`);
  const engine = await findEngine(context.stack, settings, steps, { cwd, env: variables });
  steps.log.note(`Using ${engine.tool} ${engine.version}`);
  return {
    engine,
    cwd,
    planFile: path.join(directory, "plan.bin"),
    run: (args, stdout) =>
      steps.run(engine.program, args, { cwd, env: variables, ...(stdout === undefined ? {} : { stdout }) }),
  };
}

/** Runs one engine command that must exit 0 (or one of `good`). @throws RunFailed with the engine's first error */
export async function engineStep(
  workspace: Workspace,
  steps: Steps,
  args: readonly string[],
  good: readonly number[] = [0],
  stdout?: Sink,
): Promise<number> {
  const command = `${workspace.engine.tool} ${args[0]}`;
  steps.log.step(`Running ${command}`);
  const { code, signal } = await workspace.run(args, stdout);
  if (code !== null && good.includes(code)) return code;
  const excerpt = steps.log.failureExcerpt();
  const how = code === null ? `was ended by ${signal}` : `failed with exit code ${code}`;
  throw new RunFailed(`${command} ${how}${excerpt === "" ? "." : `: ${excerpt}`}`, code);
}
