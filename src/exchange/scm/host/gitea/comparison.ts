/**
 * Which files differ between two commits. The host's own comparison lists what each commit touched, which misses what
 * a merge took back; so the trees are compared, and only folders that differ are looked into.
 */
import type { RepositoryCalls } from "../client.ts";
import type { Comparison } from "../commits.ts";
import { HostError } from "../errors.ts";
import { mergeBases, relation } from "./history.ts";

/** Folders that are read for one comparison, on either side. */
const MOST_TREES = 300;
/** Entries of a page, as the host gives them at most by default. */
const PAGE = 1_000;
const MOST_PAGES = 20;
/** Of all that one comparison reads. */
const MOST_BYTES = 64 * 1_048_576;
/** Paths that are kept: more say no more about which folders changed. */
const MOST_PATHS = 50_000;

type Entry = { sha: string; isTree: boolean };
type Tree = ReadonlyMap<string, Entry>;

/** What `after` has that `before` has not, from where the two parted. @throws HostError */
export async function comparison(calls: RepositoryCalls, before: string, after: string): Promise<Comparison> {
  const how = await relation(calls, before, after);
  if (how === "unknown") return { outcome: "unknown" };
  if (how === "identical" || how === "behind") {
    return { outcome: "compared", relation: how, paths: [], complete: true };
  }
  const bases = how === "ahead" ? [before] : await mergeBases(calls, before, after);
  if (bases === null) return { outcome: "too_large" };
  if (bases.length === 0) return { outcome: "unknown" };
  const parts: Changed[] = [];
  const budget = { bytes: MOST_BYTES };
  try {
    for (const base of bases) parts.push(await changed(calls, base, after, budget));
  } catch (error) {
    if (error instanceof HostError && error.failure === "too_large") return { outcome: "too_large" };
    throw error;
  }
  const paths = [...new Set(parts.flatMap((part) => part.paths))];
  return { outcome: "compared", relation: how, paths, complete: parts.every(({ complete }) => complete) };
}

type Changed = { paths: string[]; complete: boolean };
type Pair = { prefix: string; before: string | null; after: string | null };
/** What may still be read. */
type Budget = { bytes: number };

async function changed(calls: RepositoryCalls, before: string, after: string, budget: Budget): Promise<Changed> {
  const paths: string[] = [];
  const rest: Pair[] = [{ prefix: "", before, after }];
  let read = 0;
  for (let pair = rest.pop(); pair !== undefined; pair = rest.pop()) {
    read += Number(pair.before !== null) + Number(pair.after !== null);
    // Each of the rest is read too, if anything is to be known.
    if (read + rest.length > MOST_TREES || paths.length > MOST_PATHS) return { paths, complete: false };
    const [old, now] = [await treeOf(calls, pair.before, budget), await treeOf(calls, pair.after, budget)];
    if (old === null || now === null) return { paths, complete: false };
    for (const name of new Set([...old.keys(), ...now.keys()])) {
      const [was, is] = [old.get(name), now.get(name)];
      if (was?.sha === is?.sha && was?.isTree === is?.isTree) continue;
      const path = pair.prefix + name;
      if ((was && !was.isTree) || (is && !is.isTree)) paths.push(path);
      const [from, to] = [was?.isTree ? was.sha : null, is?.isTree ? is.sha : null];
      if (from !== null || to !== null) rest.push({ prefix: `${path}/`, before: from, after: to });
    }
  }
  return { paths, complete: true };
}

/** Null where the host does not give all of it. */
async function treeOf(calls: RepositoryCalls, id: string | null, budget: Budget): Promise<Tree | null> {
  const entries = new Map<string, Entry>();
  if (id === null) return entries;
  for (let page = 1; page <= MOST_PAGES; page++) {
    const { data, bytes = 0 } = await calls.call("GET", "/git/trees/{id}", { id, page, per_page: PAGE });
    budget.bytes -= bytes;
    if (budget.bytes < 0) return null;
    const { tree, truncated } = (data ?? {}) as { tree?: unknown; truncated?: unknown };
    // Of an empty one it says null.
    if (!Array.isArray(tree ?? [])) throw new HostError("nonsense");
    for (const { path, type, sha, mode } of (tree ?? []) as Record<string, unknown>[]) {
      // A file that becomes executable is another one too.
      entries.set(String(path), { sha: `${sha}${type === "tree" ? "" : ` ${mode}`}`, isTree: type === "tree" });
    }
    if (truncated !== true) return entries;
  }
  return null;
}
