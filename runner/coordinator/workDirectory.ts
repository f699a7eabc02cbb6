import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import type { PollAnswer } from "../../src/core/runs/protocol.ts";
import { isProcessAlive } from "./processTable.ts";

const OWNER_FILE = "owner.pid";
const NAME = /^run-([0-9a-f-]{36})-([0-9a-f-]{36})$/;

/** Where one run keeps its files. Two claims of one run on one machine must not meet. */
export function runDirectory(workDir: string, assignment: PollAnswer): string {
  return path.join(workDir, `run-${assignment.run_id}-${assignment.runner_id}`);
}

/**
 * Makes the private directory of one run. It appears together with its owner, since one without looks abandoned to
 * another coordinator that starts just then. @throws when it exists or cannot be made
 */
export async function claimDirectory(directory: string): Promise<void> {
  const unfinished = `${directory}.new`;
  await mkdir(unfinished, { mode: 0o700 });
  await ownDirectory(unfinished);
  await rename(unfinished, directory);
}

/**
 * Writes down which process works in the directory, so that a later coordinator can tell a live one from an abandoned.
 */
export async function ownDirectory(directory: string): Promise<void> {
  await writeFile(path.join(directory, OWNER_FILE), String(process.pid), { mode: 0o600 });
}

/**
 * Runs whose runner was killed together with its coordinator. An ephemeral runner that merely outlived one still lives.
 */
export async function abandonedRuns(workDir: string): Promise<{ directory: string; assignment: PollAnswer }[]> {
  const found: { directory: string; assignment: PollAnswer }[] = [];
  for (const name of await readdir(workDir)) {
    const [, run_id, runner_id] = NAME.exec(name) ?? [];
    if (run_id === undefined || runner_id === undefined) continue;
    const directory = path.join(workDir, name);
    if (!(await hasLiveOwner(directory))) found.push({ directory, assignment: { run_id, runner_id } });
  }
  return found;
}

async function hasLiveOwner(directory: string): Promise<boolean> {
  const text = await readFile(path.join(directory, OWNER_FILE), "utf8").catch(() => "");
  return /^[1-9]\d*$/.test(text) && isProcessAlive(Number(text));
}
