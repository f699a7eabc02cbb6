/**
 * Which users of the machine are runs, among all coordinators on it: what ends one run would end all that has its user.
 * A coordinator claims a user by a file with its own name, and takes none that another one claims or that has
 * processes, such as a run that outlived its coordinator.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

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
  for (const name of others) if (!isAlive(name.slice(name.indexOf(".") + 1))) unclaim(folder, name);
  if (others.every((name) => !isAlive(name.slice(name.indexOf(".") + 1))) && !hasProcesses(uid)) return true;
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

/** The twenty-second field; the second, in parentheses, may hold blanks. */
function startOf(pid: number): string | undefined {
  const stat = textOf(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
}

/** By what the kernel says of each: the owner of its folder in /proc is not always its user. */
function hasProcesses(uid: number): boolean {
  const user = new RegExp(`^Uid:.*\\t${uid}(?:\\t|$)`, "m");
  return readdirSync("/proc").some((name) => /^\d+$/.test(name) && user.test(textOf(`/proc/${name}/status`)));
}

/** Empty for a process that has ended. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
