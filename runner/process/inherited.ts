/** Files that whoever started this process left open, by mistake or not. Every program of a run would get them too. */
import { closeSync, readdirSync, readFileSync } from "node:fs";

/** Node's own are all marked to be closed in a program that it starts. */
const CLOSED_IN_PROGRAMS = 0o2000000;

/** Closes them, standard input, output and errors aside. To be called before anything is started. */
export function closeInherited(): void {
  for (const fd of descriptors()) {
    if (fd <= 2 || isClosedInPrograms(fd)) continue;
    try {
      closeSync(fd);
    } catch {
      // The list itself was read by one, which is gone by now.
    }
  }
}

/** None where the system does not tell. */
function descriptors(): number[] {
  try {
    return readdirSync("/proc/self/fd").map(Number);
  } catch {
    return [];
  }
}

function isClosedInPrograms(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8"))?.[1];
    return flags === undefined || (Number.parseInt(flags, 8) & CLOSED_IN_PROGRAMS) !== 0;
  } catch {
    return true;
  }
}
