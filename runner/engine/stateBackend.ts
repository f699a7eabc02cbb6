import { readFile } from "node:fs/promises";
import path from "node:path";
import type { RunLog } from "../output/runLog.ts";
import { RunFailed } from "../service/outcome.ts";
import { dataDirectory } from "./engineVariables.ts";

/** Where an engine runs, with which environment, and whether the service keeps its state. */
type Place = { cwd: string; env: Record<string, string>; hosted: boolean };

const LOST = "No backend or cloud block is configured: the state of this stack is lost when the run ends.";

/**
 * A configuration without a backend keeps its state beside itself, in a clone that is removed when the run ends. That
 * works, applies, and is forgotten; nobody notices before the second plan. So the log says it at once.
 * @returns what a plan says of it to whoever confirms
 * @throws RunFailed when something of the stack's own took the place of the backend that the runner chose
 */
export async function warnAboutLostState({ cwd, env, hosted }: Place, log: RunLog): Promise<string[]> {
  const backend = await recordedBackend(dataDirectory(cwd, env));
  if (hosted && backend !== "http") {
    throw new RunFailed(
      `The service is to keep the state of this stack, and a file of the stack overrides its backend (${backend ?? "none"}).`,
    );
  }
  if (backend !== null) return [];
  log.note(`Warning: ${LOST}`);
  return [LOST];
}

/** `init` writes what it chose here, and writes nothing when it chose nothing. */
async function recordedBackend(directory: string): Promise<string | null> {
  try {
    const text = await readFile(path.join(directory, "terraform.tfstate"), "utf8");
    const { backend } = JSON.parse(text) as { backend?: { type?: string } };
    return backend === undefined ? null : (backend.type ?? "");
  } catch {
    return null;
  }
}
