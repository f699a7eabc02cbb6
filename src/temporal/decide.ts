/** Hands a person's decision to the deployment's workflow and waits for its end (design 2 rules 9 to 11). */
import type { DecisionKind } from "../../workflows/contract.ts";
import { workflowIds } from "../../workflows/contract.ts";
import type { WorkflowSubject } from "../outbox/message.ts";
import { deploymentStart, type Temporal } from "./client.ts";
import { TemporalUnavailable } from "./errors.ts";

/**
 * `answered`: the workflow carried the decision out; the answer is in its row. `missing`: there is no workflow because
 * the deployment is terminal or gone. `unavailable`: no one answered in time; the row alone knows what was done.
 */
export type DecisionOutcome = "answered" | "missing" | "unavailable";

export type Decider = {
  decide(deploymentId: string, kind: DecisionKind, decisionId: string, deadlineMs: number): Promise<DecisionOutcome>;
};

/** Between two tries, doubled up to the second and drawn at random, so that many refused callers do not come back at once. */
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 400;

/** `liveSubject` reads the row: null when the deployment is terminal or gone. It may throw; `decide` then does too. */
export function decider(
  temporal: Pick<Temporal, "update" | "start">,
  liveSubject: (deploymentId: string) => Promise<WorkflowSubject | null>,
): Decider {
  async function attempt(deploymentId: string, kind: DecisionKind, decisionId: string, deadlineMs: number) {
    const workflowId = workflowIds.deployment(deploymentId);
    const sent = { workflowId, name: kind, argument: decisionId, updateId: decisionId, deadlineMs };
    if ((await temporal.update(sent)) === "answered") return "answered";
    const subject = await liveSubject(deploymentId);
    if (subject === null) return "missing";
    await temporal.start(deploymentStart(subject));
    return "again";
  }

  return {
    async decide(deploymentId, kind, decisionId, deadlineMs) {
      const deadline = performance.now() + deadlineMs;
      for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
        const left = deadline - performance.now();
        if (left <= 0) return "unavailable";
        try {
          const outcome = await attempt(deploymentId, kind, decisionId, left);
          if (outcome !== "again") return outcome;
        } catch (error) {
          if (!(error instanceof TemporalUnavailable)) throw error;
          if (error.reason === "handler" || error.reason === "deadline") return "unavailable";
        }
        const wait = Math.min(pause * (0.5 + Math.random()), deadline - performance.now());
        await new Promise((resolve) => setTimeout(resolve, Math.max(wait, 0)));
      }
    },
  };
}
