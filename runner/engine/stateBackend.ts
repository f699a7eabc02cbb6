/** The backend that `init` wrote down in the data folder: the one that plans and applies work on. */
import { readFile, realpath, rm } from "node:fs/promises";
import path from "node:path";
import type { RunLog } from "../output/runLog.ts";
import { RunFailed } from "../service/outcome.ts";
import { dataDirectory } from "./engineVariables.ts";

/** Where an engine runs, inside which folder and with which environment, and whether the service keeps its state. */
type Place = { place: string; cwd: string; env: Record<string, string>; hosted: boolean };

type Backend = { type: string; config: Record<string, unknown> };

const RECORD = "terraform.tfstate";
const LOST = "the state of this stack is lost when the run ends.";

/**
 * What `init` chose, before anything works on it. A configuration without a backend keeps its state beside itself, in a
 * clone that is removed when the run ends. That works, applies, and is forgotten; nobody notices before the second
 * plan. So the log says it at once.
 * @returns what a plan says of it to whoever confirms
 * @throws RunFailed when something of the stack's own took the place of the backend that the runner chose
 */
export async function checkBackend(place: Place, log: RunLog): Promise<string[]> {
  await checkHostedBackend(place);
  if (place.hosted) return [];
  const why = await whyLost(place);
  if (why === null) return [];
  const warning = `${why}: ${LOST}`;
  log.note(`Warning: ${warning}`);
  return [warning];
}

/**
 * Takes away what a stack's own files say was chosen: an engine that finds its configuration unchanged since then would
 * go where that says. @throws RunFailed
 */
export async function forgetBackend({ place, cwd, env }: Omit<Place, "hosted">): Promise<void> {
  const directory = dataDirectory(cwd, env);
  if (isBelow(place, directory) && !isBelow(place, await whereItLeads(directory))) {
    throw new RunFailed("The data folder of the engine is a link of the stack's that leads out of its files.");
  }
  await rm(path.join(directory, RECORD), { recursive: true, force: true }).catch(ignoreNotThere);
}

/**
 * Where the service keeps the state, its address and what opens it come from the environment. Whatever else was chosen,
 * state and token would go there. @throws RunFailed
 */
export async function checkHostedBackend({ cwd, env, hosted }: Omit<Place, "place">): Promise<void> {
  if (!hosted) return;
  const backend = await recordedBackend(dataDirectory(cwd, env));
  const set = Object.entries(backend?.config ?? {}).filter(([, value]) => value !== null);
  if (backend?.type === "http" && set.length === 0) return;
  const found = [backend?.type ?? "none", ...set.map(([name]) => name)].join(", ");
  throw new RunFailed(
    `The service is to keep the state of this stack, and something of the stack overrides its backend (${found}).`,
  );
}

async function whyLost({ place, cwd, env }: Place): Promise<string | null> {
  const directory = dataDirectory(cwd, env);
  const backend = await recordedBackend(directory);
  if (backend === null) return "No backend or cloud block is configured";
  if (backend.type === "inmem") return "The backend inmem keeps the state nowhere";
  if (backend.type !== "local") return null;
  const selected = env.TF_WORKSPACE || (await readFile(path.join(directory, "environment"), "utf8").catch(() => ""));
  const [key, usual] = ["", "default"].includes(selected.trim())
    ? ["path", "terraform.tfstate"]
    : ["workspace_dir", "terraform.tfstate.d"];
  const file = await whereItLeads(path.resolve(cwd, String(backend.config[key] || usual)));
  return isBelow(place, file) ? "The backend local keeps the state in the folder of the run" : null;
}

/** `init` writes what it chose here, and writes nothing when it chose nothing. */
async function recordedBackend(directory: string): Promise<Backend | null> {
  try {
    const text = await readFile(path.join(directory, RECORD), "utf8");
    const { backend } = JSON.parse(text) as { backend?: Partial<Backend> };
    return backend === undefined ? null : { type: backend.type ?? "", config: backend.config ?? {} };
  } catch {
    return null;
  }
}

/** Through symbolic links, also when the last parts of it are not there yet. */
async function whereItLeads(file: string): Promise<string> {
  const real = await realpath(file).catch(() => null);
  const parent = path.dirname(file);
  if (real !== null || parent === file) return real ?? file;
  return path.join(await whereItLeads(parent), path.basename(file));
}

function isBelow(directory: string, file: string): boolean {
  const relative = path.relative(directory, file);
  return relative !== ".." && !relative.startsWith(`..${path.sep}`);
}

function ignoreNotThere(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOTDIR") throw error;
}
