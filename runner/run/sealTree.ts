/**
 * The tree that `init` and plan left, packed for the apply: what a module's reference leads to may change while a plan
 * waits, and what the plan made exists nowhere else.
 */
import { realpath, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Root } from "../archive/packTree.ts";
import { dataDirectory } from "../engine/engineVariables.ts";
import { RunFailed } from "../service/outcome.ts";
import { DATA, isInside, KEPT_DATA, MANIFEST, type TreeManifest } from "./treeManifest.ts";
import type { RunResources, Workspace } from "./workspace.ts";

const MAX_ENTRIES = 500_000;

/**
 * Packs it into a file of the run's directory and returns its path. Providers stay out: `init` gets them again and
 * checks them against the lock file, which is in the tree.
 * @throws RunFailed, Stopped
 */
export async function sealTree(
  { directory, steps }: Pick<RunResources, "directory" | "steps">,
  workspace: Pick<Workspace, "place" | "cwd" | "env">,
  maxBytes: number,
): Promise<string> {
  const { place, cwd, env } = workspace;
  const data = dataDirectory(cwd, env);
  const manifest: TreeManifest = { version: 1, path: place, data_directory: data };
  const manifestFile = path.join(directory, MANIFEST);
  await writeFile(manifestFile, JSON.stringify(manifest), { mode: 0o600 });
  const roots: Root[] = [
    { name: MANIFEST, from: manifestFile, skipOdd: false },
    { name: "files", from: path.join(place, "files"), skipOdd: false },
    // Programs leave sockets and pipes here, which nobody listens to any more.
    { name: "home", from: path.join(place, "home"), skipOdd: true },
    { name: "tmp", from: path.join(place, "tmp"), skipOdd: true },
  ];
  if (!(await isInside(place, data)))
    roots.push(...KEPT_DATA.map((name) => ({ name: `${DATA}/${name}`, from: path.join(data, name), skipOdd: false })));
  const providers = [
    path.join(data, "providers"),
    ...(env.TF_PLUGIN_CACHE_DIR ? [path.resolve(cwd, env.TF_PLUGIN_CACHE_DIR)] : []),
  ];
  const leftOut = new Set(await Promise.all(providers.map((each) => realpath(each).catch(() => each))));

  const archive = path.join(directory, "tree.tar.gz");
  const { ArchiveRefused } = await import("../archive/entryRules.ts");
  const { packTree, TreeTooLarge } = await import("../archive/packTree.ts");
  const limits = { entries: MAX_ENTRIES, bytes: maxBytes };
  try {
    const { entries, bytes } = await packTree(archive, roots, leftOut, limits, () => steps.stop.check());
    const { size } = await stat(archive);
    if (size > maxBytes) throw new TreeTooLarge(`more than ${maxBytes} bytes when packed`);
    steps.log.note(`Kept for the apply: ${entries} files, directories and links, ${bytes} bytes, ${size} packed`);
  } catch (error) {
    if (error instanceof TreeTooLarge)
      throw new RunFailed(
        `The files that init and plan left are too large to be kept for the apply: ${error.message}. The service's SVC_TREE_MAX_BYTES sets the limit (tree_too_large).`,
      );
    if (error instanceof ArchiveRefused)
      throw new RunFailed(`The files that init and plan left cannot be kept for the apply: ${error.why} (tree_unfit).`);
    throw error;
  }
  return archive;
}
