/**
 * Hands a person's decision to the deployment's workflow and waits for its end
 * (docs/rules/transitions.md#a-decision-is-a-row).
 */
import { setTimeout as sleep } from "node:timers/promises";
import { DECIDE_MANY, type DecisionKind } from "../../../workflows/contract.ts";
import { workflowIds } from "../../../workflows/ids.ts";
import { grown, spread } from "../../platform/time/pause.ts";
import { Turns } from "../../platform/turns/turns.ts";
import type { WorkflowSubject } from "../../work/message.ts";
import type { Temporal } from "./client.ts";
import { TemporalUnavailable } from "./errors.ts";
import { deploymentStart } from "./starts.ts";

/**
 * `answered`: the workflow carried the decision out; the answer is in its row. `missing`: there is no workflow because
 * the deployment is terminal or gone. `unavailable`: no one answered in time; the row alone knows what was done.
 */
export type DecisionOutcome = "answered" | "missing" | "unavailable";

export type Decider = {
  decide(deploymentId: string, kind: DecisionKind, decisionId: string, deadlineMs: number): Promise<DecisionOutcome>;
  /** The same for a batch of decisions, which one of its deployments' workflows carries out. */
  decideMany(batchId: string, deadlineMs: number): Promise<DecisionOutcome>;
};

/** What the decider asks the rows. Both may throw; it then does too. */
export type DecisionRows = {
  /** Null when the deployment is terminal or gone. */
  liveSubject(deploymentId: string): Promise<WorkflowSubject | null>;
  /** The deployment, other than `but`, whose workflow had best carry the batch; null: nothing is left to carry out. */
  carrierOf(batchId: string, but?: string): Promise<WorkflowSubject | null>;
};

/**
 * Updates of one deployment sent at once by this process. The server takes ten; its refusal of an eleventh also drops
 * the task that carries the others, so that everyone starts over: 50 at once took 8 s, and take 1 s when they queue
 * here.
 */
const IN_FLIGHT = 3;

/**
 * Between two tries, doubled up to the second and drawn at random, so that many refused callers do not come back at
 * once.
 */
const PAUSE_MS = { first: 25, factor: 2, longest: 400 };

/** One try; `again`: after a pause, it may work. */
type Attempt = (leftMs: number) => Promise<"answered" | "missing" | "again">;

/** `onUnavailable` hears why a decision was given up. */
export function decider(
  temporal: Pick<Temporal, "update" | "start">,
  rows: DecisionRows,
  onUnavailable: (reason: TemporalUnavailable["reason"]) => void = () => {},
): Decider {
  const turns = new Turns(IN_FLIGHT);

  async function untilAnswered(deadlineMs: number, attempt: Attempt): Promise<DecisionOutcome> {
    const deadline = performance.now() + deadlineMs;
    const left = () => deadline - performance.now();
    let reason: TemporalUnavailable["reason"] = "busy";
    for (let failures = 1; left() > 0; failures++) {
      try {
        const outcome = await attempt(left());
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
  }

  return {
    async decide(deploymentId, kind, decisionId, deadlineMs) {
      const began = performance.now();
      await using turn = await turns.take(deploymentId, deadlineMs);
      const leftMs = turn.mine ? deadlineMs - (performance.now() - began) : 0;
      // Awaited here, so that the turn is kept until then.
      return await untilAnswered(leftMs, async (deadlineMs) => {
        const workflowId = workflowIds.deployment(deploymentId);
        const sent = { workflowId, name: kind, argument: decisionId, updateId: decisionId, deadlineMs };
        if ((await temporal.update(sent)) === "answered") return "answered";
        const subject = await rows.liveSubject(deploymentId);
        if (subject === null) return "missing";
        await temporal.start(deploymentStart(subject));
        return "again";
      });
    },

    async decideMany(batchId, deadlineMs) {
      let lost: string | undefined;
      return untilAnswered(deadlineMs, async (deadlineMs) => {
        const subject = await rows.carrierOf(batchId, lost);
        if (subject === null) return "missing";
        const { deploymentId } = subject;
        const workflowId = workflowIds.deployment(deploymentId);
        const sent = { workflowId, name: DECIDE_MANY, argument: batchId, updateId: batchId, deadlineMs };
        try {
          if ((await temporal.update(sent)) === "answered") return "answered";
        } catch (error) {
          // It may have been ended, asleep as it was, while it woke for this: another one can carry the batch.
          if (lost !== undefined || !(error instanceof TemporalUnavailable) || error.reason !== "handler") throw error;
          lost = deploymentId;
          return "again";
        }
        const still = await rows.carrierOf(batchId, lost);
        if (still?.deploymentId === deploymentId) await temporal.start(deploymentStart(still));
        return "again";
      });
    },
  };
}
