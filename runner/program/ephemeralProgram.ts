/** What the coordinator starts for each run, and where it is kept between two starts of the coordinator. */
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmod, mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import type { OwnLog } from "../output/ownLog.ts";
import { type Bundle, bundleEphemeral, ROOT, SOURCE } from "./bundle.ts";
import { digestOf, sha256 } from "./digest.ts";

const run = promisify(execFile);

/** What is there to start, and the variables that Node needs to load it fast. */
export interface EphemeralProgram {
  file: string;
  env: Record<string, string>;
}

/** Belongs to the installation, as the sources do: whoever may not change those may not change this. */
export const INSTALLED = path.join(ROOT, "node_modules/.cache/ephemeral-runner");
const MAIN = "ephemeral.cjs";

/** What is in a folder, and SHA-256 of each file: those of the program below the folder, the sources below the root. */
interface Manifest {
  folder: string;
  files: Record<string, string>;
  inputs: Record<string, string>;
}

/**
 * The bundle that is there already when it is the one of these sources, else a new one. It is kept nowhere but beside
 * the sources: wherever else this process may write, a run may too, and could change what the next runs execute.
 * Without a bundle the sources have to do.
 */
export async function ephemeralProgram(logger: OwnLog, place = INSTALLED): Promise<EphemeralProgram> {
  try {
    return (await keptProgram(place)) ?? (await keepProgram(await bundleEphemeral(), place));
  } catch (error) {
    const remedy = "run `node runner/bundleEphemeral.ts` as a user who may write there";
    logger.warn({ err: error, remedy }, "the ephemeral runner is not bundled, so each run takes longer to start");
    return { file: SOURCE, env: {} };
  }
}

/** The program kept in `place`, unless it is damaged or its sources have changed. */
export async function keptProgram(place: string): Promise<EphemeralProgram | null> {
  try {
    const manifest = JSON.parse(await readFile(manifestOf(place), "utf8")) as Manifest;
    const folder = path.join(place, manifest.folder);
    const intact = (await hasDigests(folder, manifest.files)) && (await hasDigests(ROOT, manifest.inputs));
    return intact ? programIn(folder) : null;
  } catch {
    return null;
  }
}

/** Writes the program to `place`, with what V8 compiles of it. Others may do the same there at the same time. */
export async function keepProgram({ files, inputs }: Bundle, place: string): Promise<EphemeralProgram> {
  const contents = Object.entries(files);
  const digests = Object.fromEntries(contents.map(([name, text]) => [name, sha256(text)]));
  const folder = path.join(place, sha256(JSON.stringify(digests)).slice(0, 16));
  await mkdir(folder, { recursive: true });
  for (const [name, text] of contents) await replace(path.join(folder, name), text);
  const program = programIn(folder);
  // Without a coordinator it ends once it is loaded, and leaves behind what was compiled.
  await run(process.execPath, [program.file], { env: program.env });
  await makeReadable(compiledIn(folder));
  const manifest: Manifest = { folder: path.basename(folder), files: digests, inputs };
  await replace(manifestOf(place), JSON.stringify(manifest));
  return program;
}

function programIn(folder: string): EphemeralProgram {
  return { file: path.join(folder, MAIN), env: { NODE_COMPILE_CACHE: compiledIn(folder) } };
}

function compiledIn(folder: string): string {
  return path.join(folder, "compiled");
}

function manifestOf(place: string): string {
  return path.join(place, "manifest.json");
}

/** Node lets only their maker read these files, and they may be for another user. One may be replaced meanwhile. */
async function makeReadable(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) await chmod(path.join(entry.parentPath, entry.name), 0o644).catch(() => {});
  }
}

/** Whoever reads the file meanwhile sees the old one or the new one. */
async function replace(file: string, content: string): Promise<void> {
  const fresh = `${file}.${randomUUID()}`;
  await writeFile(fresh, content);
  await rename(fresh, file);
}

async function hasDigests(folder: string, digests: Record<string, string>): Promise<boolean> {
  const names = Object.keys(digests);
  const found = await Promise.all(names.map((name) => digestOf(path.join(folder, name))));
  return names.every((name, index) => digests[name] === found[index]);
}
