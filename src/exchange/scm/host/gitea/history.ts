/**
 * How commits stand to each other. The host tells no relation: it lists the commits that one has and another has not,
 * and that list's first entry is enough.
 */
import type { RepositoryCalls } from "../client.ts";
import type { Relation } from "../commits.ts";
import { HostError } from "../errors.ts";
import { BARE, commitNamed } from "./commits.ts";

/** Commits that are looked through for where two lines of them part. */
const MOST_COMMITS = 500;
/** Places where they part, or meet again, of which the last is looked for. */
const MOST_BOUNDARIES = 8;

/** @throws HostError when the host fails */
export async function relation(calls: RepositoryCalls, before: string, after: string): Promise<Relation | "unknown"> {
  if (before === after) return "identical";
  // The host answers 500 about a list from, or without, a commit that it does not have.
  for (const id of [before, after]) if ((await commitNamed(calls, id)) === null) return "unknown";
  const isBefore = await contains(calls, after, before);
  const isAfter = await contains(calls, before, after);
  if (isBefore) return isAfter ? "identical" : "ahead";
  return isAfter ? "behind" : "diverged";
}

/** Whether `ancestor` is in the history of `commit`. */
async function contains(calls: RepositoryCalls, commit: string, ancestor: string): Promise<boolean> {
  const { data } = await calls.call("GET", "/commits", { sha: ancestor, not: commit, limit: 1, ...BARE });
  if (!Array.isArray(data)) throw new HostError("nonsense");
  return data.length === 0;
}

/**
 * The commits where `after` parted from `before`; null where too much lies between to tell. None: they have nothing in
 * common.
 * @throws HostError
 */
export async function mergeBases(calls: RepositoryCalls, before: string, after: string): Promise<string[] | null> {
  const parents = new Map<string, string[]>();
  for (let page = 1; ; page++) {
    const asked = { sha: after, not: before, limit: 50, page, ...BARE };
    const { data, link } = await calls.call("GET", "/commits", asked);
    if (!Array.isArray(data)) throw new HostError("nonsense");
    for (const item of data as { sha?: unknown; parents?: { sha?: unknown }[] | null }[]) {
      parents.set(
        String(item.sha),
        (item.parents ?? []).map(({ sha }) => String(sha)),
      );
    }
    if (data.length === 0 || !/rel="?next"?/.test(link ?? "")) break;
    if (parents.size >= MOST_COMMITS) return null;
  }
  // What a commit of the list comes from, and is not in it, is in the history of `before`.
  const outside = new Set([...parents.values()].flat().filter((sha) => !parents.has(sha)));
  if (outside.size > MOST_BOUNDARIES) return null;
  return newest(calls, [...outside]);
}

/** Without those that are in the history of another of them. */
async function newest(calls: RepositoryCalls, commits: readonly string[]): Promise<string[]> {
  const kept: string[] = [];
  for (const commit of commits) {
    let isOlder = false;
    for (const other of commits) {
      if (other === commit || isOlder) continue;
      isOlder = await contains(calls, other, commit);
    }
    if (!isOlder) kept.push(commit);
  }
  return kept;
}
