/** Whether a pull request can be promoted on a stack, as far as the stored rows and the host's answer say. Pure. */
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { NotFoundError } from "../../platform/problems/problem.ts";
import type { stacks } from "../stacks/schema.ts";
import {
  AlreadyDeployedError,
  BaseDivergedError,
  BaseUnknownError,
  PreviewNotFinishedError,
  RequirementsNotMetError,
} from "./errors.ts";
import type { Standing } from "./host.ts";
import { touches } from "./plan.ts";
import type { StoredRequest } from "./projection.ts";
import { reasonOf, unmet } from "./requirements.ts";

/** The request and its stack, read together. */
export type Candidate = StoredRequest &
  SqlRow<typeof stacks, "repository_url" | "branch" | "working_directory" | "pr_requirements"> & {
    latest_status: string | null;
    latest_generation: number | null;
    latest_sha: string | null;
    /** What the stack was last given; null when nothing counts. */
    stack_commit: string | null;
  };

/**
 * Only what has been looked at: the finished preview of the present head and base.
 * @param candidate null when no open request touches the stack
 * @throws NotFoundError, RequirementsNotMetError, PreviewNotFinishedError
 */
export function assertPromotable(candidate: Candidate | null): Candidate {
  if (!candidate) throw new NotFoundError();
  const missing = unmet(candidate.pr_requirements.promote, candidate);
  if (missing.length > 0) {
    const reasons = missing.map((condition) => ({ condition, reason: reasonOf(condition, candidate) }));
    throw new RequirementsNotMetError(reasons);
  }
  const { latest_status, latest_generation, latest_sha, generation, head_sha } = candidate;
  if (latest_status !== "finished" || latest_generation !== generation || latest_sha !== head_sha) {
    throw new PreviewNotFinishedError();
  }
  return candidate;
}

/**
 * Whether what the host was asked about is another now than in `before`, so that it has to be asked again.
 * @throws AlreadyDeployedError when the stack was given this very head meanwhile
 */
export function hasMoved(before: Candidate, now: Candidate): boolean {
  if (now.stack_commit === now.head_sha) throw new AlreadyDeployedError();
  const asked = ["head_sha", "stack_commit", "repository_url", "working_directory"] as const;
  return asked.some((name) => now[name] !== before[name]);
}

const WENT_ON =
  "The stack's commit holds changes outside its directory that this head lacks; look at the plan with that in mind.";
const TAKES_BACK = "The stack's commit changes files of its directory that this head lacks: the plan takes them back.";
const NOT_COMPARED =
  "Whether this head lacks something of the stack's commit could not be found out; look at the plan.";

/**
 * What whoever promotes should know of the commit the stack has, as the host compares them. A commit that the stack's
 * own already holds would take the stack back, whatever is forced.
 * @param standing null when there was nobody to ask @throws AlreadyDeployedError, BaseDivergedError, BaseUnknownError
 */
export function warningOf(
  standing: Standing | null,
  { working_directory }: Pick<Candidate, "working_directory">,
  force: boolean,
) {
  if (standing === null) return NOT_COMPARED;
  switch (standing.relation) {
    case "contained":
      throw new AlreadyDeployedError();
    case "ahead":
      return null;
    case "unknown":
      if (!force) throw new BaseUnknownError();
      return NOT_COMPARED;
    case "diverged":
      if (!touches(working_directory, standing.lacking)) return WENT_ON;
      if (!force) throw new BaseDivergedError();
      return TAKES_BACK;
  }
}
