/** What pushes need of a host: the head of a branch, and what lies between two commits. */
import type { RepositoryCalls } from "./client.ts";
import { HostError, isNotFound } from "./errors.ts";

export type Commit = { sha: string; message: string; author: string | null };

/** `unknown`: the host cannot compare them, or does not know one of the two. */
export type Comparison =
  | { outcome: "compared"; relation: Relation; paths: string[]; complete: boolean }
  | { outcome: "too_large" }
  | { outcome: "unknown" };

/** A host names at most so many files of a comparison, and does not say that it left some out. */
const COMPARE_CAP = 300;
const RELATIONS = ["identical", "ahead", "behind", "diverged"] as const;
export type Relation = (typeof RELATIONS)[number];
const LONGEST_MESSAGE = 4_000;

/**
 * The commit at the head of a branch, or null when there is no such branch: by the host's own words, or in a repository
 * that it shows.
 * @throws HostError
 */
export async function branchHead(calls: RepositoryCalls, branch: string): Promise<Commit | null> {
  try {
    const { data } = await calls.call("GET", "/branches/{branch}", { branch });
    return commitOf((data as { commit?: unknown }).commit);
  } catch (error) {
    if (error instanceof HostError && error.failure === "no_branch") return null;
    if (!isNotFound(error)) throw error;
  }
  await calls.assertVisible();
  return null;
}

/** The commit that an id leads to, a tag's to the commit it marks; null when there is none. @throws HostError */
export async function commitNamed(calls: RepositoryCalls, id: string): Promise<Commit | null> {
  try {
    return commitOf((await calls.call("GET", "/commits/{id}", { id })).data);
  } catch (error) {
    if (!isUnknownCommit(error)) throw error;
  }
  await calls.assertVisible();
  return null;
}

/** What `after` has that `before` has not. @throws HostError when the host fails, which is no answer */
export async function compare(calls: RepositoryCalls, before: string, after: string): Promise<Comparison> {
  try {
    // Its commits are paged, its files are all on the first page: one commit keeps the answer small.
    const { data } = await calls.call("GET", "/compare/{basehead}", { basehead: `${before}...${after}`, per_page: 1 });
    const { files } = data as { files?: unknown };
    const relation = relationIn(data);
    if (!Array.isArray(files)) return { outcome: "too_large" };
    return { outcome: "compared", relation, paths: files.flatMap(pathsOf), complete: files.length < COMPARE_CAP };
  } catch (error) {
    if (error instanceof HostError && error.failure === "too_large") return { outcome: "too_large" };
    if (!isUnknownCommit(error)) throw error;
  }
  await calls.assertVisible();
  return { outcome: "unknown" };
}

/** Hosts answer 404 or 422 for a commit that they do not have. */
function isUnknownCommit(error: unknown): boolean {
  return isNotFound(error) || (error instanceof HostError && error.failure === "unacceptable");
}

/**
 * Only how `after` stands to `before`, whatever the size of what lies between: files are all on the first page, so the
 * second has none. `unknown`: the host cannot compare them, or does not know one of the two.
 * @throws HostError when the host fails
 */
export async function relationOf(calls: RepositoryCalls, before: string, after: string): Promise<Relation | "unknown"> {
  try {
    const basehead = `${before}...${after}`;
    const { data } = await calls.call("GET", "/compare/{basehead}", { basehead, per_page: 1, page: 2 });
    return relationIn(data);
  } catch (error) {
    if (error instanceof HostError && error.failure === "too_large") return "unknown";
    if (!isUnknownCommit(error)) throw error;
  }
  await calls.assertVisible();
  return "unknown";
}

function relationIn(data: unknown): Relation {
  const { status } = (data ?? {}) as { status?: unknown };
  const relation = RELATIONS.find((name) => name === status);
  if (relation === undefined) throw new HostError("nonsense");
  return relation;
}

/** A renamed file is changed under both names. */
export function pathsOf(file: unknown): string[] {
  const { filename, previous_filename: previous } = file as { filename?: unknown; previous_filename?: unknown };
  return [filename, previous].filter((path) => typeof path === "string");
}

/** The author is a login, or the name in the commit; never an address. */
function commitOf(data: unknown): Commit {
  const {
    sha,
    author,
    commit: detail,
  } = (data ?? {}) as {
    sha?: unknown;
    author?: { login?: unknown } | null;
    commit?: { message?: unknown; author?: { name?: unknown } | null };
  };
  return storableCommit(sha, detail?.message, author?.login ?? detail?.author?.name);
}

/** What a host tells of a commit, as it can be stored. @throws HostError where it has no id */
export function storableCommit(sha: unknown, message: unknown, author: unknown): Commit {
  if (typeof sha !== "string" || !/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(sha)) throw new HostError("nonsense");
  return {
    sha,
    // Some hosts give the line end that git keeps.
    message: storable(message).trimEnd().slice(0, LONGEST_MESSAGE).toWellFormed(),
    author: typeof author === "string" ? storable(author).slice(0, 200).toWellFormed() : null,
  };
}

function storable(text: unknown): string {
  return typeof text === "string" ? text.replaceAll("\0", "") : "";
}
