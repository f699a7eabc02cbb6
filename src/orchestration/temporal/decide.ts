/**
 * Hands a person's decision to the deployment's workflow and waits for its end
 * (docs/rules/transitions.md#a-decision-is-a-row).
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { DecisionKind } from "../../../workflows/contract.ts";
import { workflowIds } from "../../../workflows/ids.ts";
import { grown, spread } from "../../platform/time/pause.ts";
import type { WorkflowSubject } from "../../work/message.ts";
import { deploymentStart, type Temporal } from "./client.ts";
import { TemporalUnavailable } from "./errors.ts";
import { Turns } from "./turns.ts";

/**
 * `answered`: the workflow carried the decision out; the answer is in its row. `missing`: there is no workflow because
 * the deployment is terminal or gone. `unavailable`: no one answered in time; the row alone knows what was done.
 */
export type DecisionOutcome = "answered" | "missing" | "unavailable";

export type Decider = {
  decide(deploymentId: string, kind: DecisionKind, decisionId: string, deadlineMs: number): Promise<DecisionOutcome>;
};

/**
 * Updates of one deployment sent at once by this process. The server takes ten; its refusal of an eleventh also drops the
 * task that carries the others, so that everyone starts over: 50 at once took 8 s, and take 1 s when they queue here.
 */
const IN_FLIGHT = 3;

/** Between two tries, doubled up to the second and drawn at random, so that many refused callers do not come back at once. */
const PAUSE_MS = { first: 25, factor: 2, longest: 400 };

/**
 * `liveSubject` reads the row: null when the deployment is terminal or gone. It may throw; `decide` then does too.
 * `onUnavailable` hears why a decision was given up.
 */
export function decider(
  temporal: Pick<Temporal, "update" | "start">,
  liveSubject: (deploymentId: string) => Promise<WorkflowSubject | null>,
  onUnavailable: (reason: TemporalUnavailable["reason"]) => void = () => {},
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

  const turns = new Turns(IN_FLIGHT);

  return {
    async decide(deploymentId, kind, decisionId, deadlineMs) {
      const deadline = performance.now() + deadlineMs;
      const left = () => deadline - performance.now();
      await using turn = await turns.take(deploymentId, deadlineMs);
      let reason: TemporalUnavailable["reason"] = "busy";
      for (let failures = 1; turn.mine && left() > 0; failures++) {
        try {
          const outcome = await attempt(deploymentId, kind, decisionId, left());
          if (outcome !== "again") return outcome;
        } catch (error) {
          if (!(error instanceof TemporalUnavailable)) throw error;
          reason = error.reason;
          if (reason === "handler" || reason === "deadline") break;
        }
        const pause = spread(grown(PAUSE_MS, failures), [0.5, 1.5], Math.random());
        await sleep(Math.max(Math.min(pause, left()), 0));
      }
      onUnavailable(reason);
      return "unavailable";
    },
  };
}
