import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { showJsonArguments } from "../engine/engineArguments.ts";
import type { Sink } from "../output/sink.ts";
import { MAX_MEASURED_BYTES, type PlanDocument, parsePlanDocument } from "../plan/planDocument.ts";
import { RunFailed } from "../service/outcome.ts";
import type { RunResources, Workspace } from "./workspace.ts";

/** The saved plan as a document, or null when it is too large or of an unknown format. @throws RunFailed, Stopped */
export async function readPlan(
  resources: RunResources,
  workspace: Workspace,
  stderr?: Sink,
): Promise<PlanDocument | null> {
  const file = planJsonFile(resources);
  const { trace } = resources.steps;
  const { code } = await trace.step("read the plan", () =>
    workspace.run(showJsonArguments(workspace.planFile), { stdout: { file }, ...(stderr && { stderr }) }),
  );
  if (code !== 0) {
    const excerpt = resources.steps.log.failureExcerpt();
    throw new RunFailed(
      `The saved plan cannot be read back by the engine${excerpt === "" ? "." : `: ${excerpt}`}`,
      code,
    );
  }
  const { size } = await stat(file);
  return size > MAX_MEASURED_BYTES ? null : parsePlanDocument(await readFile(file, "utf8"));
}

/** Where the JSON of the saved plan is, once read. */
export function planJsonFile({ directory }: Pick<RunResources, "directory">): string {
  return path.join(directory, "plan.json");
}
