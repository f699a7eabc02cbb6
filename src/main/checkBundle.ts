/**
 * Checks what the workflow bundle holds against a list of what may be in it. Workflow code is replayed, so a library
 * with module state, a clock or I/O of its own has no place there, and is easily pulled in by an import too many.
 */
import { bundledSources, bundleWorkflows, forbiddenSources } from "../orchestration/temporal/bundle.ts";

const forbidden = forbiddenSources(bundledSources(await bundleWorkflows()));
if (forbidden.length > 0) {
  console.error(`the workflow bundle must not contain:\n  ${forbidden.join("\n  ")}`);
  process.exitCode = 1;
}
