/** Commits and heads of branches as Gitea tells of them. */
import type { RepositoryCalls } from "../client.ts";
import { type Commit, storableCommit } from "../commits.ts";
import { isNotFound } from "../errors.ts";

/** What is not looked at and costs the host most: signatures, figures and files of each commit. */
export const BARE = { stat: false, verification: false, files: false };

/** @throws HostError */
export async function branchHead(calls: RepositoryCalls, branch: string): Promise<Commit | null> {
  try {
    const { data } = await calls.call("GET", "/branches/{branch}", { branch });
    const { commit } = data as { commit?: { id?: unknown; message?: unknown; author?: Author } | null };
    return storableCommit(commit?.id, commit?.message, nameOf(commit?.author));
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  await calls.assertVisible();
  return null;
}

/** @throws HostError */
export async function commitNamed(calls: RepositoryCalls, id: string): Promise<Commit | null> {
  try {
    const { data } = await calls.call("GET", "/git/commits/{id}", { id, ...BARE });
    type Detail = { message?: unknown; author?: Author };
    const { sha, commit, author } = data as { sha?: unknown; commit?: Detail; author?: { login?: unknown } | null };
    return storableCommit(sha, commit?.message, author?.login ?? nameOf(commit?.author));
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  await calls.assertVisible();
  return null;
}

type Author = { username?: unknown; name?: unknown } | null;

function nameOf(author: Author | undefined): unknown {
  return author?.username || author?.name;
}
