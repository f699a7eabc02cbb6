/**
 * Carry out a decision row: one transaction that decides, writes and stores the answer
 * (docs/rules/transitions.md#a-decision-is-a-row).
 */
import { sql } from "drizzle-orm";
import type { DecisionResult } from "../../../../workflows/views.ts";
import { recordAudit } from "../../../people/audit/record.ts";
import type { Tx } from "../../../platform/db/client.ts";
import type { SqlRow } from "../../../platform/db/sqlRow.ts";
import { NotFoundError, type ProblemCode, ProblemError } from "../../../platform/problems/problem.ts";
import type { Actor } from "../../../work/domainEvent.ts";
import type { Service } from "../../../work/service.ts";
import { unitOfWork, type Work } from "../../../work/unitOfWork.ts";
import { candidatesText } from "../../approvals/candidates.ts";
import { storeReview } from "../../approvals/storeReview.ts";
import { GateClosedError } from "../../gates/gate.ts";
import { gatesBeforeApply, isLeftToPeople, POLICY_PENDING } from "../../gates/policyGate.ts";
import { closeGates } from "../../gates/write.ts";
import type { Change, DecisionEffect } from "../change.ts";
import { viewerOf } from "../dependencyOrigin.ts";
import { type Lane, liveRun, lockLane } from "../lane.ts";
import { closedOf } from "../laneGates.ts";
import { waitingPlan } from "../possible.ts";
import { readDeployment } from "../resource.ts";
import type { DeploymentResource } from "../resourceSchema.ts";
import type { decisions } from "../schema.ts";
import { writeChange } from "../writeChange.ts";
import { writeLog } from "../writeLog.ts";
import type { DecisionArguments } from "./decisionArguments.ts";
import { DECISIONS } from "./decisions.ts";
import { decideGoOn } from "./goOn.ts";
import { rereadMessages, type Via } from "./messages.ts";

/** What the row holds once the decision ended. `expired` means that nothing was done nor will be. */
export type DecisionAnswer =
  | { outcome: "done"; deployment: DeploymentResource; warning?: string }
  | { outcome: "conflict"; status: number; code: ProblemCode; detail: string }
  | { outcome: "expired" };

/** Who decides what. */
export type Decision = SqlRow<typeof decisions, "kind" | "principal_id" | "principal_kind"> & {
  arguments: DecisionArguments;
};

type DecisionRow = Decision &
  SqlRow<typeof decisions, "deployment_id"> & { answer: DecisionAnswer | null; expired: boolean };

/**
 * Carry out `decisionId` once. A repeat, and a decision another process carried out, give the stored result; a decision
 * past its `expires_at` is refused for ever.
 */
export async function carryOutDecision(
  service: Service,
  decisionId: string,
  via: Via = "deployment",
): Promise<DecisionResult> {
  return unitOfWork(service, async (work) => {
    const decision = await lockDecision(work.tx, decisionId);
    if (!decision) return { outcome: "missing" };
    if (decision.answer) return { outcome: decision.answer.outcome };
    const answer: DecisionAnswer = decision.expired ? { outcome: "expired" } : await answerTo(work, decision, via);
    await storeAnswer(work.tx, decisionId, answer);
    return { outcome: answer.outcome };
  });
}

async function lockDecision(tx: Tx, decisionId: string): Promise<DecisionRow | null> {
  const [row] = await tx.execute<DecisionRow>(sql`
    select *, expires_at <= svc_now() as expired from decisions where id = ${decisionId} for no key update`);
  return row ?? null;
}

async function storeAnswer(tx: Tx, decisionId: string, answer: DecisionAnswer): Promise<void> {
  await tx.execute(sql`
    update decisions set answer = ${JSON.stringify(answer)}::jsonb, answered_at = svc_now() where id = ${decisionId} and answer is null`);
}

async function answerTo(work: Work, decision: DecisionRow, via: Via): Promise<DecisionAnswer> {
  const lane = await lockLane(work.tx, decision.deployment_id);
  if (!lane) return conflict(new NotFoundError());
  const actor = actorOf(decision);
  const effect = effectOf(lane, decision, via);
  if ("conflict" in effect) return withCandidates(work.tx, lane, effect.conflict);
  const { change, priority, review, brokeGlass, warning } = effect;
  if (change && (await letPoliciesLookFirst(work, lane, change, via)))
    return conflict(new GateClosedError(POLICY_PENDING));
  if (review) await storeReview(work.tx, { ...lane.deployment, at: lane.now }, actor, review);
  if (change) await writeChange(work, lane, change);
  if (review?.verdict === "approve") await goOn(work, lane, via);
  if (brokeGlass) await recordBrokenGlass(work.tx, lane, actor, brokeGlass);
  if (priority) await writePriority(work, lane, actor, priority);
  return {
    outcome: "done",
    deployment: await readDeployment(work.tx, viewerOf(actor, lane.deployment.org_id), lane.deployment.id),
    ...(warning ? { warning } : {}),
  };
}

/** What waited for this approval alone goes on by itself, where the stack's policy applies it. */
async function goOn(work: Work, before: Lane, via: Via): Promise<void> {
  const plan = waitingPlan(before.runs);
  if (!plan || !closedOf(before, plan).some(({ gate }) => gate === "approvals")) return;
  const lane = await lockLane(work.tx, before.deployment.id);
  const change = lane && decideGoOn(lane, via);
  if (!lane || !change || (await isLeftToPeople(work.tx, plan.id))) return;
  if (!(await letPoliciesLookFirst(work, lane, change, via))) await writeChange(work, lane, change);
}

/** Before an apply, policies look that count by now and have not seen it. True: it waits, and needs another word. */
async function letPoliciesLookFirst(work: Work, lane: Lane, change: Change, via: Via): Promise<boolean> {
  const plan = waitingPlan(lane.runs);
  if (change.open?.kind !== "apply_run" || !plan) return false;
  const { id: deploymentId, org_id: orgId, stack_key: stackKey, mode } = lane.deployment;
  const of = { orgId, stackKey, deploymentId, planRunId: plan.id, mode, labels: lane.stack.labels };
  const gates = await gatesBeforeApply(work.tx, of);
  if (gates.length === 0) return false;
  await closeGates(work.tx, of, gates);
  await writeLog(work, lane, { event: { name: "policy_evaluation_started" } });
  work.messages.push(...rereadMessages(lane, via));
  return true;
}

/** A confirmation that lacks approvals says who could give them. */
async function withCandidates(tx: Tx, { deployment }: Lane, answer: DecisionAnswer): Promise<DecisionAnswer> {
  if (answer.outcome !== "conflict" || answer.code !== "approvals_missing") return answer;
  return { ...answer, detail: `${answer.detail} ${await candidatesText(tx, deployment.id)}` };
}

async function recordBrokenGlass(
  tx: Tx,
  { deployment, stack }: Lane,
  actor: Actor,
  { reason, missing }: NonNullable<DecisionEffect["brokeGlass"]>,
): Promise<void> {
  const details = { stack_id: stack.slug, reason, missing: missing.map(({ source, name }) => `${source} ${name}`) };
  await recordAudit(tx, {
    orgId: deployment.org_id,
    actor,
    action: "deployment.break_glass",
    resourceId: deployment.id,
    details,
  });
}

/** What the decision does to the locked lane, or the conflict that is its answer. Pure. */
export function effectOf(lane: Lane, decision: Decision, via: Via): DecisionEffect | { conflict: DecisionAnswer } {
  try {
    return DECISIONS[decision.kind](lane, actorOf(decision), decision.arguments, via);
  } catch (error) {
    if (error instanceof ProblemError && error.code) return { conflict: conflict(error) };
    throw error;
  }
}

export function conflict({ status, code, detail }: ProblemError): DecisionAnswer {
  if (!code) throw new Error("a conflict has a code");
  return { outcome: "conflict", status, code, detail };
}

export function actorOf({ principal_id, principal_kind }: Decision): Actor {
  return { id: principal_id, kind: principal_kind };
}

/** Set or clear the priority of a deployment and of its unclaimed run; later runs inherit it. */
async function writePriority({ tx }: Work, lane: Lane, actor: Actor, priority: "set" | "clear"): Promise<void> {
  const at = priority === "set" ? lane.now : null;
  await tx.execute(sql`
    with deployment as (
      update deployments set prioritized_at = ${at}::timestamptz, prioritized_by = ${priority === "set" ? actor.id : null}::text
      where id = ${lane.deployment.id}
    )
    update runs set prioritized_at = ${at}::timestamptz where id = ${liveRun(lane)?.id ?? null}::uuid`);
}
