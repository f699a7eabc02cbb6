/** Files below `/proc` and `/sys` are settings of the whole machine: who writes to one changes it for everybody. */
import { accessSync, constants, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const PLACES = ["/proc", "/sys"];
/** Everybody may open these, and the kernel asks who it is when something is written. */
const ASKED_LATER =
  /^\/(?:proc\/(?:pressure\/|sys\/kernel\/ns_last_pid$)|sys\/(?:kernel\/security|fs\/selinux|fs\/smackfs)\/)/;
/** Of a process: its own settings. */
const OF_A_PROCESS = /^\/proc\/(?:\d+|self|thread-self)$/;

/** Those that this process may write to. Nothing is opened. */
export function openSettings(): string[] {
  const mounts = writableMounts();
  return mounts.filter((at) => PLACES.some((place) => isIn(at, place))).flatMap((at) => writableBelow(at, mounts));
}

/** Where something is mounted that is not for reading alone; of several at one place the last counts. */
function writableMounts(): string[] {
  const last = new Map<string, boolean>();
  for (const line of readFileSync("/proc/self/mountinfo", "utf8").split("\n")) {
    const [, , , , at, options] = line.split(" ");
    if (at === undefined || options === undefined) continue;
    const place = at.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
    // What is mounted over a folder hides what was mounted in it.
    for (const other of last.keys()) if (isIn(other, place)) last.delete(other);
    last.set(place, options.split(",").includes("rw"));
  }
  return [...last].filter(([, writable]) => writable).map(([at]) => at);
}

function writableBelow(folder: string, mounts: readonly string[]): string[] {
  return entriesOf(folder).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return OF_A_PROCESS.test(file) || mounts.includes(file) ? [] : writableBelow(file, mounts);
    return entry.isFile() && !ASKED_LATER.test(file) && isWritable(file) ? [file] : [];
  });
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function isIn(file: string, folder: string): boolean {
  return file === folder || file.startsWith(folder === "/" ? folder : `${folder}/`);
}
