/** Commit statuses on GitLab: jobs of a pipeline, which move from state to state and never to the one they are in. */
import type { CommitStatus } from "../../../../core/pullRequests/host.ts";
import type { RepositoryCalls } from "../client.ts";
import { HostError, isNotFound } from "../errors.ts";

const STATES = { pending: "pending", success: "success", failure: "failed", error: "failed" } as const;

/** @throws HostError */
export async function setStatus(calls: RepositoryCalls, status: CommitStatus): Promise<void> {
  try {
    await post(calls, status);
    return;
  } catch (error) {
    // A state that it has already is refused as well, whatever the text beside it.
    if (error instanceof HostError && error.failure === "unacceptable") {
      if (await isSet(calls, status)) return;
      throw error;
    }
    if (!isNotFound(error)) throw error;
  }
  // A commit that is on no branch of the project, as a fork's: the request's own name of it is given.
  const ref = await requestRef(calls, status.sha);
  if (ref === null) throw new HostError("not_found", 404);
  await post(calls, status, ref);
}

async function post(
  calls: RepositoryCalls,
  { sha, state, context, description, targetUrl }: CommitStatus,
  ref?: string,
): Promise<void> {
  await calls.call("POST", "/statuses/{sha}", {
    sha,
    state: STATES[state],
    name: context,
    description,
    ...(targetUrl !== null && { target_url: targetUrl }),
    ...(ref !== undefined && { ref }),
  });
}

async function isSet(calls: RepositoryCalls, { sha, state, context }: CommitStatus): Promise<boolean> {
  const { items } = await calls.list("/repository/commits/{sha}/statuses", { sha, name: context });
  return (items as { name?: unknown; status?: unknown }[]).some(
    ({ name, status }) => name === context && status === STATES[state],
  );
}

async function requestRef(calls: RepositoryCalls, sha: string): Promise<string | null> {
  const { data } = await calls.call("GET", "/repository/commits/{sha}/merge_requests", { sha });
  const open = (Array.isArray(data) ? data : []).find(({ state }: { state?: unknown }) => state === "opened");
  return Number.isSafeInteger(open?.iid) ? `refs/merge-requests/${open.iid}/head` : null;
}
