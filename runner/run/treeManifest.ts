/** What a sealed tree says of itself, in a file beside the folders. */
import { readFile, realpath } from "node:fs/promises";
import path from "node:path";
import { RunFailed } from "../service/outcome.ts";

export const MANIFEST = "tree.json";
/** Where what `init` left outside the run's files is in a tree. */
export const DATA = "data";
/** The parts of a data folder that `init` without modules and backend does not make again. */
export const KEPT_DATA = ["modules", "terraform.tfstate", "environment"];

export interface TreeManifest {
  version: 1;
  /** Where the plan's runner had the tree. */
  path: string;
  /** Where its engine kept what `init` chose. */
  data_directory: string;
}

/** @throws RunFailed */
export async function readManifest(place: string): Promise<TreeManifest> {
  try {
    const manifest = JSON.parse(await readFile(path.join(place, MANIFEST), "utf8")) as TreeManifest;
    if (manifest.version === 1) return manifest;
  } catch {
    throw new RunFailed(
      "The files of the plan say nothing of where they were: plan again. Nothing was applied (tree_damaged).",
    );
  }
  throw new RunFailed("The files of the plan were packed by a newer runner than this one. Nothing was applied.");
}

/** Whether `file` is in `directory`, which is a real path, also through symbolic links. */
export async function isInside(directory: string, file: string): Promise<boolean> {
  const relative = path.relative(directory, await realpath(file).catch(() => file));
  return relative !== ".." && !relative.startsWith(`..${path.sep}`);
}
