import { realpath } from "node:fs/promises";
import path from "node:path";
import { withInputs } from "../../src/core/runs/inputEnvironment.ts";
import type { RunContext } from "../../src/core/runs/protocol.ts";
import { declaredSensitive } from "../analysis/declaredSensitive.ts";
import type { RunSettings } from "../config/config.ts";
import { type Engine, findEngine } from "../engine/engine.ts";
import { engineEnvironment } from "../engine/engineEnvironment.ts";
import { bareEnvironment, checkArguments, readingEnvironment } from "../engine/engineVariables.ts";
import type { KnownEngine } from "../engine/knownEngine.ts";
import { wayToService } from "../engine/serviceWay.ts";
import { forgetBackend } from "../engine/stateBackend.ts";
import { placeNames, takePlace } from "../place/place.ts";
import type { Exit } from "../process/processGroup.ts";
import type { StepOptions, Steps } from "../process/steps.ts";
import { endedBy } from "../process/systemReasons.ts";
import { RunFailed } from "../service/outcome.ts";
import type { ArtifactStore } from "./artifacts.ts";
import { checkOut } from "./checkout.ts";
import type { Findings } from "./findings.ts";
import { hostedState } from "./hostedState.ts";
import type { Identities } from "./identities.ts";
import { inputsOf } from "./inputs.ts";
import { placeSource, type SourceStore } from "./localSource.ts";
import type { InputSource, OutputStore } from "./outputCalls.ts";
import { stackDirectory } from "./stackDirectory.ts";

/** What every kind of run is given to work with. */
export interface RunResources {
  context: RunContext;
  settings: RunSettings;
  /** Engines that need not be asked for their version. */
  engines: readonly KnownEngine[];
  /** The run's private directory. */
  directory: string;
  steps: Steps;
  store: ArtifactStore & SourceStore & InputSource & OutputStore;
  /** Every form of every secret. Those of inputs, and of tokens that are renewed, join it once they are known. */
  secretForms: Buffer[];
  identities: Pick<Identities, "writeTo">;
  findings: Findings;
}

/** Where an engine's output goes, and what is hidden in it besides the run's secrets. */
export type Output = Pick<StepOptions, "stdout" | "stderr" | "sensitive"> & {
  /** Variables for this command alone. */
  added?: Record<string, string>;
};

/** The run's files, a clone or an unpacked upload, with the engine the stack asks for, ready for `init`. */
export interface Workspace {
  engine: Engine;
  /** Where the run's files are, with its home and temporary directory. */
  place: string;
  /** The stack's directory inside the files. */
  cwd: string;
  /** Whether the service keeps the state. */
  hosted: boolean;
  /** The engine's whole environment. */
  env: Record<string, string>;
  /** Forms of what its variables declare sensitive, for output that comes before there is a plan. */
  declared: readonly Buffer[];
  /** Path of the saved plan, outside the files. */
  planFile: string;
  /** Runs the engine in the stack's directory. */
  run(args: readonly string[], output?: Output): Promise<Exit>;
}

/** @throws RunFailed, Stopped */
export async function prepareWorkspace(resources: RunResources): Promise<Workspace> {
  const { context, settings, engines, directory, steps } = resources;
  const place = await ownPlace(resources);
  const cwd = await steps.trace.step("checkout", () => stackFiles(resources, place));
  const given = { ...context, environment: withInputs(context.environment, await inputsOf(resources, cwd)) };
  const identities = await resources.identities.writeTo(path.join(place, "identity"));
  const { variables, ignored } = await engineEnvironment(given, settings, directory, place, identities);
  for (const name of ignored)
    steps.log.note(`The variable ${JSON.stringify(name)} is reserved or malformed and was left out.`);
  for (const { provider_type, expires_at } of context.runtime_credentials)
    steps.log.note(`Credentials of ${provider_type} are good until ${expires_at}.`);
  for (const { provider_type, name, expires_at } of context.identities ?? [])
    steps.log.note(
      `The identity ${provider_type} ${name} is good until ${expires_at}, and renewed while the run goes on.`,
    );
  const hosted = await hostedState(resources, cwd);
  if (hosted !== null) {
    Object.assign(without(variables, "TF_HTTP_"), hosted, wayToService(variables, settings.serviceUrl, process.env));
    // That of a plan's tree is looked at instead, before its apply.
    if (sealedTree(context) === null) await forgetBackend({ place, cwd, env: variables });
  }
  checkArguments(variables, context.run.kind, hosted !== null);
  const bare = { cwd, env: bareEnvironment(variables) };
  const engine = await findEngine(context.stack, settings, engines, steps, bare);
  steps.log.note(`Using ${engine.tool} ${engine.version}`);
  return {
    engine,
    place,
    cwd,
    hosted: hosted !== null,
    env: variables,
    declared: await declaredSensitive(cwd, engine.tool, variables),
    planFile: planFile(resources),
    run: (args, { added, ...output } = {}) => {
      const env = args[0] === "show" ? readingEnvironment(variables) : { ...variables, ...added };
      return steps.run(engine.program, args, { cwd, env, ...output });
    },
  };
}

/** Takes the variables that begin so away, and returns what is left. */
function without(variables: Record<string, string>, prefix: string): Record<string, string> {
  for (const name of Object.keys(variables)) if (name.startsWith(prefix)) delete variables[name];
  return variables;
}

/** Where the saved plan is, outside the run's files. */
export function planFile({ directory }: Pick<RunResources, "directory">): string {
  return path.join(directory, "plan.bin");
}

/** Where the run's files lie: at the same real path in every run of the lane. @throws RunFailed, Stopped */
async function ownPlace({ context, settings, directory, steps }: RunResources): Promise<string> {
  const place = await takePlace(directory, placeNames(context), {
    ms: settings.cancelGraceMs,
    begins: (owner) => steps.log.step(`Waiting for ${owner}, which is still at work in the folder of this stack`),
    check: () => steps.stop.check(),
  });
  return realpath(place);
}

/** SHA-256 of the tree that this run works on, when it is the apply of a plan that left one. */
export function sealedTree({ run }: Pick<RunContext, "run">): string | null {
  return run.kind === "apply_run" ? (run.tree_sha256 ?? null) : null;
}

/** The stack's directory with its files in it. */
async function stackFiles(resources: RunResources, place: string): Promise<string> {
  const { context, settings, directory, steps, store, findings } = resources;
  const { source, stack } = context;
  const into = path.join(place, "files");
  const tree = sealedTree(context);
  if (tree !== null) {
    const { restoreTree } = await import("./restoreTree.ts");
    await restoreTree(resources, place, tree);
    return stackDirectory(into, stack.working_directory, "in the files of the plan");
  }
  return source.type === "git"
    ? checkOut({ ...context, source }, into, settings, steps, findings)
    : placeSource(
        source,
        stack.working_directory,
        { archive: path.join(directory, "source.tar.gz"), into },
        store,
        steps,
      );
}

/**
 * Runs one engine command that must exit 0 (or one of `good`). `beforeFailure` may still bring its errors into the log,
 * where the first one is looked for.
 * @throws RunFailed with the engine's first error
 */
export async function engineStep(
  workspace: Workspace,
  steps: Steps,
  args: readonly string[],
  good: readonly number[] = [0],
  output?: Output & { beforeFailure?: () => Promise<void> },
): Promise<number> {
  const command = `${workspace.engine.tool} ${args[0]}`;
  steps.log.step(`Running ${command}`);
  return steps.trace.step(command, async () => {
    const { code, signal } = await workspace.run(args, output);
    if (code !== null && good.includes(code)) return code;
    await output?.beforeFailure?.();
    const excerpt = steps.log.failureExcerpt();
    const how = code === null ? endedBy(signal) : `failed with exit code ${code}`;
    throw new RunFailed(`${command} ${how}${excerpt === "" ? "." : `: ${excerpt}`}`, code);
  });
}
