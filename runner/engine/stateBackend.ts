import { readFile } from "node:fs/promises";
import path from "node:path";
import type { RunLog } from "../output/runLog.ts";
import { dataDirectory } from "./engineVariables.ts";

/** Where an engine runs, and with which environment. */
type Place = { cwd: string; env: Record<string, string> };

const LOST = "No backend or cloud block is configured: the state of this stack is lost when the run ends.";

/**
 * A configuration without a backend keeps its state beside itself, in a clone that is removed when the run ends. That
 * works, applies, and is forgotten; nobody notices before the second plan. So the log says it at once.
 * @returns what a plan says of it to whoever confirms
 */
export async function warnAboutLostState({ cwd, env }: Place, log: RunLog): Promise<string[]> {
  if (await hasBackend(dataDirectory(cwd, env))) return [];
  log.note(`Warning: ${LOST}`);
  return [LOST];
}

/** `init` writes what it chose here, and writes nothing when it chose nothing. */
async function hasBackend(directory: string): Promise<boolean> {
  try {
    const text = await readFile(path.join(directory, "terraform.tfstate"), "utf8");
    return (JSON.parse(text) as { backend?: unknown }).backend !== undefined;
  } catch {
    return false;
  }
}
