/**
 * Who approves a merge request, and who asks for changes. An approval on GitLab names no commit: it counts for the head
 * when it was given after the host had that head, by the host's own clock.
 */
import type { RepositoryCalls } from "../client.ts";
import { isNotFound } from "../errors.ts";
import type { ListedRequest } from "../readRequests.ts";
import { type Words, wordsOf } from "../reviews.ts";

type Person = { id?: unknown; username?: unknown };
type Approving = { user?: Person | null; approved_at?: unknown };
type Note = { system?: unknown; body?: unknown; author?: Person | null; created_at?: unknown };

/** @throws HostError */
export async function reviewWords(calls: RepositoryCalls, request: ListedRequest): Promise<Words> {
  const { number, headSha, authorId } = request;
  const { data } = await calls.call("GET", "/merge_requests/{number}/approvals", { number });
  const given = arrayOf((data as { approved_by?: unknown } | null)?.approved_by) as Approving[];
  const since = given.length === 0 ? null : await headSince(calls, number, headSha);
  const timed = given.every(({ approved_at }) => typeof approved_at === "string");
  const notes = timed ? [] : await systemNotes(calls, number);
  const approvals = given.map(({ user, approved_at }) => {
    const at = Date.parse(typeof approved_at === "string" ? approved_at : (lastApproval(notes, user?.id) ?? ""));
    const isOfHead = since !== null && at >= since;
    return { state: "APPROVED", commit_id: isOfHead ? headSha : "", user: reviewerOf(user) };
  });
  const objections = (await reviewers(calls, number))
    .filter(({ state }) => state === "requested_changes")
    .map(({ user }) => ({ state: "CHANGES_REQUESTED", commit_id: headSha, user: reviewerOf(user) }));
  return wordsOf([...approvals, ...objections], { headSha, authorId });
}

function reviewerOf(user: Person | null | undefined): { id: unknown; login: unknown } | null {
  return user ? { id: user.id, login: user.username } : null;
}

/** Since when the host has this head without another in between; null while it has not looked at it. */
async function headSince(calls: RepositoryCalls, number: number, headSha: string): Promise<number | null> {
  const { items } = await calls.list("/merge_requests/{number}/versions", { number });
  let since: number | null = null;
  for (const { head_commit_sha, created_at } of items as Record<string, unknown>[]) {
    if (head_commit_sha !== headSha) break;
    since = Date.parse(String(created_at));
  }
  return since;
}

/** Older installations tell the time of an approval only so. */
async function systemNotes(calls: RepositoryCalls, number: number): Promise<Note[]> {
  const asked = { number, sort: "asc", order_by: "created_at", activity_filter: "only_activity" };
  const { items } = await calls.list("/merge_requests/{number}/notes", asked);
  return (items as Note[]).filter(({ system }) => system === true);
}

function lastApproval(notes: readonly Note[], id: unknown): string | null {
  const own = notes.filter(({ author, body }) => author?.id === id && body === "approved this merge request");
  const at = own.at(-1)?.created_at;
  return typeof at === "string" ? at : null;
}

type ReviewerState = { user?: Person | null; state?: unknown };

/** None on installations that do not tell what reviewers say. */
async function reviewers(calls: RepositoryCalls, number: number): Promise<ReviewerState[]> {
  try {
    return (await calls.list("/merge_requests/{number}/reviewers", { number })).items as ReviewerState[];
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

function arrayOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
