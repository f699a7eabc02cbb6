/** What a user's processes leave on a machine though they have ended. */
import { execFile } from "node:child_process";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { removeTree } from "../process/removeTree.ts";

const run = promisify(execFile);

/** Where everybody may make files. */
const SHARED = ["/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run/lock"];

/** Memory, semaphores and queues of System V are in no folder. For each, how `ipcrm` is told its id. */
const SYSTEM_V = { shm: "--shmem-id", sem: "--semaphore-id", msg: "--queue-id" };

/** Removes what the user left in the folders that are everybody's. Never rejects. */
export async function removeFilesOf(uid: number, workDir: string): Promise<void> {
  for (const folder of [workDir, ...SHARED]) {
    const files = entriesOf(folder).map((name) => path.join(folder, name));
    const own = files.filter((file) => lstatSync(file, { throwIfNoEntry: false })?.uid === uid);
    for (const file of own) await removeTree(file);
  }
}

/** Removes what the user left in memory that is everybody's. Never rejects. */
export async function removeMemoryOf(uid: number): Promise<void> {
  const args = Object.entries(SYSTEM_V).flatMap(([kind, option]) => idsOf(kind, uid).flatMap((id) => [option, id]));
  if (args.length > 0) await run("ipcrm", args).catch(() => {});
}

/** Whoever made it counts: it may have been given to another user. */
function idsOf(kind: string, uid: number): string[] {
  const [names = [], ...lines] = textOf(`/proc/sysvipc/${kind}`)
    .split("\n")
    .map((line) => line.trim().split(/\s+/));
  const columns = ["uid", "cuid"].map((name) => names.indexOf(name));
  const own = lines.filter((line) => columns.some((column) => line[column] === String(uid)));
  // Of each the key comes first, and then the id.
  return own.flatMap(([, id]) => id ?? []);
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Empty where the kernel has no such thing. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
