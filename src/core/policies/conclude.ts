/** The end of an evaluation: its results, the gate, and what follows for the deployment, in one transaction. */
import { sql } from "drizzle-orm";
import type { Service } from "../../work/service.ts";
import { unitOfWork, type Work } from "../../work/unitOfWork.ts";
import { requireApprovals } from "../approvals/requireApprovals.ts";
import type { Change } from "../deployments/change.ts";
import { afterGates } from "../deployments/decideRunEnd.ts";
import { type Lane, type LaneRun, lockLane } from "../deployments/lane.ts";
import { waitingPlan } from "../deployments/possible.ts";
import { rereadMessages, type Via } from "../deployments/transitions/messages.ts";
import { writeChange } from "../deployments/writeChange.ts";
import { writeLog } from "../deployments/writeLog.ts";
import { closeGates, openGate } from "../gates/write.ts";
import type { PolicyResult } from "./result.ts";
import type { Outcome } from "./schema.ts";
import { denial, denying, type Verdict, verdictOf } from "./verdict.ts";

const LONGEST_REASON = 500;

/** Once; of a plan that nobody waits for any more nothing follows. */
export async function conclude(
  service: Service,
  { deploymentId, evaluationId }: { deploymentId: string; evaluationId: string },
  results: readonly PolicyResult[],
): Promise<void> {
  await unitOfWork(service, async (work) => {
    const lane = await lockLane(work.tx, deploymentId);
    if (lane) await concludeLocked(work, lane, evaluationId, results, "api");
  });
}

/** The same under the lane's lock. */
export async function concludeLocked(
  work: Work,
  lane: Lane,
  evaluationId: string,
  results: readonly PolicyResult[],
  via: Via,
): Promise<void> {
  const plan = lane.deployment.status === "waiting" ? waitingPlan(lane.runs) : undefined;
  const verdict = verdictOf(results);
  const before = plan && (await store(work, { evaluationId, planRunId: plan.id }, verdict, results));
  if (!plan || before === undefined) return;
  await writeGate(work, lane, plan, verdict, results);
  const asked = await ask(work, lane, plan, verdict, before);
  const change = follow(asked, plan, { ...verdict, ...whyOf(results) }, before);
  await (change.deployment ? writeChange(work, lane, change) : writeLog(work, lane, change));
  work.messages.push(...rereadMessages(lane, via));
}

/**
 * Undefined: it has ended already, or its plan is not the one that waits. Else what an earlier evaluation of the plan
 * came to, null where there was none.
 */
async function store(
  { tx }: Work,
  { evaluationId, planRunId }: { evaluationId: string; planRunId: string },
  { outcome }: Verdict,
  results: readonly PolicyResult[],
): Promise<Outcome | null | undefined> {
  const [row] = await tx.execute<{ before: Outcome | null }>(sql`
    update policy_evaluations e set status = 'done', outcome = ${outcome}, results = ${JSON.stringify(results)}::jsonb, completed_at = svc_now()
    where e.id = ${evaluationId} and e.status = 'pending' and e.plan_run_id = ${planRunId}
    returning (select p.outcome from policy_evaluations p where p.plan_run_id = e.plan_run_id and p.status = 'done' and p.id < e.id
      order by p.id desc limit 1) as before`);
  return row?.before;
}

/** What the policies ask for in approvals replaces what they asked for before. The lane, with what that comes to. */
async function ask({ tx }: Work, lane: Lane, plan: LaneRun, verdict: Verdict, before: Outcome | null): Promise<Lane> {
  const { id: deploymentId, org_id: orgId } = lane.deployment;
  if (verdict.approvals.length === 0 && before === null) return lane;
  await requireApprovals(tx, { orgId, deploymentId, planRunId: plan.id }, "policy", verdict.approvals);
  return (await lockLane(tx, deploymentId)) ?? lane;
}

async function writeGate(
  { tx }: Work,
  { deployment, now }: Lane,
  plan: LaneRun,
  { outcome, until }: Verdict,
  results: readonly PolicyResult[],
): Promise<void> {
  const of = { deploymentId: deployment.id, planRunId: plan.id };
  const dueMs = until === null ? undefined : Math.max(until.getTime() - Date.parse(now), 0);
  if (outcome === "denied") {
    await closeGates(tx, of, [{ ...denial(results), ...(dueMs !== undefined && { dueMs }) }]);
  } else if (dueMs === undefined) {
    await openGate(tx, deployment.id, "policy");
  } else {
    const detail = "The hour has come at which the organization's policies have to look at the plan again.";
    await closeGates(tx, of, [{ gate: "policy", code: "policy_pending", detail, dueMs, openUntilDue: true }]);
  }
}

/** Who denies, and why, as far as a message has room. */
function whyOf(results: readonly PolicyResult[]): { policies: string; reason: string } {
  const policies = denying(results)
    .map(({ name }) => name)
    .join(", ");
  return { policies, reason: denial(results).detail.slice(0, LONGEST_REASON).toWellFormed() };
}

/** Pure. What a deployment does once its policies have looked: people are called when something has become another. */
function follow(
  lane: Lane,
  plan: LaneRun,
  { outcome, policies, reason }: Pick<Verdict, "outcome"> & { policies: string; reason: string },
  before: Outcome | null,
): Change {
  if (outcome === "denied") {
    if (before === "denied") return { event: { name: "policy_evaluated", data: { outcome } } };
    const activity = [{ kind: "policy_denied" as const, actor: null, details: { plan_run_id: plan.id, policies } }];
    return { activity, event: { name: "deployment_policy_denied", data: { slug: lane.stack.slug, policies, reason } } };
  }
  const called: Change = {
    event: { name: "deployment_waiting_for_confirmation", data: { slug: lane.stack.slug } },
  };
  const known: Change = { event: { name: "policy_evaluated", data: { outcome } } };
  const next = outcome === "passed" ? afterGates(lane, plan, plan.plan_summary ?? null) : null;
  // It waits already.
  if (next?.deployment?.to === "applying") return { ...next, stage: "done" };
  const isNews = before === null || before === "denied";
  if (!isNews) return known;
  const suppressed = next?.activity ?? (lane.stack.auto_approve_mode === "manual" ? [] : [suppressedBy(lane)]);
  return { ...called, activity: suppressed };
}

function suppressedBy({ stack }: Lane): NonNullable<Change["activity"]>[number] {
  const details = { mode: stack.auto_approve_mode, reason: "policy_warned" };
  return { kind: "auto_approve_suppressed", actor: null, details };
}
