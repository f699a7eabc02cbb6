import path from "node:path";
import { fetchApprovedPlan } from "./artifacts.ts";
import { applyArguments, INIT_ARGUMENTS } from "./engineArguments.ts";
import type { Outcome } from "./outcome.ts";
import { restoreLockFile } from "./planLockFile.ts";
import { warnAboutLostState } from "./stateBackend.ts";
import { engineStep, prepareWorkspace, type RunResources } from "./workspace.ts";

/** apply_run: applies exactly the saved plan that was approved, with the state locked. @throws RunFailed, Stopped */
export async function executeApply(resources: RunResources): Promise<Outcome> {
  const { context, store, steps } = resources;
  const workspace = await prepareWorkspace(resources);
  await fetchApprovedPlan(store, workspace.planFile, context.run.plan_sha256, context.limits.artifact_bytes);
  await restoreLockFile(workspace.planFile, path.join(workspace.cwd, ".terraform.lock.hcl"));
  await engineStep(workspace, steps, INIT_ARGUMENTS);
  await warnAboutLostState(workspace.cwd, steps.log);
  await engineStep(workspace, steps, applyArguments(workspace.planFile));
  return { status: "success", exit_code: 0, error: null };
}
