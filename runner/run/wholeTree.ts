/**
 * What a commit only points to: submodules and the contents of git LFS. A plan of half a tree would destroy the other
 * half.
 */
import { constants } from "node:fs";
import { open, writeFile } from "node:fs/promises";
import path from "node:path";
import { NOWHERE } from "../output/sink.ts";
import type { StepOptions, Steps } from "../process/steps.ts";
import { RunFailed } from "../service/outcome.ts";
import type { Findings } from "./findings.ts";
import { type TreeFeatures, treeFeatures } from "./treeFeatures.ts";
import { canBeListed, filterNames, unfilteredWarning } from "./treeFilters.ts";

export interface Tree {
  root: string;
  /** Address of the repository, without a login: relative addresses of submodules start from it. */
  url: string;
  /** The stack's directory below the root. */
  directory: string;
  /** Runs git in a folder of the tree, with the run's credentials; `stdout` instead of the run's log. */
  git(args: readonly string[], output?: Partial<Pick<StepOptions, "cwd" | "stdout" | "stderr">>): Exit;
}

/** What git LFS puts in the place of a file. */
const POINTER = Buffer.from("version https://git-lfs.github.com/spec/");

type Exit = Promise<{ code: number | null }>;

/** Fetches what is missing. @throws RunFailed when something cannot be had, Stopped */
export async function completeTree(tree: Tree, steps: Steps, findings: Findings): Promise<void> {
  const features = await treeFeatures(tree.root);
  const submodules = features.submodules.length > 0 ? await fetchSubmodules(tree, features, steps) : [];
  await applyFilters(tree, "", features.attributes, steps, findings);
  for (const place of submodules) {
    const cwd = path.join(tree.root, place);
    const attributes = await listed(tree, ["ls-files", "-z", "--", ":(glob)**/.gitattributes"], cwd);
    await applyFilters(tree, place, attributes, steps, findings);
  }
}

/** Fetches what git LFS keeps, and says what other filters would have changed. */
async function applyFilters(
  tree: Tree,
  place: string,
  attributes: readonly string[],
  steps: Steps,
  findings: Findings,
): Promise<void> {
  const cwd = path.join(tree.root, place);
  for (const name of await filterNames(cwd, attributes)) {
    if (name === "lfs") {
      await fetchLargeFiles(tree, place, steps);
      continue;
    }
    const list = () => listed(tree, ["ls-files", "-z", "--", `:(attr:filter=${name})`], cwd);
    const files = canBeListed(name) ? (await list()).map((file) => path.join(place, file)) : null;
    const warning = await unfilteredWarning(tree.root, { name, files, directory: tree.directory });
    if (warning === null) continue;
    steps.log.note(`Warning: ${warning}`);
    findings.warnings.push(warning);
  }
}

/** All of them, those of submodules too; returns their paths. */
async function fetchSubmodules(tree: Tree, { submodules }: TreeFeatures, steps: Steps): Promise<string[]> {
  steps.log.step(`Fetching ${submodules.length} submodules: ${submodules.slice(0, 10).join(", ")}`);
  const quoted = `"${tree.url.replace(/[\\"]/g, "\\$&")}"`;
  await writeFile(path.join(tree.root, ".git", "config"), `[remote "origin"]\n\turl = ${quoted}\n`);
  const update = ["submodule", "--quiet", "update", "--init", "--recursive", "--checkout"];
  if ((await tree.git([...update, "--depth", "1"])).code !== 0) {
    // A host may serve no commit that is no branch's head.
    steps.log.step("The submodules cannot be fetched at their commits alone; fetching all of them");
    await tree.git(["submodule", "--quiet", "deinit", "--force", "--all"]);
    if ((await tree.git(update)).code !== 0) throw failed("The submodules cannot be fetched", steps);
  }
  const paths = await listed(tree, [
    "submodule",
    "--quiet",
    "foreach",
    "--recursive",
    "printf '%s\\0' \"$displaypath\"",
  ]);
  const missing = submodules.filter((name) => !paths.includes(name));
  if (missing.length === 0) return paths;
  throw new RunFailed(`The submodule ${missing[0]} has no address in .gitmodules, so the tree would not be whole.`);
}

/** Files of this folder's own repository that git LFS keeps elsewhere. */
async function fetchLargeFiles(tree: Tree, place: string, steps: Steps): Promise<void> {
  const cwd = path.join(tree.root, place);
  const files = await listed(tree, ["ls-files", "-z", "--", ":(attr:filter=lfs)"], cwd);
  if (files.length === 0) return;
  const where = place === "" ? "" : ` of ${place}`;
  const first = `${path.join(place, files[0] ?? "")}${files.length > 1 ? ` and ${files.length - 1} more` : ""}`;
  steps.log.step(`Fetching ${files.length} files of git LFS${where}`);
  if ((await tree.git(["lfs", "version"], { cwd, stdout: NOWHERE, stderr: NOWHERE })).code !== 0) {
    throw new RunFailed(
      `${first} is kept in git LFS, and this runner has no git-lfs. Install it, or the tree is not whole.`,
    );
  }
  // Without these it takes itself for not installed and leaves the files as they are.
  const settings = ["clean=git-lfs clean -- %f", "smudge=git-lfs smudge -- %f", "process=git-lfs filter-process"];
  const filters = settings.flatMap((each) => ["-c", `filter.lfs.${each}`]);
  const origin = ["-c", `remote.origin.url=${tree.url}`];
  const pull = await tree.git([...(place === "" ? origin : []), ...filters, "lfs", "pull", "origin"], { cwd });
  if (pull.code !== 0) throw failed(`${first} cannot be fetched from git LFS`, steps);
  for (const file of files) {
    if (!(await isPointer(path.join(cwd, file)))) continue;
    throw new RunFailed(`${path.join(place, file)} was not fetched from git LFS, so the tree is not whole.`);
  }
}

async function isPointer(file: string): Promise<boolean> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { buffer } = await handle.read({ buffer: Buffer.alloc(POINTER.length) });
    return buffer.equals(POINTER);
  } finally {
    await handle.close();
  }
}

/** What git prints, separated by zeros. */
async function listed(tree: Tree, args: readonly string[], cwd = tree.root): Promise<string[]> {
  const parts: Buffer[] = [];
  const stdout = { write: (bytes: Buffer) => void parts.push(bytes), end: () => {} };
  if ((await tree.git(args, { cwd, stdout })).code !== 0) throw new RunFailed("git cannot list the files of the tree.");
  return Buffer.concat(parts).toString("utf8").split("\0").filter(Boolean);
}

function failed(what: string, steps: Steps): RunFailed {
  const excerpt = steps.log.failureExcerpt();
  return new RunFailed(`${what}${excerpt === "" ? "." : `: ${excerpt}`}`);
}
