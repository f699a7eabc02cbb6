/**
 * Watches one deployment: carries out decisions, lets its deadlines act, ends when it is terminal
 * (docs/rules/workflows.md#what-each-watches).
 */
import {
  continueAsNew,
  defineQuery,
  defineSignal,
  defineUpdate,
  proxyActivities,
  setHandler,
} from "@temporalio/workflow";
import { core } from "./activities.ts";
import { SLOW_WORK } from "./activityOptions.ts";
import {
  DECIDE_MANY,
  DECISION_KINDS,
  DEPLOYMENT_SIGNALS,
  DEPLOYMENT_WAKES,
  STATE_QUERY,
  TASK_QUEUES,
} from "./contract.ts";
import { watchRow } from "./rowWatch.ts";
import type { BatchResult, DecisionResult, DeploymentView, PolicyActivities, WaitingFor } from "./views.ts";

const AWAITED: Record<WaitingFor, string> = {
  lane: "the stack's lane",
  run: "its run",
  person: "a person to confirm",
  policies: "its policies to be evaluated",
  cancellation: "the runner to stop",
};

/**
 * Only an outage of our own fails it, and a deadline of the row ends the wait; what nobody waits for is not tried for
 * ever.
 */
const EVALUATION = { taskQueue: TASK_QUEUES.tasks, ...SLOW_WORK, scheduleToCloseTimeout: "10 minutes" } as const;
const policies = proxyActivities<PolicyActivities>(EVALUATION);

export async function deployment(deploymentId: string): Promise<{ ended: string }> {
  const row = watchRow<DeploymentView>({
    read: () => core("readDeployment", [deploymentId], "read the deployment"),
    due: () => core("deploymentDeadline", [deploymentId], "a deadline came"),
    isOver: (view) => view.terminal || !view.found,
    deadlineMs: (view) => view.deadlineMs,
    describe,
    beside: {
      of: (view) => view.evaluationId ?? null,
      begin: (id) =>
        policies.evaluatePlan.executeWithOptions({ ...EVALUATION, summary: "its policies" }, [deploymentId, id]),
    },
  });
  for (const kind of DECISION_KINDS) {
    setHandler(defineUpdate<DecisionResult, [string]>(kind), async (decisionId) => {
      const decide = () => core("decide", [deploymentId, decisionId], `a person's decision: ${kind}`);
      return (await row.take(decide, (answer) => answer.view)).result;
    });
  }
  setHandler(defineUpdate<BatchResult, [string]>(DECIDE_MANY), async (batchId) => {
    const decideMany = () => core("decideMany", [deploymentId, batchId], "a person's decision on many");
    return (await row.take(decideMany, (answer) => answer.view)).result;
  });
  for (const signal of DEPLOYMENT_SIGNALS) setHandler(defineSignal(signal), row.reread);
  for (const wake of DEPLOYMENT_WAKES) setHandler(defineUpdate<void>(wake), row.reread);
  setHandler(defineQuery<DeploymentView | null>(STATE_QUERY), row.view);

  const end = await row.untilOver();
  if (end.continueAsNew) return continueAsNew<typeof deployment>(deploymentId);
  return { ended: end.view.found ? end.view.status : "absent" };
}

/** "plan, stack network-prod: waiting for a person to confirm since 2026-01-31T09:30:00Z". */
function describe(view: DeploymentView): string {
  if (!view.found) return "the deployment is gone";
  const what = `${view.mode}, stack ${view.stack}`;
  if (view.terminal) return `${what}: ${view.status}`;
  if (view.waitingFor === null) return `${what}: ${view.status}`;
  const since = view.since === null ? "" : ` since ${view.since}`;
  return `${what}: waiting for ${AWAITED[view.waitingFor]}${since}`;
}
