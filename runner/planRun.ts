import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import type { PlanSummary } from "../src/runs/protocol.ts";
import { uploadOptional, uploadRequired } from "./artifacts.ts";
import { INIT_ARGUMENTS, planArguments, showJsonArguments, showTextArguments } from "./engineArguments.ts";
import { StreamMasker } from "./masking.ts";
import { type Outcome, RunFailed } from "./outcome.ts";
import { shownChanges } from "./planChanges.ts";
import { type PlanDocument, parsePlanDocument } from "./planDocument.ts";
import { summarizePlan, unmeasuredPlan } from "./planSummary.ts";
import type { Sink } from "./processGroup.ts";
import { warnAboutLostState } from "./stateBackend.ts";
import { engineStep, prepareWorkspace, type RunResources, type Workspace } from "./workspace.ts";

/** Beyond this a JSON plan no longer fits one JavaScript string with room to spare; it is stored but not measured. */
const MAX_MEASURED_BYTES = 256 * 1_048_576;

/** plan_run, destroy_run and refresh_run: plans without a lock, measures the plan and stores it. @throws RunFailed, Stopped */
export async function executePlan(resources: RunResources): Promise<Outcome> {
  const { context, steps } = resources;
  const workspace = await prepareWorkspace(resources);
  const args = planArguments(context.run, workspace.engine, workspace.planFile);
  await engineStep(workspace, steps, INIT_ARGUMENTS);
  await warnAboutLostState(workspace.cwd, steps.log);
  // Exit code 2 says "changes"; what they are is read from the JSON alone.
  const exitCode = await engineStep(workspace, steps, args, [0, 2]);
  steps.stop.check();
  const summary = await storePlan(resources, workspace);
  steps.stop.check();
  steps.log.note(describe(summary));
  return { status: "success", exit_code: exitCode, plan_summary: summary, error: null };
}

async function storePlan(resources: RunResources, workspace: Workspace): Promise<PlanSummary> {
  const { context, store, steps, directory } = resources;
  const maxBytes = context.limits.artifact_bytes;
  const jsonFile = path.join(directory, "plan.json");
  const json = await workspace.run(showJsonArguments(workspace.planFile), { file: jsonFile });
  if (json.code !== 0) throw new RunFailed("The saved plan cannot be read back by the engine.", json.code);
  const document = await readPlan(jsonFile);
  if (document?.errored === true) throw new RunFailed("The engine saved an incomplete plan.");
  const summary =
    document === null
      ? unmeasuredPlan("the engine's JSON plan is too large or of an unknown format")
      : summarizePlan(document, context.run.kind);
  await uploadRequired(store, "plan", workspace.planFile, maxBytes);
  await uploadOptional(store, "plan-json", jsonFile, maxBytes, steps.log);
  if (document !== null) {
    const changesFile = path.join(directory, "changes.json");
    await writeFile(changesFile, JSON.stringify(shownChanges(document, resources.mask)), { mode: 0o600 });
    await uploadOptional(store, "changes", changesFile, maxBytes, steps.log);
  }
  const textFile = path.join(directory, "plan.txt");
  const masked = maskedFile(textFile, resources.secretForms);
  const text = await workspace.run(showTextArguments(workspace.planFile), masked.sink);
  await masked.written();
  if (text.code === 0) await uploadOptional(store, "plan-text", textFile, maxBytes, steps.log);
  return summary;
}

async function readPlan(file: string): Promise<PlanDocument | null> {
  const { size } = await stat(file);
  return size > MAX_MEASURED_BYTES ? null : parsePlanDocument(await readFile(file, "utf8"));
}

function maskedFile(file: string, forms: readonly Buffer[]): { sink: Sink; written: () => Promise<unknown> } {
  const masker = new StreamMasker(forms);
  const output = createWriteStream(file, { mode: 0o600 });
  const finished = once(output, "finish");
  const sink = {
    write: (bytes: Buffer) => void output.write(masker.push(bytes)),
    end: () => void output.end(masker.end()),
  };
  return { sink, written: () => finished };
}

function describe({ has_changes, counts, gaps }: PlanSummary): string {
  if (counts === null) return `Changes could not be counted: ${gaps.join("; ")}`;
  const parts = Object.entries(counts).filter(([, count]) => count > 0);
  if (parts.length > 0) return `Plan: ${parts.map(([name, count]) => `${count} to ${name}`).join(", ")}`;
  return has_changes ? "Plan: only outputs change" : "Plan: no changes";
}
