/**
 * Which users of the machine are runs, among all coordinators on it: what ends one run would end all that has its user.
 * A coordinator claims a user by a file with its own name, and takes none that another one claims or that has
 * processes, such as a run that outlived its coordinator.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { processesOfUser, startOf } from "../process/processTable.ts";

/** Only root's, and empty after the machine was started. */
const PLACE = "/run/deployment-runner";

/** Where that cannot be written, coordinators with one directory of runs know of each other. */
export function claimsFolder(workDir: string): string {
  for (const folder of [PLACE, path.join(workDir, "users")]) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      return folder;
    } catch {
      // The next one then.
    }
  }
  throw new Error(`neither ${PLACE} nor ${workDir} can be written`);
}

/** Claims the user, unless somebody else has. Of two at the same moment one gets it at most, and maybe neither. */
export function claimed(folder: string, uid: number, owner: string): boolean {
  const mine = `${uid}.${owner}`;
  writeFileSync(path.join(folder, mine), "", { mode: 0o600 });
  // Looked up after the own claim is there: whoever comes later sees it.
  const others = readdirSync(folder).filter((name) => name.startsWith(`${uid}.`) && name !== mine);
  const gone = others.filter((name) => !isAlive(name.slice(name.indexOf(".") + 1)));
  for (const name of gone) unclaim(folder, name);
  if (gone.length === others.length && processesOfUser(uid).length === 0) return true;
  unclaim(folder, mine);
  return false;
}

export function giveBack(folder: string, uid: number, owner: string): void {
  unclaim(folder, `${uid}.${owner}`);
}

/** This process, by its id and its start: an id comes again. */
export function ownName(): string {
  return `${process.pid}.${startOf(process.pid)}`;
}

function unclaim(folder: string, name: string): void {
  rmSync(path.join(folder, name), { force: true });
}

function isAlive(owner: string): boolean {
  const [pid, start] = owner.split(".");
  return startOf(Number(pid)) === start;
}
