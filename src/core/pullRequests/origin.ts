/** What a deployment keeps of the pull request it comes from. */
import type { PullRequestOrigin } from "../deployments/transitions/create.ts";
import type { StoredRequest } from "./projection.ts";

type Kept = Pick<StoredRequest, "id" | "number" | "generation" | "head_sha" | "title" | "url" | "body">;

export function originOf(request: Kept, eventId: string | null): PullRequestOrigin {
  const { id, number, generation, head_sha: headSha, title, url, body } = request;
  return { id, number, generation, headSha, title, url, body, eventId };
}
