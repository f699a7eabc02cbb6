/** Whether a pull request can be promoted on a stack, as far as the stored rows say. Pure. */
import { NotFoundError } from "../../platform/problems/problem.ts";
import type { PrRequirements } from "../stacks/schema.ts";
import { AlreadyDeployedError, PreviewNotFinishedError, RequirementsNotMetError } from "./errors.ts";
import type { StoredRequest } from "./projection.ts";
import { unmet } from "./requirements.ts";

export type Candidate = StoredRequest & {
  latest_status: string | null;
  latest_generation: number | null;
  latest_sha: string | null;
  /** What the stack was last given; null when nothing counts. */
  stack_commit: string | null;
};

/**
 * Only what has been looked at: the finished preview of the present head and base. @param candidate null when no open request touches
 * the stack @throws NotFoundError, RequirementsNotMetError, PreviewNotFinishedError
 */
export function assertPromotable(candidate: Candidate | null, { promote }: PrRequirements): Candidate {
  if (!candidate) throw new NotFoundError();
  const missing = unmet(promote, candidate);
  if (missing.length > 0) throw new RequirementsNotMetError(missing);
  const { latest_status, latest_generation, latest_sha, generation, head_sha } = candidate;
  if (latest_status !== "finished" || latest_generation !== generation || latest_sha !== head_sha) {
    throw new PreviewNotFinishedError();
  }
  return candidate;
}

/**
 * Whether another head or another commit of the stack than `before` is there now, so that the host has to be asked again.
 * @throws AlreadyDeployedError when the stack was given this very head meanwhile
 */
export function hasMoved(before: Candidate, now: Candidate): boolean {
  if (now.stack_commit === now.head_sha) throw new AlreadyDeployedError();
  return now.head_sha !== before.head_sha || now.stack_commit !== before.stack_commit;
}
