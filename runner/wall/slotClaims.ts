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
  if (others.every((name) => !isAlive(name.slice(name.indexOf(".") + 1))) && processesOfUser(uid).length === 0)
    return true;
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

function startOf(pid: number): string | undefined {
  return fieldsOf(pid)[19];
}

/** State, parent, group and so on: what follows the name, which is in parentheses and may hold blanks. */
function fieldsOf(pid: number): string[] {
  const stat = textOf(`/proc/${pid}/stat`);
  return stat === "" ? [] : stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/**
 * Those that do anything, by what the kernel says of each: the owner of its folder in /proc is not always its user. One
 * that has ended stays in the table for ever where nobody asks how, as in a container without an init.
 */
export function processesOfUser(uid: number): { pid: number; group: number }[] {
  const user = new RegExp(`^Uid:.*\\t${uid}(?:\\t|$)`, "m");
  const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const own = ids.filter((pid) => user.test(textOf(`/proc/${pid}/status`))).map(Number);
  return own.flatMap((pid) => {
    const [state, , group] = fieldsOf(pid);
    return state === undefined || state === "Z" || state === "X" ? [] : [{ pid, group: Number(group) }];
  });
}

/** Empty for a process that has ended. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
