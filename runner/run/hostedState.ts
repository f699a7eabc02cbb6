/**
 * The state that the service keeps for a stack: a file beside the configuration makes it the backend, and variables
 * say where it is and what opens it. The file is a part of the tree that a plan leaves, so an apply knows by it;
 * address and token are each run's own and in no file.
 */
import type { RunContext } from "../../src/core/runs/protocol.ts";
import { namesBackend } from "../analysis/backendBlock.ts";
import type { RunSettings } from "../config/config.ts";
import type { Steps } from "../process/steps.ts";
import { RunFailed } from "../service/outcome.ts";
import type { Findings } from "./findings.ts";
import { hasOverride, refuseOwnNames, STATE_OVERRIDES, writeOverride } from "./stateOverride.ts";

const UNUSED =
  "The configuration names a backend, so the state that the service keeps for this stack is not used. Set its state_mode to hosted to use it, or to own.";
const NOT_GIVEN =
  "The service keeps the state of this stack and gives it to no foreign code, so this plan shows everything as new.";
const LEFT =
  "The plan was made on the state that the service keeps, and by now the stack says that it is kept elsewhere: plan again. Nothing was applied.";
const CAME =
  "The plan was made on a state that is kept elsewhere, and by now the stack says that the service keeps it: plan again. Nothing was applied.";

type Resources = {
  context: RunContext;
  settings: Pick<RunSettings, "serviceUrl">;
  steps: Pick<Steps, "log">;
  findings: Pick<Findings, "warnings">;
};

/** Waits of an engine for a service that is away: some three minutes together. */
const RETRIES = { TF_HTTP_RETRY_MAX: "10", TF_HTTP_RETRY_WAIT_MIN: "1", TF_HTTP_RETRY_WAIT_MAX: "30" };

/**
 * Makes the service's state the backend of what is in `cwd`, if it is to be.
 * @returns the variables for it, null when the state is kept elsewhere
 * @throws RunFailed
 */
export async function hostedState(
  { context, settings, steps, findings }: Resources,
  cwd: string,
): Promise<Record<string, string> | null> {
  const { state, run, stack } = context;
  if (run.kind === "apply_run") return stateOfApply({ context, settings }, cwd);
  refuseOwnNames(cwd);
  if (state === undefined) return null;
  const warn = (warning: string) => {
    steps.log.note(`Warning: ${warning}`);
    findings.warnings.push(warning);
  };
  if (state.mode === "auto" && (await namesBackend(cwd, stack.tool))) {
    if (state.has_versions) warn(UNUSED);
    return null;
  }
  if (state.token === null) {
    if (state.has_versions) warn(NOT_GIVEN);
    return null;
  }
  await writeOverride(cwd);
  steps.log.note("The service keeps the state of this stack.");
  return variables(settings.serviceUrl, run.id, state.token, run.kind === "raw_run");
}

/** The one that its plan was made on. What the stack says may have changed while the plan waited. @throws RunFailed */
async function stateOfApply(
  { context: { state, run, stack }, settings }: Pick<Resources, "context" | "settings">,
  cwd: string,
): Promise<Record<string, string> | null> {
  const planned = await hasOverride(cwd);
  const token = state?.token ?? null;
  const isHere =
    token !== null && (state?.mode === "hosted" || !(await namesBackend(cwd, stack.tool, STATE_OVERRIDES)));
  if (planned !== isHere) throw new RunFailed(planned ? LEFT : CAME);
  return token === null || !isHere ? null : variables(settings.serviceUrl, run.id, token, true);
}

/** Without an address for locks an engine takes none: what may not write has none. */
function variables(serviceUrl: string, runId: string, token: string, writes: boolean): Record<string, string> {
  const address = `${serviceUrl}/api/v1/runs/${runId}/state`;
  const lock = {
    TF_HTTP_LOCK_ADDRESS: `${address}/lock`,
    TF_HTTP_LOCK_METHOD: "PUT",
    TF_HTTP_UNLOCK_ADDRESS: `${address}/lock`,
    TF_HTTP_UNLOCK_METHOD: "DELETE",
  };
  return {
    TF_HTTP_ADDRESS: address,
    TF_HTTP_USERNAME: "run",
    TF_HTTP_PASSWORD: token,
    TF_HTTP_UPDATE_METHOD: "POST",
    ...RETRIES,
    ...(writes ? lock : {}),
  };
}
