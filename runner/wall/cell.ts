/**
 * What a coordinator keeps of one process for a run: a folder that only the coordinator may change. In it stands whose
 * run it is, so no run can write down that it is another one.
 */
import { lstatSync } from "node:fs";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import type { PollAnswer } from "../../src/core/runs/protocol.ts";
import { environmentOf, isProcessAlive } from "../process/processTable.ts";
import { removeTree } from "../process/removeTree.ts";

const RECORD = "run.json";
/** For whoever only has to end what is there. */
const OWNER = "owner.pid";

interface Record {
  pid: number;
  assignment: PollAnswer;
  /** The run's private directory, as the coordinator sees it. */
  directory: string;
}

/** The variable by which a process of a cell is known from outside. No program of its run has it. */
export const CELL = "RUN_CELL";

/** The name holds the coordinator, so that another one on this directory leaves it alone. Nothing is made yet. */
export function newCell(workDir: string): { id: string; folder: string } {
  const id = crypto.randomUUID();
  return { id, folder: path.join(workDir, `cell-${process.pid}-${id}`) };
}

/** It appears whole: without it a run that was killed with its coordinator would be nobody's. */
export async function recordRun(folder: string, record: Record): Promise<void> {
  const file = path.join(folder, RECORD);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(path.join(folder, OWNER), String(record.pid), { mode: 0o600 });
  await writeFile(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** With all that its run left. Never rejects. */
export function removeCell(folder: string): Promise<void> {
  return removeTree(folder);
}

/** The name of the run's private directory. Two claims of one run on one machine must not meet. */
export function runDirectoryName({ run_id, runner_id }: PollAnswer): string {
  return `run-${run_id}-${runner_id}`;
}

/** The directory, unless its run put something else in its place, such as a link to where the coordinator may go. */
export function trueDirectory(directory: string): string | null {
  return lstatSync(directory, { throwIfNoEntry: false })?.isDirectory() === true ? directory : null;
}

export interface AbandonedCell {
  id: string;
  folder: string;
  /** Null when it never had one. */
  run: Record | null;
}

/**
 * To be asked for before the first cell is made: cells of earlier coordinators whose process is gone. One that merely
 * outlived its coordinator still lives.
 */
export async function abandonedCells(workDir: string): Promise<AbandonedCell[]> {
  const found: AbandonedCell[] = [];
  for (const name of await readdir(workDir)) {
    const [, coordinator, id] = /^cell-(\d+)-([0-9a-f-]{36})$/.exec(name) ?? [];
    if (coordinator === undefined || id === undefined) continue;
    const folder = path.join(workDir, name);
    const run = await recordOf(folder);
    const lives = run === null ? await isOther(Number(coordinator)) : await isOfCell(run.pid, id);
    if (!lives) found.push({ id, folder, run });
  }
  return found;
}

/** In a container every coordinator has the same id. */
async function isOther(coordinator: number): Promise<boolean> {
  return coordinator !== process.pid && (await isProcessAlive(coordinator));
}

/** An id may be somebody else's by now, which shows by its environment. */
async function isOfCell(pid: number, id: string): Promise<boolean> {
  if (!(await isProcessAlive(pid))) return false;
  const environment = await environmentOf(pid);
  return environment === null || environment.includes(`${CELL}=${id}`);
}

async function recordOf(folder: string): Promise<Record | null> {
  const text = await readFile(path.join(folder, RECORD), "utf8").catch(() => null);
  return text === null ? null : (JSON.parse(text) as Record);
}
