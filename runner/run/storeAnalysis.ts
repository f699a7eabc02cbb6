import { writeFile } from "node:fs/promises";
import path from "node:path";
import {
  type Analysis,
  changesSection,
  dependenciesSection,
  type Mask,
  plannedResources,
  stateResources,
  withOwnState,
} from "../analysis/analysisDocument.ts";
import { type Scanned, scanConfiguration } from "../analysis/configurationFiles.ts";
import { ownStateLocation } from "../analysis/stateLocation.ts";
import { textMasker } from "../output/masking.ts";
import type { PlanDocument } from "../plan/planDocument.ts";
import { sensitiveForms } from "../plan/planSensitive.ts";
import { sensitiveFormsOfState } from "../plan/stateSensitive.ts";
import { Stopped } from "../process/stop.ts";
import { publicReason } from "../process/systemReasons.ts";
import { uploadOptional } from "./artifacts.ts";
import type { RunResources, Workspace } from "./workspace.ts";

/** Of mistakes in comments; all of them are in the analysis. */
const MAX_LOGGED_ERRORS = 50;

/** The analysis of a plan. What is unknown is left out of it, and no reason fails the run. */
export async function storePlanAnalysis(
  resources: RunResources,
  workspace: Workspace,
  plan: PlanDocument | null,
): Promise<void> {
  const { run } = resources.context;
  const scanned = await scan(resources, workspace);
  const mask = textMasker([...resources.secretForms, ...(plan === null ? [] : sensitiveForms(plan))]);
  const targeted = run.targets.length + run.excludes.length > 0;
  const analysis: Analysis = {
    version: 1,
    dependencies: scanned.scanner && dependenciesSection(scanned.scanner, mask),
    // Comments that are unknown may tell to leave resources out.
    resources: plan && scanned.scanner && plannedResources(plan, scanned.scanner.identities, targeted, mask),
    changes: plan && changesSection(plan, run.kind === "refresh_run", mask),
  };
  await store(resources, await complete(analysis, scanned, workspace, mask));
}

/**
 * The analysis of an apply: what its state holds now, and what its plan changed. Never throws: what was applied is a
 * fact, whatever becomes of this.
 */
export async function storeApplyAnalysis(
  resources: RunResources,
  workspace: Workspace,
  plan: PlanDocument | null,
  state: object | null,
): Promise<void> {
  const { log } = resources.steps;
  try {
    const scanned = await scan(resources, workspace);
    const forms = [
      ...(plan === null ? [] : sensitiveForms(plan)),
      ...(state === null ? [] : sensitiveFormsOfState(state)),
    ];
    const mask = textMasker([...resources.secretForms, ...forms]);
    const analysis: Analysis = {
      version: 1,
      dependencies: scanned.scanner && dependenciesSection(scanned.scanner, mask),
      resources: state && scanned.scanner && stateResources(state, scanned.scanner.identities, mask),
      changes: plan && changesSection(plan, resources.context.deployment.mode === "refresh", mask),
    };
    await store(resources, await complete(analysis, scanned, workspace, mask));
  } catch (error) {
    const why = error instanceof Stopped ? "the run was stopped before it was stored" : publicReason(error);
    log.note(`Left out: the analysis of this run: ${why}.`);
  }
}

async function complete(
  analysis: Analysis,
  { scanner }: Scanned,
  { cwd, env }: Workspace,
  mask: Mask,
): Promise<Analysis> {
  return withOwnState(analysis, await ownStateLocation(cwd, env), scanner?.identities ?? null, mask);
}

async function scan({ context, steps }: RunResources, { cwd }: Workspace): Promise<Scanned> {
  const { id, name, labels, tool } = context.stack;
  const scanned = await scanConfiguration(cwd, tool, { id, name, labels });
  if (scanned.unknown !== null) steps.log.note(`What comments declare is unknown: ${scanned.unknown}.`);
  const errors = scanned.scanner?.errors ?? [];
  for (const error of errors.slice(0, MAX_LOGGED_ERRORS)) steps.log.note(`Ignored comment: ${error}`);
  if (errors.length > MAX_LOGGED_ERRORS) steps.log.note(`and ${errors.length - MAX_LOGGED_ERRORS} more comments`);
  return scanned;
}

async function store({ context, directory, store, steps }: RunResources, analysis: Analysis): Promise<void> {
  const file = path.join(directory, "analysis.json");
  try {
    await writeFile(file, JSON.stringify(analysis), { mode: 0o600 });
  } catch (error) {
    return steps.log.note(`Left out: the analysis of this run: ${publicReason(error)}.`);
  }
  await uploadOptional(store, "analysis", file, context.limits.artifact_bytes, steps);
}
