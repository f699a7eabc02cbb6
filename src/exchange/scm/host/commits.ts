/** What pushes need of a host: the head of a branch, and what lies between two commits. */
import type { RepositoryCalls } from "./client.ts";
import { HostError, isNotFound } from "./errors.ts";

export type Commit = { sha: string; message: string; author: string | null };

/** `unknown`: the host cannot compare them, or does not know one of the two. */
export type Comparison =
  | { outcome: "compared"; relation: "identical" | "ahead" | "behind" | "diverged"; paths: string[]; complete: boolean }
  | { outcome: "too_large" }
  | { outcome: "unknown" };

/** A host names at most so many files of a comparison, and does not say that it left some out. */
const COMPARE_CAP = 300;
const RELATIONS = ["identical", "ahead", "behind", "diverged"] as const;
const LONGEST_MESSAGE = 4_000;

/** The commit at the head of a branch, or null when there is no such branch. @throws HostError */
export async function branchHead(calls: RepositoryCalls, branch: string): Promise<Commit | null> {
  try {
    const { data } = await calls.call("GET", "/branches/{branch}", { branch });
    return commitOf((data as { commit?: unknown }).commit);
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

/** What `after` has that `before` has not. @throws HostError when the host fails, which is no answer */
export async function compare(calls: RepositoryCalls, before: string, after: string): Promise<Comparison> {
  try {
    // Its commits are paged, its files are all on the first page: one commit keeps the answer small.
    const { data } = await calls.call("GET", "/compare/{basehead}", { basehead: `${before}...${after}`, per_page: 1 });
    const { status, files } = data as { status?: unknown; files?: unknown };
    const relation = RELATIONS.find((name) => name === status);
    if (relation === undefined) throw new HostError("nonsense");
    if (!Array.isArray(files)) return { outcome: "too_large" };
    return { outcome: "compared", relation, paths: files.flatMap(pathsOf), complete: files.length < COMPARE_CAP };
  } catch (error) {
    if (isNotFound(error)) return { outcome: "unknown" };
    if (error instanceof HostError && error.failure === "too_large") return { outcome: "too_large" };
    throw error;
  }
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
  if (typeof sha !== "string" || !/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(sha)) throw new HostError("nonsense");
  const who = author?.login ?? detail?.author?.name;
  return {
    sha,
    message: storable(detail?.message).slice(0, LONGEST_MESSAGE).toWellFormed(),
    author: typeof who === "string" ? storable(who).slice(0, 200).toWellFormed() : null,
  };
}

function storable(text: unknown): string {
  return typeof text === "string" ? text.replaceAll("\0", "") : "";
}
