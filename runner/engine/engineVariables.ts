/**
 * The variables that engines document, and what becomes of each where a context sets it
 * (docs/operations.md#variables-of-an-engine).
 */
import path from "node:path";
import type { RunKind } from "../../src/core/runs/protocol.ts";
import { RunFailed } from "../service/outcome.ts";

/**
 * - `engine`: every call gets it, so that a plan is read back as it was made
 * - `asked`: only the calls that people ask for get it, since it would change what the runner reads
 * - `runner`: the runner decides it; a context's is left out by name
 */
type Use = "engine" | "asked" | "runner";

/** The first that fits counts. */
const USES: readonly (readonly [RegExp, Use])[] = [
  [/^(?:CHECKPOINT_DISABLE|TF_CLI_CONFIG_FILE|TERRAFORM_CONFIG|TF_IN_AUTOMATION|TF_INPUT)$/, "runner"],
  // A trace shows values before anybody can know that they are sensitive.
  [/^(?:TF|TOFU)_LOG(?:_.*)?$|^TF_TEMP_LOG_PATH$/, "runner"],
  [/^TF_CLI_ARGS(?:_.*)?$/, "asked"],
];

export function useOf(name: string): Use {
  return USES.find(([pattern]) => pattern.test(name))?.[1] ?? "engine";
}

type Environment = Readonly<Record<string, string>>;

/** For reading back what a call made, in the same data folder and workspace, with the same providers. */
export function readingEnvironment(env: Environment): Record<string, string> {
  return without(env, (name) => useOf(name) === "asked" || /_LOG(?:_|$)/.test(name));
}

/** For asking an engine what it is: nothing that speaks of a configuration may fail that. */
export function bareEnvironment(env: Environment): Record<string, string> {
  return without(env, (name) => name.startsWith("TF_") && useOf(name) !== "runner");
}

function without(env: Environment, isLeftOut: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isLeftOut(name)));
}

/** Where the engine keeps what `init` chose. */
export function dataDirectory(cwd: string, env: Environment): string {
  return path.resolve(cwd, env.TF_DATA_DIR || ".terraform");
}

/** Options that the deployment decides, or that would hide from the runner what the engine does. */
const SHARED = ["json", "json-into", "state", "state-out", "show-sensitive", "help", "h"];
const DECIDED: Record<"init" | "plan" | "apply", readonly string[]> = {
  init: ["backend", "cloud", "from-module", "json", "json-into", "help", "h"],
  plan: [
    ...SHARED,
    "destroy",
    "refresh-only",
    "target",
    "target-file",
    "exclude",
    "exclude-file",
    "replace",
    "invoke",
    "out",
  ],
  apply: [
    ...SHARED,
    "destroy",
    "refresh-only",
    "target",
    "target-file",
    "exclude",
    "exclude-file",
    "replace",
    "invoke",
  ],
};

/** The calls of a run in which a context's arguments count; a script's own calls are the script's business. */
function calls(kind: RunKind): (keyof typeof DECIDED)[] {
  if (kind === "raw_run") return ["init"];
  return kind === "apply_run" ? ["init", "apply"] : ["init", "plan"];
}

/** What would make of the service's backend another one, or bring a state from elsewhere into it. */
const DECIDED_WHEN_HOSTED: readonly string[] = ["backend-config", "migrate-state", "force-copy"];

/**
 * @param hosted whether the service keeps the state
 * @throws RunFailed for arguments of a context that would make the run another one than was asked for
 */
export function checkArguments(env: Environment, kind: RunKind, hosted: boolean): void {
  for (const call of calls(kind)) {
    const decided = call === "init" && hosted ? [...DECIDED.init, ...DECIDED_WHEN_HOSTED] : DECIDED[call];
    for (const name of ["TF_CLI_ARGS", `TF_CLI_ARGS_${call}`]) {
      const option = optionsIn(env[name] ?? "").find((each) => decided.includes(each));
      if (option === undefined) continue;
      throw new RunFailed(
        `The variable ${name} sets -${option}, which a run of this service decides itself (${call}).`,
      );
    }
  }
}

/** Names of the options in a line of arguments, as a shell would split it. */
function optionsIn(line: string): string[] {
  const words = line.match(/(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/g) ?? [];
  return words.flatMap((word) => /^--?([a-z][a-z-]*)/.exec(word.replace(/["'\\]/g, ""))?.[1] ?? []);
}
