/** What a shell script costs, by Linux' own account. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";

const MS_PER_TICK = 10;

/** Run it to its end. @returns its CPU and wall time in milliseconds, those of all it started included */
export async function measuredScript(script: string): Promise<{ cpuMs: number; wallMs: number }> {
  const before = await endedChildrenMs();
  const startedAt = performance.now();
  const child = spawn("/bin/sh", ["-e", "-c", script], { stdio: "ignore" });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`the script ended with code ${code}:\n${script}`);
  const wallMs = performance.now() - startedAt;
  return { cpuMs: (await endedChildrenMs()) - before, wallMs };
}

/** CPU time of this process's children that have ended and were waited for. */
async function endedChildrenMs(): Promise<number> {
  const stat = await readFile("/proc/self/stat", "utf8");
  // The name in field 2 may hold blanks. Behind it, 13 and 14 are the children's user and system time.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) * MS_PER_TICK;
}
