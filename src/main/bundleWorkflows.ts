/** Writes the workflow bundle to the file named by its only argument, for SVC_WORKFLOW_BUNDLE of an image's workers. */
import { writeFile } from "node:fs/promises";
import { bundleWorkflows } from "../orchestration/temporal/bundle.ts";

const [file] = process.argv.slice(2);
if (file === undefined) {
  console.error("usage: node src/main/bundleWorkflows.ts FILE");
  process.exitCode = 2;
} else {
  await writeFile(file, (await bundleWorkflows()).code);
}
