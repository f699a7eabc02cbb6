/**
 * Where the files of a run lie: a directory whose path depends on stack and lane alone, so that plan and apply see the
 * same absolute paths. Only one run has it at a time. It appears with its owner's name in it and goes by a rename, so
 * that there is no moment at which it is half of one run's and half of another's.
 */
import { constants } from "node:fs";
import { access, mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { RunContext } from "../../src/core/runs/protocol.ts";
import { RunFailed } from "../service/outcome.ts";

const OWNER_FILE = "owner";
const PREFIX = "tree-";
const LOOK_EVERY_MS = 50;
/** Previews of one subject that may be at work on one machine at once. */
const MOST_PREVIEWS = 100;

type Subject = Pick<RunContext, "deployment" | "source"> & {
  run: Pick<RunContext["run"], "org_id">;
  stack: Pick<RunContext["stack"], "id" | "key">;
};

/**
 * The names a run may take, best first. A lane has one. No apply follows a preview, so one that finds its name taken
 * takes the next instead of waiting.
 */
export function placeNames({ run, stack, deployment, source }: Subject): string[] {
  // A stack that is renamed while a plan waits is found again.
  const key = stack.key ?? stack.id;
  if (usesLane(deployment)) return [nameOf([run.org_id, key, "lane"])];
  const pullRequest = source.type === "git" ? (source.pull_request ?? null) : null;
  const numbers = Array.from({ length: MOST_PREVIEWS }, (_, number) => number);
  return numbers.map((number) => nameOf([run.org_id, key, "preview", pullRequest, number]));
}

/** Whether an apply may follow a plan of it. */
export function usesLane({ mode }: Pick<RunContext["deployment"], "mode">): boolean {
  return mode !== "plan_unlocked";
}

function nameOf(parts: readonly (string | number | null)[]): string {
  // Loaded here: a spare process that is not used yet needs none of it.
  const { hash } = process.getBuiltinModule("node:crypto");
  return PREFIX + hash("sha256", JSON.stringify(parts)).slice(0, 24);
}

export interface Waiting {
  /** How long one that is taken is waited for. */
  ms: number;
  /** Called once, with the name of the run's directory that has it. */
  begins(owner: string): void;
  /** What it throws ends the wait. */
  check(): void;
}

/**
 * Takes the first of `names` that is free, or waits for it, and returns its directory.
 * @param directory the run's private one; places lie beside it
 * @throws RunFailed when another run keeps it
 */
export async function takePlace(directory: string, names: readonly string[], waiting: Waiting): Promise<string> {
  const prepared = path.join(directory, "place");
  await mkdir(prepared, { mode: 0o700 });
  await writeFile(path.join(prepared, OWNER_FILE), path.basename(directory), { mode: 0o600 });
  const candidates = names.map((name) => path.join(path.dirname(directory), name));
  const until = performance.now() + waiting.ms;
  for (let told = false; ; ) {
    let owner = "";
    for (const place of candidates) {
      const taken = await moveTo(prepared, place, directory);
      if (taken === null) return place;
      owner = taken;
    }
    if (!told) waiting.begins(owner);
    told = true;
    if (performance.now() > until) throw inUse(owner);
    await delay(LOOK_EVERY_MS);
    waiting.check();
  }
}

/** Gives back every place of this run: what is in it goes into the run's directory, and with it. */
export async function releasePlaces(directory: string): Promise<void> {
  for (const place of await placesOf(directory)) await rename(place, aside(directory)).catch(ignoreMissing);
}

/** The places that this run has. */
export async function placesOf(directory: string): Promise<string[]> {
  const beside = path.dirname(directory);
  const names = (await readdir(beside).catch(() => [])).filter((name) => name.startsWith(PREFIX));
  const owners = await Promise.all(names.map((name) => ownerOf(path.join(beside, name))));
  return names.filter((_, index) => owners[index] === path.basename(directory)).map((name) => path.join(beside, name));
}

/** @returns null once it is there, or the name of the run's directory that has the place */
async function moveTo(prepared: string, place: string, directory: string): Promise<string | null> {
  try {
    await rename(prepared, place);
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // The last two where another run is another user.
    if (!["ENOTEMPTY", "EEXIST", "EACCES", "EPERM"].includes(code ?? "")) throw error;
  }
  const owner = await ownerOf(place);
  // Nobody settles a run whose directory somebody removed by hand, so its place would be taken for ever.
  if (owner === null || (await exists(path.join(path.dirname(directory), owner)))) return owner ?? "";
  await rename(place, aside(directory)).catch(ignoreMissing);
  return "";
}

/** A run may have put anything there: no link is followed and no pipe waited for. */
const AS_IT_IS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

async function ownerOf(place: string): Promise<string | null> {
  return readFile(path.join(place, OWNER_FILE), { encoding: "utf8", flag: AS_IT_IS }).catch(() => null);
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

function aside(directory: string): string {
  return path.join(directory, `left-${crypto.randomUUID()}`);
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}

function inUse(owner: string): RunFailed {
  const who = /^run-([0-9a-f-]{36})-/.exec(owner)?.[1];
  const run = who === undefined ? "Another run" : `Run ${who}`;
  return new RunFailed(`${run} is still at work in the folder of this stack on this runner (tree_in_use).`);
}
