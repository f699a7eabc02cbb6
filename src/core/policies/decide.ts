/** What people do about a denial: have the policies look again, or override them with a reason. */
import { sql } from "drizzle-orm";
import type { Subject } from "../../http/principal.ts";
import { recordAudit } from "../../people/audit/record.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { holdRoom } from "../../work/atMost.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork, type Work } from "../../work/unitOfWork.ts";
import { InvalidTransitionError, PlanChangedError } from "../deployments/errors.ts";
import { type Lane, type LaneRun, lockLane } from "../deployments/lane.ts";
import { waitingPlan } from "../deployments/possible.ts";
import { rereadMessages } from "../deployments/transitions/messages.ts";
import { writeLog } from "../deployments/writeLog.ts";
import { openGate } from "../gates/write.ts";
import { beginEvaluation, pendingEvaluation } from "./begin.ts";
import type { PolicyResult } from "./result.ts";
import { denying } from "./verdict.ts";

type About = { orgId: string; deploymentId: string };

/** Each is kept with all that was said. */
const MOST_ASKED = 100;

class NothingDeniedError extends ProblemError {
  constructor() {
    super({ status: 409, code: "conflict", detail: "No policy denies the plan that waits." });
  }
}

/**
 * Begins an evaluation of the plan that waits; one that is under way is enough.
 * @throws InvalidTransitionError, TooManyError
 */
export async function evaluateAgain(service: Service, subject: Subject, about: About): Promise<void> {
  await onWaitingPlan(service, about.deploymentId, "evaluate", async (work, lane, plan) => {
    if ((await pendingEvaluation(work.tx, plan.id)) !== null) return;
    const asked = sql`select count(*) from policy_evaluations where plan_run_id = ${plan.id} and requested_by is not null`;
    await holdRoom(work.tx, about.orgId, asked, MOST_ASKED, "evaluations of one plan that somebody asked for");
    await beginEvaluation(work.tx, lane.deployment, plan.id, subject);
    await audit(work, subject, about, "deployment.evaluate_policies", { plan_run_id: plan.id });
    await writeLog(work, lane, {
      activity: [{ kind: "policy_evaluation_requested", actor: subject }],
      event: { name: "policy_evaluation_started", actor: subject },
    });
  });
}

/**
 * The plan that waits may be applied although policies deny it.
 * @throws InvalidTransitionError, PlanChangedError, NothingDeniedError
 */
export async function overridePolicies(
  service: Service,
  subject: Subject,
  about: About,
  { reason, planRunId }: { reason: string; planRunId: string },
): Promise<void> {
  await onWaitingPlan(service, about.deploymentId, "override", async (work, lane, plan) => {
    if (plan.id !== planRunId) throw new PlanChangedError();
    const overridden = await work.tx.execute<{ id: string; results: PolicyResult[] }>(sql`
      update policy_evaluations e set overridden_by = ${subject.id}, overridden_by_kind = ${subject.kind}, overridden_at = svc_now(),
        override_reason = ${reason}
      where e.plan_run_id = ${plan.id} and e.outcome = 'denied' and e.overridden_at is null
        and e.id = (select l.id from policy_evaluations l where l.plan_run_id = e.plan_run_id order by l.id desc limit 1)
      returning e.id, e.results`);
    const [evaluation] = overridden;
    if (!evaluation) throw new NothingDeniedError();
    await openGate(work.tx, about.deploymentId, "policy");
    const policies = denying(evaluation.results)
      .map(({ name }) => name)
      .join(", ");
    const details = { plan_run_id: plan.id, reason, policies };
    await audit(work, subject, about, "deployment.override_policies", { ...details, evaluation_id: evaluation.id });
    await writeLog(work, lane, {
      activity: [{ kind: "policy_overridden", actor: subject, details }],
      event: {
        name: "deployment_policy_overridden",
        actor: subject,
        data: { slug: lane.stack.slug, policies, reason },
      },
    });
  });
}

async function onWaitingPlan(
  service: Service,
  deploymentId: string,
  word: string,
  act: (work: Work, lane: Lane, plan: LaneRun) => Promise<void>,
): Promise<void> {
  await unitOfWork(service, async (work) => {
    const lane = await lockLane(work.tx, deploymentId);
    const plan = lane?.deployment.status === "waiting" ? waitingPlan(lane.runs) : undefined;
    if (!lane || !plan) throw new InvalidTransitionError(word, lane?.deployment.status ?? "gone");
    await act(work, lane, plan);
    work.messages.push(...rereadMessages(lane, "api"));
  });
}

async function audit(
  { tx }: Work,
  actor: Subject,
  { orgId, deploymentId }: About,
  action: "deployment.evaluate_policies" | "deployment.override_policies",
  details: Record<string, unknown>,
): Promise<void> {
  await recordAudit(tx, { orgId, actor, action, resourceId: deploymentId, details });
}
