/** The tree of a plan, brought to where it was: an apply works on just what the plan saw and left. */
import { cp, mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { dataDirectory } from "../engine/engineVariables.ts";
import type { Steps } from "../process/steps.ts";
import { systemReason } from "../process/systemReasons.ts";
import { RunFailed } from "../service/outcome.ts";
import type { ArtifactStore } from "./artifacts.ts";
import { fetchStored, PLAN_TREE } from "./fetchStored.ts";
import { DATA, isInside, KEPT_DATA, readManifest } from "./treeManifest.ts";

/** The digest is the service's word that this is what the plan left: it was within the limits of its time. */
const COPIED = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true };
const ANY_SIZE = { entries: Infinity, bytes: Infinity, ratio: Infinity, exact: true };

/** Where an engine runs, inside which folder, and with which environment. */
type EnginePlace = { place: string; cwd: string; env: Record<string, string> };

/** Fills `place` with the folders of the plan's run. @throws RunFailed, Stopped */
export async function restoreTree(
  { directory, store, steps }: { directory: string; store: ArtifactStore; steps: Steps },
  place: string,
  expectedSha256: string,
): Promise<void> {
  steps.log.step(`Fetching the files that the plan left (SHA-256 ${expectedSha256})`);
  const archive = path.join(directory, "tree.tar.gz");
  await fetchStored(PLAN_TREE, expectedSha256, steps.stop, (signal) =>
    store.getArtifact("tree", archive, Number.MAX_SAFE_INTEGER, signal),
  );
  steps.stop.check();
  const { ArchiveRefused } = await import("../archive/entryRules.ts");
  const { unpackArchive } = await import("../archive/unpackArchive.ts");
  try {
    const { entries, bytes } = await unpackArchive(archive, place, () => steps.stop.check(), ANY_SIZE);
    steps.log.note(`Unpacked ${entries} files, directories and links, ${bytes} bytes`);
  } catch (error) {
    if (!(error instanceof ArchiveRefused)) throw error;
    const [why, reason] =
      error.code === null ? [`${error.why}: plan again`, " (tree_damaged)"] : [systemReason(error.code), ""];
    throw new RunFailed(`The files of the plan cannot be unpacked: ${why}. Nothing was applied${reason}.`);
  }
  await rm(archive);
  const { path: planned } = await readManifest(place);
  if (place === planned) return;
  throw new RunFailed(
    `The plan was made in ${planned}, and here its stack is in ${place}. Give all runners of a group the same RUNNER_WORK_DIR and version, and plan again. Nothing was applied (tree_path_differs).`,
  );
}

/** What `init` left outside the run's files goes back to where a context's `TF_DATA_DIR` leads. @throws RunFailed */
export async function restoreData({ place, cwd, env }: EnginePlace): Promise<void> {
  const { data_directory: planned } = await readManifest(place);
  const own = dataDirectory(cwd, env);
  if (own !== planned)
    throw new RunFailed(
      `TF_DATA_DIR leads to ${own}, and led to ${planned} when the plan was made: plan again. Nothing was applied (tree_path_differs).`,
    );
  if (await isInside(place, own)) return;
  await mkdir(own, { recursive: true });
  for (const name of KEPT_DATA) {
    const to = path.join(own, name);
    await rm(to, { recursive: true, force: true });
    await cp(path.join(place, DATA, name), to, COPIED).catch(ignoreMissing);
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
