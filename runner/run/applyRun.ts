import path from "node:path";
import { applyArguments, providersArguments } from "../engine/engineArguments.ts";
import { checkBackend, checkHostedBackend } from "../engine/stateBackend.ts";
import { ApplyOutput } from "../output/applyOutput.ts";
import type { PlanDocument } from "../plan/planDocument.ts";
import { sensitiveForms } from "../plan/planSensitive.ts";
import { makesSensitive } from "../plan/sensitiveToCome.ts";
import { sensitiveFormsOfState } from "../plan/stateSensitive.ts";
import { Stopped } from "../process/stop.ts";
import { type Outcome, RunFailed } from "../service/outcome.ts";
import { fetchStored, SAVED_PLAN } from "./fetchStored.ts";
import { runHook, runHookAfterApply } from "./hooks.ts";
import { initialize } from "./initialize.ts";
import { storeOutputs } from "./outputs.ts";
import { readPlan } from "./planReadBack.ts";
import { readState, sensitiveFormsNow } from "./stateReadBack.ts";
import { storeApplyAnalysis } from "./storeAnalysis.ts";
import { together } from "./together.ts";
import { engineStep, planFile, prepareWorkspace, type RunResources, sealedTree, type Workspace } from "./workspace.ts";

/**
 * apply_run: applies exactly the saved plan that was approved, on the files that it left, with the state locked.
 * @throws RunFailed, Stopped
 */
export async function executeApply(resources: RunResources): Promise<Outcome> {
  const { context, steps } = resources;
  const [workspace] = await together([prepareWorkspace(resources), fetchApprovedPlan(resources)]);
  await (sealedTree(context) === null ? initializeAnew(resources, workspace) : initializeTree(resources, workspace));
  await checkBackend(workspace, steps.log);
  noteChanges(resources);
  const plan = await approvedPlan(resources, workspace);
  const known = plan === null ? [] : sensitiveForms(plan);
  await runHook("before_apply", resources, workspace, { also: known });
  const output = new ApplyOutput(resources.directory, steps.log, {
    known,
    makesSensitive: makesSensitive(plan),
    addresses: new Set(plan?.resource_changes.map(({ address }) => address)),
  });
  const { stdout, stderr } = output;
  const beforeFailure = async () => output.release(await sensitiveFormsNow(resources, workspace));
  try {
    await engineStep(workspace, steps, applyArguments(workspace.planFile), [0], { stdout, stderr, beforeFailure });
  } catch (error) {
    output.release(null);
    throw error;
  }
  const state = await readState(resources, workspace).catch(() => null);
  output.release(state && sensitiveFormsOfState(state));
  await storeApplyAnalysis(resources, workspace, plan, state);
  await storeOutputs(resources, state);
  return { status: "success", exit_code: 0, error: await runHookAfterApply(resources, workspace) };
}

/** Fetches the saved plan that is applied, which must be the one that was approved. @throws RunFailed, Stopped */
async function fetchApprovedPlan(resources: RunResources): Promise<void> {
  const { context, store, steps } = resources;
  const { plan_sha256: sha256 } = context.run;
  if (sha256 === null) throw new RunFailed("The run names no plan digest, so its plan cannot be checked.");
  const { artifact_bytes: most } = context.limits;
  await fetchStored(SAVED_PLAN, sha256, steps.stop, (signal) =>
    store.getArtifact("plan", planFile(resources), most, signal),
  );
}

/** Who looks for a new value in vain has to know that the plan came before it. */
function noteChanges({ context, steps }: RunResources): void {
  const names = (context.changed_since_plan ?? []).map(({ name }) => name);
  if (names.length === 0) return;
  steps.log.note(
    `Changed in contexts since the plan, which is applied with what it was made with: ${names.join(", ")}`,
  );
}

/** On the tree of the plan nothing is fetched but providers. */
async function initializeTree({ steps }: RunResources, workspace: Workspace): Promise<void> {
  const { restoreData } = await import("./restoreTree.ts");
  await restoreData(workspace);
  await checkHostedBackend(workspace);
  await engineStep(workspace, steps, providersArguments(workspace.engine.tool), [0], {
    sensitive: workspace.declared,
  });
}

/** A plan of a runner that sealed no tree. */
async function initializeAnew(resources: RunResources, workspace: Workspace): Promise<void> {
  resources.steps.log.note(
    "The plan's runner is too old to have kept the files of the plan: they are fetched again, and modules may be others.",
  );
  const { restoreLockFile } = await import("../plan/planLockFile.ts");
  await restoreLockFile(workspace.planFile, path.join(workspace.cwd, ".terraform.lock.hcl"));
  await initialize(resources, workspace);
}

/**
 * What the plan changes and what of it is sensitive: an engine that cannot show it may still apply it. @throws Stopped
 */
async function approvedPlan(resources: RunResources, workspace: Workspace): Promise<PlanDocument | null> {
  try {
    return await readPlan(resources, workspace);
  } catch (error) {
    if (error instanceof Stopped) throw error;
    return null;
  }
}
