import { readFile } from "node:fs/promises";
import path from "node:path";
import type { RunLog } from "../output/runLog.ts";

const LOST = "No backend or cloud block is configured: the state of this stack is lost when the run ends.";

/**
 * A configuration without a backend keeps its state beside itself, in a clone that is removed when the run ends. That
 * works, applies, and is forgotten; nobody notices before the second plan. So the log says it at once.
 * @returns what a plan says of it to whoever confirms
 */
export async function warnAboutLostState(cwd: string, log: RunLog): Promise<string[]> {
  if (await hasBackend(cwd)) return [];
  log.note(`Warning: ${LOST}`);
  return [LOST];
}

/** `init` writes what it chose here, and writes nothing when it chose nothing. */
async function hasBackend(cwd: string): Promise<boolean> {
  try {
    const text = await readFile(path.join(cwd, ".terraform", "terraform.tfstate"), "utf8");
    return (JSON.parse(text) as { backend?: unknown }).backend !== undefined;
  } catch {
    return false;
  }
}
