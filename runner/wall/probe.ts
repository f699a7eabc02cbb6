/** What somebody would try from inside a wall, done by the process of a run itself. */
import { access, constants, open, readdir, readFile, readlink } from "node:fs/promises";
import { connect } from "node:net";
import { startOf } from "../process/processTable.ts";

const CONNECT_MS = 500;
/** The setting that is in the environment of every coordinator and of nobody else. */
const COORDINATORS = "RUNNER_KEY_FILE=";

/** Devices, memory of the process itself, and what `/proc` says of the process. */
const OF_NOBODY = /^\/(?:dev\/|memfd:|proc\/)/;

export interface ProbeTargets {
  /** Files of which nobody inside may read what has this SHA-256. */
  files: { path: string; sha256: string }[];
  /** What nobody inside may write to. */
  fixed: string[];
  /** Processes that are nobody's business, by id and start: inside, an id may be another process's. */
  processes: { pid: number; startedAt: string }[];
  /** In which a run makes its own directory. */
  worksIn: string;
  /** Folders in which a run may have files open. */
  own: string[];
  /** `host:port` each. */
  addresses: string[];
}

/**
 * @returns `reached`: what could be, a line each; empty is right. `enters`: whether a run could make its directory.
 */
export async function probe(targets: ProbeTargets): Promise<{ reached: string[]; enters: boolean }> {
  // Before this process opens anything itself.
  const given = await inherited(targets.own);
  const found = await Promise.all([
    ...targets.files.map(readable),
    ...targets.fixed.map(writable),
    ...targets.processes.map(ofProcess),
    coordinators(),
    settings(),
    ...targets.addresses.map(reachable),
  ]);
  const enters = await succeeds(access(targets.worksIn, constants.W_OK | constants.X_OK));
  return { reached: [...given, ...found.flat()], enters };
}

async function readable({ path: file, sha256 }: ProbeTargets["files"][number]): Promise<string[]> {
  const content = await readFile(file).catch(() => null);
  if (content === null) return [];
  // Loaded here: a run needs none of it.
  const { hash } = process.getBuiltinModule("node:crypto");
  if (hash("sha256", content) !== sha256) return [];
  return [`reads ${file}`];
}

async function writable(file: string): Promise<string[]> {
  return (await succeeds(access(file, constants.W_OK))) ? [`writes to ${file}`] : [];
}

async function ofProcess({ pid, startedAt }: ProbeTargets["processes"][number]): Promise<string[]> {
  if (startOf(pid) !== startedAt) return [];
  const found: string[] = [];
  if (await succeeds(readFile(`/proc/${pid}/environ`))) found.push(`reads the environment of process ${pid}`);
  // To open it takes the right to trace the process.
  if (await succeeds(open(`/proc/${pid}/mem`, "r").then((file) => file.close())))
    found.push(`reads the memory of process ${pid}`);
  if (signals(pid)) found.push(`sends signals to process ${pid}`);
  return found;
}

/** Also of coordinators that this one knows nothing of. */
async function coordinators(): Promise<string[]> {
  const ids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const environments = await Promise.all(ids.map((id) => readFile(`/proc/${id}/environ`, "utf8").catch(() => "")));
  return environments.flatMap((text, index) =>
    text.split("\0").some((entry) => entry.startsWith(COORDINATORS))
      ? [`reads the environment of a coordinator, process ${ids[index]}`]
      : [],
  );
}

async function settings(): Promise<string[]> {
  // Loaded here: a run needs none of it.
  const { openSettings } = await import("./machineSettings.ts");
  const [first, ...more] = openSettings();
  return first === undefined ? [] : [`writes to ${first} and ${more.length} more settings of the machine`];
}

/** Pipes and sockets have no path. A file of the coordinator could be read, forged or emptied by `/proc`. */
async function inherited(own: readonly string[]): Promise<string[]> {
  const names = await readdir("/proc/self/fd").catch(() => []);
  const files = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => "")));
  const strange = files.filter((file) => file.startsWith("/") && !OF_NOBODY.test(file) && !isIn(file, own));
  return [...new Set(strange)].map((file) => `has ${file} open`);
}

function isIn(file: string, folders: readonly string[]): boolean {
  return folders.some((folder) => file.startsWith(`${folder}/`));
}

function reachable(address: string): Promise<string[]> {
  const colon = address.lastIndexOf(":");
  const host = address.slice(0, colon).replace(/^\[|\]$/g, "");
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(address.slice(colon + 1)), timeout: CONNECT_MS });
    const end = (found: string[]) => {
      socket.destroy();
      resolve(found);
    };
    socket.once("connect", () => end([`reaches ${address}`]));
    socket.once("timeout", () => end([]));
    socket.once("error", () => end([]));
  });
}

function signals(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}
