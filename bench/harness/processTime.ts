/** CPU time of processes with all their children, by Linux' own account. */
import { readdir, readFile } from "node:fs/promises";

/** The kernel counts in ticks, and tells every program that there are a hundred a second, whatever it is built with. */
const MS_PER_TICK = 10;

export type ProcessRow = { parent: number; ticks: number };

/** Milliseconds of CPU that each of these took so far, by its name; null where there is no `/proc`. */
export async function processTimes<N extends string>(roots: Record<N, number[]>): Promise<Record<N, number> | null> {
  const rows = await allProcesses();
  if (rows === null) return null;
  const names = Object.keys(roots) as N[];
  return Object.fromEntries(
    names.map((name) => [name, roots[name].reduce((sum, root) => sum + ticksBelow(rows, root), 0) * MS_PER_TICK]),
  ) as Record<N, number>;
}

/** Of the process and its living descendants; what ended ones took is in whoever waited for them. Pure. */
export function ticksBelow(rows: ReadonlyMap<number, ProcessRow>, root: number): number {
  let ticks = 0;
  for (const [pid, row] of rows) if (pid === root || descends(rows, row, root)) ticks += row.ticks;
  return ticks;
}

function descends(rows: ReadonlyMap<number, ProcessRow>, row: ProcessRow, root: number): boolean {
  for (let at: ProcessRow | undefined = row; at !== undefined && at.parent > 1; at = rows.get(at.parent)) {
    if (at.parent === root) return true;
  }
  return false;
}

async function allProcesses(): Promise<Map<number, ProcessRow> | null> {
  if (process.platform !== "linux") return null;
  const pids = (await readdir("/proc")).map(Number).filter((pid) => pid > 0);
  const rows = await Promise.all(
    pids.map(async (pid): Promise<[number, ProcessRow] | null> => {
      const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
      return text === null ? null : [pid, parseStat(text)];
    }),
  );
  return new Map(rows.filter((row) => row !== null));
}

/** A line of `/proc/PID/stat`. The name in field 2 may hold spaces and brackets. Pure. */
export function parseStat(text: string): ProcessRow {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const field = (nth: number) => Number(fields[nth - 3]);
  // 14 to 17: user and system time of its own, and of the children it has waited for.
  return { parent: field(4), ticks: field(14) + field(15) + field(16) + field(17) };
}
