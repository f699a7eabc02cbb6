/** Bundles `workflows/index.ts` for the sandbox in which workflow code runs. */
import { isAbsolute, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundleWithSourceMap } from "@temporalio/worker";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const WORKFLOWS = fileURLToPath(new URL("../../../workflows/index.ts", import.meta.url));
const TRACING = fileURLToPath(new URL("../../../workflows/tracing.ts", import.meta.url));

/** Takes about a second; a program does it once and hands the result to each of its workers. */
export function bundleWorkflows(): Promise<WorkflowBundleWithSourceMap> {
  return bundleWorkflowCode({
    workflowsPath: WORKFLOWS,
    workflowInterceptorModules: [TRACING],
    logger: new DefaultLogger("WARN"),
  });
}

/** What may be bundled: our workflows, the SDK's workflow side, and what the SDK itself brings along. */
const ALLOWED = [
  /^workflows\/[\w.-]+$/,
  /^node_modules\/@temporalio\/(common|workflow)\//,
  /^node_modules\/(long|ms|nexus-rpc)\//,
  /^webpack\//,
  // The place of a converter we do not set.
  /^ignored\|/,
];

/** Paths of the bundled modules, relative to the repository, from the source map at the bundle's end. */
export function bundledSources({ code }: { code: string }): string[] {
  const [, encoded] =
    /\/\/# sourceMappingURL=data:application\/json;[^,]*base64,([A-Za-z0-9+/=]+)\s*$/.exec(code) ?? [];
  if (encoded === undefined) throw new Error("the workflow bundle has no source map");
  const { sources } = JSON.parse(Buffer.from(encoded, "base64").toString("utf8")) as { sources: string[] };
  return sources.map((source) => (isAbsolute(source) ? relative(ROOT, source) : source));
}

/** Those that may not be in the bundle. */
export function forbiddenSources(sources: string[]): string[] {
  return sources.filter((source) => !ALLOWED.some((pattern) => pattern.test(source)));
}
