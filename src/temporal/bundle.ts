/** Bundles `workflows/index.ts` for the sandbox in which workflow code runs. */
import { fileURLToPath } from "node:url";
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundleWithSourceMap } from "@temporalio/worker";

const WORKFLOWS = fileURLToPath(new URL("../../workflows/index.ts", import.meta.url));

/** Takes about a second; a program does it once and hands the result to each of its workers. */
export function bundleWorkflows(): Promise<WorkflowBundleWithSourceMap> {
  return bundleWorkflowCode({ workflowsPath: WORKFLOWS, logger: new DefaultLogger("WARN") });
}
