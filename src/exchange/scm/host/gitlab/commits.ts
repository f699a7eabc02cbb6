/** Commits, heads of branches and comparisons as GitLab tells of them. */
import type { RepositoryCalls } from "../client.ts";
import { type Commit, type Comparison, type Relation, storableCommit } from "../commits.ts";
import { HostError, isNotFound } from "../errors.ts";

/** The host lists all files, unless it says that it ran out of time or they are more than it looks at. */
const COMPARE_CAP = 3_000;

/** @throws HostError */
export async function branchHead(calls: RepositoryCalls, branch: string): Promise<Commit | null> {
  try {
    const { data } = await calls.call("GET", "/repository/branches/{branch}", { branch });
    return commitOf((data as { commit?: unknown }).commit);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  await calls.assertVisible();
  return null;
}

/** @throws HostError */
export async function commitNamed(calls: RepositoryCalls, id: string): Promise<Commit | null> {
  try {
    return commitOf((await calls.call("GET", "/repository/commits/{id}", { id, stats: false })).data);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  await calls.assertVisible();
  return null;
}

/** The host is asked where the two parted, and compares from there. @throws HostError */
export async function relation(calls: RepositoryCalls, before: string, after: string): Promise<Relation | "unknown"> {
  if (before === after) return "identical";
  try {
    const path = "/repository/merge_base?refs%5B%5D={before}&refs%5B%5D={after}";
    const base = commitOf((await calls.call("GET", path, { before, after })).data).sha;
    if (base === before) return "ahead";
    return base === after ? "behind" : "diverged";
  } catch (error) {
    if (!isUnknownCommit(error)) throw error;
  }
  await calls.assertVisible();
  return "unknown";
}

/** @throws HostError */
export async function comparison(calls: RepositoryCalls, before: string, after: string): Promise<Comparison> {
  const how = await relation(calls, before, after);
  if (how === "unknown") return { outcome: "unknown" };
  try {
    const asked = { from: before, to: after, straight: false };
    const { data } = await calls.call("GET", "/repository/compare", asked);
    const { diffs, compare_timeout } = (data ?? {}) as { diffs?: unknown; compare_timeout?: unknown };
    if (!Array.isArray(diffs)) throw new HostError("nonsense");
    const complete = compare_timeout !== true && diffs.length < COMPARE_CAP;
    return { outcome: "compared", relation: how, paths: diffs.flatMap(pathsOf), complete };
  } catch (error) {
    if (error instanceof HostError && error.failure === "too_large") return { outcome: "too_large" };
    if (!isUnknownCommit(error)) throw error;
  }
  await calls.assertVisible();
  return { outcome: "unknown" };
}

/** The host answers 400 for a commit that it does not have, 404 where two have nothing in common. */
function isUnknownCommit(error: unknown): boolean {
  return isNotFound(error) || (error instanceof HostError && error.failure === "unacceptable");
}

/** A renamed file is changed under both names. */
export function pathsOf(file: unknown): string[] {
  const { old_path, new_path } = (file ?? {}) as { old_path?: unknown; new_path?: unknown };
  const paths = [new_path, old_path].filter((path) => typeof path === "string" && path !== "");
  return [...new Set(paths as string[])];
}

function commitOf(data: unknown): Commit {
  const { id, message, author_name } = (data ?? {}) as { id?: unknown; message?: unknown; author_name?: unknown };
  return storableCommit(id, message, author_name);
}
