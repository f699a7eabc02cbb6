import { once } from "node:events";
import { createWriteStream, existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { DriftReport, PlanSummary, RunContext } from "../../src/core/runs/protocol.ts";
import type { Escapes } from "../config/escapes.ts";
import { planArguments, showTextArguments } from "../engine/engineArguments.ts";
import { checkBackend } from "../engine/stateBackend.ts";
import { type FormsByOutput, HeldPlanText } from "../output/heldPlanText.ts";
import { textMasker } from "../output/masking.ts";
import type { RunLog } from "../output/runLog.ts";
import { shownStream } from "../output/shownStream.ts";
import { NOWHERE, type Sink } from "../output/sink.ts";
import { usesLane } from "../place/place.ts";
import { driftReport } from "../plan/driftReport.ts";
import { shownChanges } from "../plan/planChanges.ts";
import type { PlanDocument } from "../plan/planDocument.ts";
import { sensitiveForms } from "../plan/planSensitive.ts";
import { summarizePlan, unmeasuredPlan, withWarnings } from "../plan/planSummary.ts";
import { unmatchedAddresses } from "../plan/unmatchedAddresses.ts";
import { Stopped } from "../process/stop.ts";
import { publicReason } from "../process/systemReasons.ts";
import { type Outcome, RunFailed } from "../service/outcome.ts";
import { uploadOptional, uploadRequired } from "./artifacts.ts";
import { runHook } from "./hooks.ts";
import { initialize } from "./initialize.ts";
import { storePlannedOutputs } from "./outputs.ts";
import { planJsonFile, readPlan } from "./planReadBack.ts";
import { sealTree } from "./sealTree.ts";
import { sensitiveFormsNow } from "./stateReadBack.ts";
import { storePlanAnalysis } from "./storeAnalysis.ts";
import { together } from "./together.ts";
import { engineStep, prepareWorkspace, type RunResources, type Workspace } from "./workspace.ts";

const UNREAD = "the engine's JSON plan is too large or of an unknown format";

/**
 * plan_run, destroy_run and refresh_run: plans without a lock, measures the plan and stores it.
 * @throws RunFailed, Stopped
 */
export async function executePlan(resources: RunResources): Promise<Outcome> {
  const { context, steps } = resources;
  const workspace = await prepareWorkspace(resources);
  const args = planArguments(context.run, workspace.engine, workspace.planFile);
  await initialize(resources, workspace);
  const warnings = [...resources.findings.warnings, ...(await checkBackend(workspace, steps.log))];
  await runHook("before_plan", resources, workspace);
  const text = new HeldPlanText(resources.directory, steps.log);
  const beforeFailure = async () => text.release(await formsOfFailedPlan(resources, workspace));
  let exitCode: number;
  try {
    // Exit code 2 says "changes"; what they are is read from the JSON alone.
    const { stdout, stderr } = text;
    exitCode = await engineStep(workspace, steps, args, [0, 2], { stdout, stderr, beforeFailure });
  } catch (error) {
    text.release({ text: null, errors: null });
    throw error;
  }
  const document = await readPlan(resources, workspace);
  const forms = document === null ? null : sensitiveForms(document);
  text.release({ text: forms, errors: forms ?? (await sensitiveFormsNow(resources, workspace)) ?? workspace.declared });
  const summary = await storePlan(resources, workspace, document);
  steps.stop.check();
  if (document !== null && nothingToApply(context, summary)) await storePlannedOutputs(resources, document);
  for (const warning of document === null ? [] : unmatchedAddresses(context.run, document)) {
    steps.log.note(`Warning: ${warning}`);
    warnings.push(warning);
  }
  steps.log.note(describe(summary));
  await afterPlan(resources, workspace, document, forms);
  const plan_summary = withWarnings(withoutSensitive(summary, forms ?? []), warnings);
  const drift = driftOf(resources, document, forms);
  return { status: "success", exit_code: exitCode, plan_summary, ...(drift && { drift }), error: null };
}

/** It may look at the plan, and refuse it by its exit code; what it changes of the files is not applied. */
async function afterPlan(
  resources: RunResources,
  workspace: Workspace,
  document: PlanDocument | null,
  forms: readonly Buffer[] | null,
): Promise<void> {
  await runHook("after_plan", resources, workspace, {
    added: document === null ? {} : { PLAN_JSON: planJsonFile(resources) },
    ...(forms !== null && { sensitive: forms }),
  });
}

/** What a refresh found changed outside of the engine, as people may see it. */
function driftOf(
  { context, secretForms }: RunResources,
  document: PlanDocument | null,
  forms: readonly Buffer[] | null,
): DriftReport | null {
  if (context.run.kind !== "refresh_run" || document === null) return null;
  return driftReport(document, textMasker([...secretForms, ...(forms ?? [])]));
}

/** A destroy that finds nothing leaves nothing. */
function nothingToApply({ run, deployment }: RunContext, { has_changes }: PlanSummary): boolean {
  return !has_changes && usesLane(deployment) && run.kind !== "destroy_run";
}

/** An address may hold a copy of a sensitive value as the key of an instance. */
function withoutSensitive(summary: PlanSummary, forms: readonly Buffer[]): PlanSummary {
  return { ...summary, gaps: summary.gaps.map(textMasker(forms)) };
}

/**
 * What is sensitive in the output of a plan that came to nothing: as far as it came the engine saved it, else the state
 * and the configuration say it. A state that cannot be read was not printed either, and without its errors nobody could
 * mend the plan.
 */
async function formsOfFailedPlan(resources: RunResources, workspace: Workspace): Promise<FormsByOutput> {
  const partial = existsSync(workspace.planFile)
    ? await readPlan(resources, workspace, NOWHERE).catch(() => null)
    : null;
  if (partial !== null) return { text: sensitiveForms(partial), errors: sensitiveForms(partial) };
  const ofState = await sensitiveFormsNow(resources, workspace);
  const { declared } = workspace;
  return { text: ofState && [...ofState, ...declared], errors: [...(ofState ?? []), ...declared] };
}

async function storePlan(
  resources: RunResources,
  workspace: Workspace,
  document: PlanDocument | null,
): Promise<PlanSummary> {
  const { context, store, steps } = resources;
  const { artifact_bytes: maxBytes, tree_bytes: maxTreeBytes } = context.limits;
  if (document?.errored === true) throw new RunFailed("The engine saved an incomplete plan.");
  const summary = document === null ? unmeasuredPlan(UNREAD) : summarizePlan(document, context.run.kind);
  const isApplied = summary.has_changes && usesLane(context.deployment);
  // A service that knows no trees names no limit. Packed before the engine is called again, which may change files.
  const tree = isApplied && maxTreeBytes !== undefined ? await sealTree(resources, workspace, maxTreeBytes) : null;
  await together([
    uploadRequired(store, "plan", workspace.planFile, maxBytes, steps.stop),
    uploadOptional(store, "plan-json", planJsonFile(resources), maxBytes, steps),
    storePlanAnalysis(resources, workspace, document),
    storeViews(resources, workspace, document),
    ...(tree === null ? [] : [uploadRequired(store, "tree", tree, Number.MAX_SAFE_INTEGER, steps.stop)]),
  ]);
  return summary;
}

/** What people may look at: the changes as data and as the engine's own text, both redacted. */
async function storeViews(resources: RunResources, workspace: Workspace, document: PlanDocument | null): Promise<void> {
  // Nobody can tell which texts of the plan are sensitive, so people get neither view of it.
  if (document === null) return;
  const forms = [...resources.secretForms, ...sensitiveForms(document)];
  const { log } = resources.steps;
  await together([
    leftOut(log, "the plan's text", storeText(resources, workspace, forms)),
    leftOut(log, "the plan's changes", storeChanges(resources, document, forms)),
  ]);
}

async function storeChanges(resources: RunResources, document: PlanDocument, forms: Buffer[]): Promise<void> {
  const { context, store, steps, directory } = resources;
  const changesFile = path.join(directory, "changes.json");
  const changes = shownChanges(document, textMasker(forms));
  // A line each, so that nobody ever has to hold or parse all of them at once.
  await writeFile(changesFile, lines(changes), { mode: 0o600 });
  await uploadOptional(store, "changes", changesFile, context.limits.artifact_bytes, steps);
}

async function storeText(resources: RunResources, workspace: Workspace, forms: Buffer[]): Promise<void> {
  const { context, store, steps, directory } = resources;
  const textFile = path.join(directory, "plan.txt");
  const masked = maskedFile(textFile, forms, resources.settings.logEscapes);
  const text = await workspace.run(showTextArguments(workspace.planFile), { stdout: masked.sink });
  await masked.written();
  if (text.code === 0) await uploadOptional(store, "plan-text", textFile, context.limits.artifact_bytes, steps);
}

/** People only look at it: a disk that is full fails no plan by it. */
async function leftOut(log: RunLog, what: string, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Stopped || error instanceof RunFailed) throw error;
    log.note(`Left out: ${what}: ${publicReason(error)}.`);
  }
}

function* lines(changes: readonly object[]): Generator<string, void> {
  for (const change of changes) yield `${JSON.stringify(change)}\n`;
}

function maskedFile(
  file: string,
  forms: readonly Buffer[],
  escapes: Escapes,
): { sink: Sink; written: () => Promise<unknown> } {
  const output = createWriteStream(file, { mode: 0o600 });
  const finished = once(output, "finish");
  // Looked at once the program is through; until then it is nobody's.
  finished.catch(() => {});
  const { write, end } = shownStream(forms, escapes, (bytes) => void output.write(bytes));
  const sink = {
    write,
    end: () => {
      end();
      output.end();
    },
  };
  return { sink, written: () => finished };
}

function describe({ has_changes, counts, gaps }: PlanSummary): string {
  if (counts === null) return `Changes could not be counted: ${gaps.join("; ")}`;
  const parts = Object.entries(counts).filter(([, count]) => count > 0);
  const also = gaps.length === 0 ? "" : `; not counted: ${gaps.join("; ")}`;
  if (parts.length > 0) return `Plan: ${parts.map(([name, count]) => `${count} to ${name}`).join(", ")}${also}`;
  if (has_changes) return `Plan: ${gaps.length === 0 ? "only outputs change" : "no resource changes"}${also}`;
  return "Plan: no changes";
}
