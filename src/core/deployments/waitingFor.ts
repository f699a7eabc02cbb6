/** The sentence that says what a deployment waits for. Pure. */
import { rfc3339 } from "../../platform/time/time.ts";
import { appliesByItself } from "./provenance.ts";
import type { DeploymentResource, RunResource } from "./resourceSchema.ts";

/** What the query of a deployment adds for this. */
export type WaitingFacts = {
  holder_status: string | null;
  held: boolean;
  hold_reason: string | null;
  served: boolean;
  /** It needs a wall, and all who would serve it and are there have none. */
  wall_missing: boolean;
  throttled_until: string | null;
};

const WALL_MISSING =
  "Only runners without a wall would take it, and a fork's preview never runs without one: start a runner with RUNNER_ISOLATION other than none, or let the stack's fork_runner_labels name a group that has one.";

type Waiting = Pick<
  DeploymentResource,
  "status" | "mode" | "branch" | "provenance" | "origin_type" | "blocked_by" | "queue_position" | "stages" | "gates"
>;

/** Null once the deployment is terminal: it waits for nothing. */
export function waitingFor(deployment: Waiting, facts: WaitingFacts): string | null {
  const run = deployment.stages.at(-1)?.run ?? null;
  switch (deployment.status) {
    case "queued":
      return forLane(deployment, facts);
    case "pending":
      return forRunner(run, facts);
    case "planning":
      return "The runner is planning.";
    case "applying":
      return run?.status === "pending" || run?.status === "assigned"
        ? forRunner(run, facts)
        : "The runner is applying.";
    case "waiting":
      return forPerson(deployment);
    case "requested_cancellation":
      return "The runner has been asked to stop and has not answered yet.";
    case "cancelling":
      return "The runner is stopping the engine.";
    default:
      return null;
  }
}

/** Whoever confirms should see what the plan alone does not show. */
function forPerson(deployment: Waiting): string {
  if (deployment.gates.length > 0) return deployment.gates.map(({ detail }) => detail).join(" ");
  if (deployment.mode === "plan_unlocked") return "A person has to confirm the preview.";
  const sentence = "A person has to look at the plan and confirm, replan or skip it.";
  if (appliesByItself(deployment)) return sentence;
  const known = deployment.provenance === "unknown" ? "is not known to be" : "is not";
  return `${sentence} Its commit ${known} on branch ${deployment.branch}.`;
}

function forLane({ blocked_by, queue_position }: Waiting, facts: WaitingFacts): string {
  if (facts.held && !blocked_by) return `The stack is on hold${facts.hold_reason ? `: ${facts.hold_reason}` : ""}.`;
  if (!blocked_by) return "It is next in the stack's queue.";
  return `Deployment ${blocked_by} holds the stack and is ${facts.holder_status}; this one is number ${queue_position} in the queue.`;
}

function forRunner(run: RunResource | null, facts: WaitingFacts): string {
  if (run?.status === "assigned") return "A runner has claimed the run and is starting.";
  if (!facts.served) return unserved(run?.runner_selector ?? {});
  if (facts.wall_missing) return WALL_MISSING;
  if (facts.throttled_until)
    return `The organization has used up its runs per hour until ${rfc3339(facts.throttled_until)}.`;
  return "A runner of a matching group has to take the run.";
}

function unserved(selector: Record<string, string>): string {
  const labels = Object.entries(selector).map(([key, value]) => `${key}=${value}`);
  if (labels.length === 0) return "The organization has no default runner group, and the stack names none.";
  return `No runner group has the labels ${labels.join(", ")}.`;
}
