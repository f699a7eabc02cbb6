import path from "node:path";
import { readState } from "./analysis/readState.ts";
import { sensitiveFormsOfState } from "./analysis/stateSensitive.ts";
import { storeApplyAnalysis } from "./analysis/storeAnalysis.ts";
import { fetchApprovedPlan } from "./artifacts.ts";
import { applyArguments, INIT_ARGUMENTS } from "./engineArguments.ts";
import { HeldOutputs } from "./heldOutputs.ts";
import type { Outcome } from "./outcome.ts";
import type { PlanDocument } from "./planDocument.ts";
import { restoreLockFile } from "./planLockFile.ts";
import { readPlan } from "./planReadBack.ts";
import { sensitiveForms } from "./planSensitive.ts";
import { warnAboutLostState } from "./stateBackend.ts";
import { Stopped } from "./stop.ts";
import { engineStep, prepareWorkspace, type RunResources, type Workspace } from "./workspace.ts";

/** apply_run: applies exactly the saved plan that was approved, with the state locked. @throws RunFailed, Stopped */
export async function executeApply(resources: RunResources): Promise<Outcome> {
  const { context, store, steps } = resources;
  const workspace = await prepareWorkspace(resources);
  await fetchApprovedPlan(store, workspace.planFile, context.run.plan_sha256, context.limits.artifact_bytes);
  await restoreLockFile(workspace.planFile, path.join(workspace.cwd, ".terraform.lock.hcl"));
  await engineStep(workspace, steps, INIT_ARGUMENTS);
  await warnAboutLostState(workspace.cwd, steps.log);
  const plan = await approvedPlan(resources, workspace);
  const sensitive = plan === null ? [] : sensitiveForms(plan);
  const outputs = new HeldOutputs(steps.log, sensitive);
  try {
    await engineStep(workspace, steps, applyArguments(workspace.planFile), [0], { stdout: outputs, sensitive });
  } catch (error) {
    outputs.release(null);
    throw error;
  }
  const state = await readState(resources, workspace).catch(() => null);
  outputs.release(state && sensitiveFormsOfState(state));
  await storeApplyAnalysis(resources, workspace, plan, state);
  return { status: "success", exit_code: 0, error: null };
}

/** What the plan changes and what of it is sensitive: an engine that cannot show it may still apply it. @throws Stopped */
async function approvedPlan(resources: RunResources, workspace: Workspace): Promise<PlanDocument | null> {
  try {
    return await readPlan(resources, workspace);
  } catch (error) {
    if (error instanceof Stopped) throw error;
    return null;
  }
}
