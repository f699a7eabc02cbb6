/** Which deployments can be retried, and where a retry comes from. Pure. */
import { ProblemError } from "../../platform/problems/problem.ts";
import { type DeploymentMode, type DeploymentStatus, isTerminal } from "./lifecycle.ts";
import type { Provenance } from "./provenance.ts";
import type { OriginType } from "./schema.ts";
import type { DependencyOrigin, PullRequestOrigin, Snapshot } from "./transitions/create.ts";

export class RetryConflictError extends ProblemError {
  constructor(detail: string) {
    super({ status: 409, code: "conflict", detail });
  }
}

export type Retried = Snapshot & {
  id: string;
  stack_key: string;
  mode: DeploymentMode;
  status: DeploymentStatus;
  origin_type: OriginType;
  provenance: Provenance;
  needs_person: boolean;
  commit_sha: string;
  commit_message: string | null;
  commit_author: string | null;
  targets: string[];
  excludes: string[];
  replaces: string[];
  pull_request_id: string | null;
  origin_pr_number: number | null;
  origin_pr_generation: number | null;
  origin_head_sha: string | null;
  origin_pr_title: string | null;
  origin_pr_url: string | null;
  origin_pr_body: string | null;
  origin_scm_event_id: string | null;
  origin_dependency_deployment_id: string | null;
  cascade_stack_path: string[];
};

/** What the deployment's pull request is on its stack now. */
export type RequestLink = { latest_deployment_id: string | null; generation: number };

/** @throws RetryConflictError for one that has not ended, one whose source is not kept, and a check for drift */
export function assertRetriable({ status, mode, origin_type }: Pick<Retried, "status" | "mode" | "origin_type">): void {
  if (!isTerminal(status)) throw new RetryConflictError("Only a deployment that has ended can be retried.");
  if (mode === "drift") throw new RetryConflictError("A check for drift is not retried; ask for another.");
  if (origin_type === "local") throw new RetryConflictError("A local plan cannot be retried; upload its source again.");
}

/**
 * A preview must be the request's latest on this stack; a promoted one must be of the head that is reviewed now.
 * @throws RetryConflictError
 */
export function assertStillTheRequests(
  { id, origin_type, origin_pr_generation }: Pick<Retried, "id" | "origin_type" | "origin_pr_generation">,
  link: RequestLink | undefined,
): void {
  if (!link) throw new RetryConflictError("The pull request is closed, or does not touch the stack any more.");
  const latest = origin_type !== "pull_request" || link.latest_deployment_id === id;
  if (!latest || link.generation !== origin_pr_generation) {
    throw new RetryConflictError(
      "The pull request has a newer deployment or another head; this one is not its latest.",
    );
  }
}

/** Whether `assertRetriable` and `assertStillTheRequests` let it pass. */
export function isRetriable(
  retried: Pick<Retried, "id" | "status" | "mode" | "origin_type" | "origin_pr_generation" | "pull_request_id">,
  link: RequestLink | null,
): boolean {
  try {
    assertRetriable(retried);
    if (retried.pull_request_id) assertStillTheRequests(retried, link ?? undefined);
    return true;
  } catch (error) {
    if (error instanceof RetryConflictError) return false;
    throw error;
  }
}

/** The retry belongs to the cascade or the pull request that the retried one came from. */
export function originOf(retried: Retried): { pullRequest?: PullRequestOrigin; dependency?: DependencyOrigin } {
  const { origin_dependency_deployment_id: parent, cascade_stack_path: stackPath } = retried;
  if (parent !== null) return { dependency: { deploymentId: parent, stackPath } };
  if (retried.pull_request_id === null) return {};
  return {
    pullRequest: {
      id: retried.pull_request_id,
      number: retried.origin_pr_number ?? 0,
      generation: retried.origin_pr_generation ?? 0,
      headSha: retried.origin_head_sha ?? retried.commit_sha,
      title: retried.origin_pr_title ?? "",
      url: retried.origin_pr_url ?? "",
      body: retried.origin_pr_body ?? "",
      eventId: retried.origin_scm_event_id,
    },
  };
}
