import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";

const OWNER_FILE = "owner.pid";

/** Makes the private directory of one run. @throws when it exists or cannot be made */
export async function claimDirectory(directory: string): Promise<void> {
  await mkdir(directory, { mode: 0o700 });
}

/** Writes down which process works in the directory, so that a later coordinator can tell a live one from rubbish. */
export async function ownDirectory(directory: string): Promise<void> {
  await writeFile(path.join(directory, OWNER_FILE), String(process.pid), { mode: 0o600 });
}

/**
 * Removes what killed runners left: plan files hold secrets. A directory whose process still lives is left alone,
 * because an ephemeral runner outlives its coordinator.
 */
export async function removeAbandoned(workDir: string): Promise<number> {
  const names = (await readdir(workDir)).filter((name) => name.startsWith("run-"));
  let removed = 0;
  for (const name of names) {
    const directory = path.join(workDir, name);
    if (await hasLiveOwner(directory)) continue;
    await rm(directory, { recursive: true, force: true });
    removed += 1;
  }
  return removed;
}

async function hasLiveOwner(directory: string): Promise<boolean> {
  try {
    const pid = Number(await readFile(path.join(directory, OWNER_FILE), "utf8"));
    return Number.isInteger(pid) && pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}
