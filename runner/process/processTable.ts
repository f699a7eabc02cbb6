/**
 * Which processes there are, by Linux's /proc. A killed process whose parent never reaps it (a container without an
 * init) stays visible to kill(2) for ever; only the table says that it is a zombie.
 */
import { readdirSync, readFileSync } from "node:fs";
import { readdir, readFile, readlink } from "node:fs/promises";
import path from "node:path";
import { signalGroup } from "./processGroup.ts";

interface Entry {
  pid: number;
  group: number;
  zombie: boolean;
}

/** Whether the process does anything any more. */
export async function isProcessAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  return (await readEntry(pid))?.zombie !== true;
}

/** Whether any process of the group does anything any more. */
export async function isGroupAlive(group: number): Promise<boolean> {
  if (!signalGroup(group, 0)) return false;
  const entries = await allEntries();
  // Without a table kill(2)'s word is all there is.
  return entries.length === 0 || entries.some((entry) => entry.group === group && !entry.zombie);
}

/** The processes that it started itself and that are not reaped yet; empty where the kernel does not say. */
export async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  return text.split(" ").filter(Boolean).map(Number);
}

/**
 * Process groups that work with the home of a run's place: engines whose runner is gone. Asked of the table
 * instead of a file with ids, because an id may be somebody else's by now.
 */
export async function groupsAtHome(place: string): Promise<number[]> {
  const home = `HOME=${path.join(place, "home")}`;
  const groups = new Set<number>();
  for (const { pid, group } of await allEntries()) {
    if (group > 1 && (await environmentOf(pid))?.includes(home)) groups.add(group);
  }
  return [...groups];
}

/** The variables a process was started with, `NAME=value` each; null when they cannot be read. */
export async function environmentOf(pid: number): Promise<string[] | null> {
  const text = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => null);
  return text === null ? null : text.split("\0");
}

/**
 * The process groups in the namespace of whatever was started with `variable`, and the first processes there, which
 * have nothing else to do than to keep it.
 * @param inside the id that the one group asked for has there; null: all of them
 */
export async function groupsInNamespaceOf(
  variable: string,
  inside: number | null = null,
): Promise<{ keepers: number[]; groups: number[] }> {
  const entries = await allEntries();
  const marked = new Set<number>();
  for (const { pid } of entries) if ((await environmentOf(pid))?.includes(variable)) marked.add(pid);
  const own = await namespaceOf(process.pid);
  const namespaces = new Set((await Promise.all([...marked].map(namespaceOf))).filter((each) => each !== own));
  namespaces.delete(null);
  const groups = new Set<number>();
  const keeping = new Set(entries.filter(({ pid }) => marked.has(pid)).map(({ group }) => group));
  for (const { pid, group } of entries)
    if (!keeping.has(group) && namespaces.has(await namespaceOf(pid)) && (await isGroup(pid, inside)))
      groups.add(group);
  return { keepers: [...marked], groups: [...groups] };
}

async function isGroup(pid: number, inside: number | null): Promise<boolean> {
  if (inside === null) return true;
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return /^NSpgid:.*\t(\d+)$/m.exec(status)?.[1] === String(inside);
}

function namespaceOf(pid: number): Promise<string | null> {
  return readlink(`/proc/${pid}/ns/pid`).catch(() => null);
}

/** When a process began, in a unit of the kernel; null when there is none to be seen. An id comes again. */
export function startOf(pid: number): string | null {
  return fieldsOf(textOf(`/proc/${pid}/stat`))[19] ?? null;
}

/**
 * Those of a user that do anything, by what the kernel says of each: the owner of its folder in /proc is not always its
 * user. One that has ended stays in the table for ever where nobody asks how, as in a container without an init.
 */
export function processesOfUser(uid: number): { pid: number; group: number }[] {
  const user = new RegExp(`^Uid:.*\\t${uid}(?:\\t|$)`, "m");
  const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const own = ids.filter((pid) => user.test(textOf(`/proc/${pid}/status`))).map(Number);
  const entries = own.map((pid) => entryOf(pid, textOf(`/proc/${pid}/stat`))).filter((entry) => entry !== null);
  return entries.filter(({ zombie }) => !zombie);
}

/** Every process, or an empty list where there is no /proc. */
async function allEntries(): Promise<Entry[]> {
  const names = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const entries = await Promise.all(names.map((name) => readEntry(Number(name))));
  return entries.filter((entry) => entry !== null);
}

async function readEntry(pid: number): Promise<Entry | null> {
  return entryOf(pid, await readFile(`/proc/${pid}/stat`, "utf8").catch(() => ""));
}

function entryOf(pid: number, stat: string): Entry | null {
  const [state, , group] = fieldsOf(stat);
  return state === undefined ? null : { pid, group: Number(group), zombie: state === "Z" || state === "X" };
}

/** State, parent, group and so on: what follows the command's name, which is in parentheses and may hold blanks. */
function fieldsOf(stat: string): string[] {
  return stat === "" ? [] : stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** Empty for a process that has ended. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
