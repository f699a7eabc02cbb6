/**
 * What a pull request's present state means for one stack (docs/source-control.md#previews). Pure: rows in, steps
 * out.
 */

import type { SqlRow } from "../../platform/db/sqlRow.ts";
import type { deployments } from "../deployments/schema.ts";
import type { WithdrawnFor } from "../deployments/transitions/withdrawPreview.ts";
import type { stacks } from "../stacks/schema.ts";
import { type Conditions, verdict } from "./requirements.ts";
import type { pullRequests } from "./schema.ts";

export type TouchingRequest = Conditions &
  SqlRow<typeof pullRequests, "is_fork" | "generation"> & {
    files: { paths: readonly string[]; complete: boolean };
  };

export type StackSettings = SqlRow<
  typeof stacks,
  "working_directory" | "pr_plan_mode" | "fork_previews" | "pr_requirements"
>;

/** A preview that has not ended, or one of the present generation. */
export type KnownPreview = SqlRow<typeof deployments, "id" | "status" | "skipped_reason"> & {
  generation: number;
  /** Made by the service and not by a person's retry. */
  automatic: boolean;
};

export type Steps = {
  /** Previews to take back; one that has ended meanwhile stays as it is. */
  withdraw: { id: string; reason: WithdrawnFor }[];
  link: "add" | "keep" | "remove" | "none";
  create: "parked" | "pending" | null;
};

const ENDED = ["finished", "failed", "cancelled", "skipped"];
const LEAVING = ["requested_cancellation", "cancelling"];

/**
 * Whether the request changes a file below the stack's directory; one whose files are not all known touches every
 * stack.
 */
export function touches(workingDirectory: string, files: TouchingRequest["files"]): boolean {
  if (workingDirectory === "." || !files.complete) return true;
  return files.paths.some((path) => path === workingDirectory || path.startsWith(`${workingDirectory}/`));
}

/**
 * The steps for one stack. `request` is null when the pull request is not open any more, `stack` when the stack is not
 * one of the request's base branch.
 */
export function planSteps(
  request: TouchingRequest | null,
  stack: StackSettings | null,
  linked: boolean,
  previews: readonly KnownPreview[],
): Steps {
  const live = previews.filter(({ status }) => !ENDED.includes(status) && !LEAVING.includes(status));
  const takeBack = (reason: WithdrawnFor, which = live) => which.map(({ id }) => ({ id, reason }));
  const gone = linked ? "remove" : "none";
  if (!request) return { withdraw: takeBack("pull_request_closed"), link: gone, create: null };
  if (!stack || !touches(stack.working_directory, request.files)) {
    return { withdraw: takeBack("retracted"), link: gone, create: null };
  }
  const older = live.filter(({ generation }) => generation < request.generation);
  const current = previews.find(
    (p) => p.automatic && p.generation === request.generation && p.skipped_reason !== "retracted",
  );
  const plan = verdict(stack.pr_requirements.plan, request);
  const refused = plan === "refused" && current?.status === "waiting" ? [current] : [];
  return {
    withdraw: [...takeBack("superseded", older), ...takeBack("retracted", refused)],
    link: linked ? "keep" : "add",
    create: current || plan !== "met" ? null : parked(request, stack) ? "parked" : "pending",
  };
}

/** Code from a fork is looked at by a person first, unless the stack trusts forks. */
function parked(request: TouchingRequest, stack: StackSettings): boolean {
  return stack.pr_plan_mode === "manual" || (request.is_fork && !stack.fork_previews);
}

export function isIdle({ withdraw, link, create }: Steps): boolean {
  return withdraw.length === 0 && (link === "keep" || link === "none") && create === null;
}
