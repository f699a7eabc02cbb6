/** Commit statuses and comments. */
import type { CommitStatus, PreviewComment } from "../../../core/pullRequests/host.ts";
import type { RepositoryCalls } from "./client.ts";
import { HostError, isNotFound } from "./errors.ts";

/** @throws HostError */
export async function setCommitStatus(calls: RepositoryCalls, status: CommitStatus): Promise<void> {
  await calls.call("POST", "/statuses/{sha}", {
    sha: status.sha,
    state: status.state,
    context: status.context,
    description: status.description,
    ...(status.targetUrl !== null && { target_url: status.targetUrl }),
  });
}

/** How a host calls comments of a request. */
export type CommentCalls = { all: string; one: string; change: string; order: Record<string, string> };

const ISSUES: CommentCalls = {
  all: "/issues/{number}/comments",
  one: "/issues/comments/{id}",
  change: "PATCH",
  order: {},
};

/**
 * Change the comment made before; one that is gone is found by its marker or made anew. One that the host does not let
 * us change is never doubled.
 * @returns its id
 * @throws HostError
 */
export async function upsertComment(
  calls: RepositoryCalls,
  { number, commentId, marker, body }: PreviewComment,
  words = ISSUES,
): Promise<string> {
  const change = (id: string) => changed(calls, words, { number, id, body });
  const own = commentId === null ? "gone" : await change(commentId);
  if (own === "changed" && commentId !== null) return commentId;
  // Ours, so the credentials do not allow it now; a second comment would stay beside it for ever.
  if (own === "foreign") throw new HostError("refused", 403);
  const { items, complete } = await calls.list(words.all, { number, ...words.order });
  const marked = (items as { id?: unknown; body?: unknown }[]).filter((item) => String(item.body).includes(marker));
  for (const { id } of marked) if ((await change(String(id))) === "changed") return String(id);
  // Ours may be on a page that was not read.
  if (!complete) throw new HostError("nonsense");
  const { data } = await calls.call("POST", words.all, { number, body });
  return String((data as { id?: unknown }).id);
}

/** `foreign`: the host does not let us, as with somebody else's who copied our marker. */
async function changed(
  calls: RepositoryCalls,
  { one, change }: CommentCalls,
  { number, id, body }: { number: number; id: string; body: string },
): Promise<"changed" | "gone" | "foreign"> {
  // What the address has no place for would go into the body.
  const named = one.includes("{number}") ? { number, id } : { id };
  try {
    await calls.call(change, one, { ...named, body });
    return "changed";
  } catch (error) {
    if (isNotFound(error)) return "gone";
    if (error instanceof HostError && error.failure === "refused" && error.hostStatus === 403) return "foreign";
    throw error;
  }
}
