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

/** Change the comment made before; one that is gone is found by its marker or made anew. @returns its id @throws HostError */
export async function upsertComment(
  calls: RepositoryCalls,
  { number, commentId, marker, body }: PreviewComment,
): Promise<string> {
  if (commentId !== null && (await changed(calls, commentId, body))) return commentId;
  const { items } = await calls.list("/issues/{number}/comments", { number });
  const marked = (items as { id?: unknown; body?: unknown }[]).filter((item) => String(item.body).includes(marker));
  for (const { id } of marked) if (await changed(calls, String(id), body)) return String(id);
  const { data } = await calls.call("POST", "/issues/{number}/comments", { number, body });
  return String((data as { id?: unknown }).id);
}

/** False when it is gone, or is somebody else's who copied our marker. */
async function changed(calls: RepositoryCalls, id: string, body: string): Promise<boolean> {
  try {
    await calls.call("PATCH", "/issues/comments/{id}", { id, body });
    return true;
  } catch (error) {
    if (isNotFound(error) || (error instanceof HostError && error.failure === "refused" && error.status === 403)) {
      return false;
    }
    throw error;
  }
}
