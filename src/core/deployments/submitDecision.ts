/**
 * From a person's request to the one true answer: a decision row, an Update that names it, the answer from the row
 * (docs/rules/transitions.md#a-decision-is-a-row).
 */
import { sql } from "drizzle-orm";
import type { DecisionKind } from "../../../workflows/contract.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import type { Actor } from "../../work/domainEvent.ts";
import { type IdempotencyScope, storeUse, takeKey } from "../../work/idempotency/keys.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import { type DeploymentStatus, isTerminal } from "./lifecycle.ts";
import type { decisions, deployments } from "./schema.ts";
import { carryOutDecision, type DecisionAnswer } from "./transitions/decide.ts";
import type { DecisionArguments } from "./transitions/decisionArguments.ts";

/** The workflow's side of a decision. Must settle within `deadlineMs`; the result is a hint, the row has the answer. */
export type DecisionSender = {
  decide(deploymentId: string, kind: DecisionKind, decisionId: string, deadlineMs: number): Promise<unknown>;
};

export type NewDecision = {
  orgId: string;
  deploymentId: string;
  kind: DecisionKind;
  actor: Actor;
  arguments: DecisionArguments;
  idempotency: IdempotencyScope | null;
};

/** No worker carried the decision out in time. Nothing was done, nor will be: the row is closed. */
export class OrchestratorUnavailableError extends ProblemError {
  constructor() {
    super({
      status: 503,
      code: "orchestrator_unavailable",
      detail: "The decision was not carried out, because no workflow worker answered in time. Send it again.",
      retryAfterSeconds: 5,
    });
  }
}

/**
 * Submit a decision and wait for its answer, `deadlineMs` at most.
 * @throws the conflict that the transition stored; OrchestratorUnavailableError.
 */
export async function submitDecision(
  service: Service,
  sender: DecisionSender,
  decision: NewDecision,
  deadlineMs: number,
): Promise<Extract<DecisionAnswer, { outcome: "done" }>> {
  const row = await recordDecision(service, decision, deadlineMs);
  if (row.answer) return resultOf(row.answer);
  if (isCertainlyRefused(decision.kind, row.status)) {
    await carryOutDecision(service, row.id, "api");
  } else {
    await sender.decide(decision.deploymentId, decision.kind, row.id, row.remainingMs).catch(() => undefined);
    if (await isUnansweredAfterTheEnd(service, row.id)) await carryOutDecision(service, row.id, "api");
  }
  return resultOf(await closeDecision(service, row.id));
}

/** What the row of a decision says that nobody carried out in time. */
export const EXPIRED: DecisionAnswer = { outcome: "expired" };

type Recorded = SqlRow<typeof decisions, "id"> &
  SqlRow<typeof deployments, "status"> & { answer: DecisionAnswer | null; remainingMs: number };

/**
 * The decision's row: the one an earlier request with this key made, while it can still be answered, else a new one.
 */
async function recordDecision(service: Service, decision: NewDecision, deadlineMs: number): Promise<Recorded> {
  const { idempotency } = decision;
  if (!idempotency) return insertDecision(service.db, decision, deadlineMs);
  return unitOfWork(service, async ({ tx }) => {
    const use = await takeKey(tx, idempotency);
    if (use?.decision_id) {
      const [earlier] = await tx.execute<Recorded>(sql`
        select c.id, c.answer, d.status, ceil(extract(epoch from c.expires_at - svc_now()) * 1000)::int as "remainingMs"
        from decisions c join deployments d on d.id = c.deployment_id where c.id = ${use.decision_id}`);
      if (earlier && (earlier.answer ? earlier.answer.outcome !== "expired" : earlier.remainingMs > 0)) return earlier;
    }
    const row = await insertDecision(tx, decision, deadlineMs);
    await storeUse(tx, idempotency, { decisionId: row.id });
    return row;
  });
}

async function insertDecision(db: Queryable, decision: NewDecision, deadlineMs: number): Promise<Recorded> {
  const [row] = await db.execute<Pick<Recorded, "id" | "status">>(sql`
    with created as (
      insert into decisions (org_id, deployment_id, kind, principal_id, principal_kind, arguments, expires_at)
      values (${decision.orgId}, ${decision.deploymentId}, ${decision.kind}, ${decision.actor.id}, ${decision.actor.kind},
        ${JSON.stringify(decision.arguments)}::jsonb, svc_now() + ${deadlineMs}::int * interval '1 millisecond')
      returning id, deployment_id
    )
    select c.id, d.status from created c join deployments d on d.id = c.deployment_id`);
  if (!row) throw new Error("insert returned no decision");
  return { ...row, answer: null, remainingMs: deadlineMs };
}

/**
 * A conflict that no later event can undo is answered without asking the workflow; the transition still has the last
 * word.
 */
export function isCertainlyRefused(kind: DecisionKind, status: DeploymentStatus): boolean {
  return isTerminal(status) || ((kind === "confirm" || kind === "review") && status !== "waiting");
}

/**
 * Another decision ended the deployment while this one was on its way: its workflow has closed and answers nobody any
 * more.
 */
async function isUnansweredAfterTheEnd({ db }: Service, id: string): Promise<boolean> {
  const [row] = await db.execute<SqlRow<typeof deployments, "status"> & { answered: boolean }>(sql`
    select c.answer is not null as answered, d.status
    from decisions c join deployments d on d.id = c.deployment_id where c.id = ${id}`);
  return row !== undefined && !row.answered && isTerminal(row.status);
}

/**
 * The answer in the row, which never changes once it is there. An unanswered row is closed first, so that a 503 means
 * nothing was done nor will be: the update waits for a transition that holds the row and then sees its answer.
 */
async function closeDecision({ db }: Service, id: string): Promise<DecisionAnswer> {
  type Answered = { answer: DecisionAnswer | null };
  const [row] = await db.execute<Answered>(sql`select answer from decisions where id = ${id}`);
  if (!row || row.answer) return row?.answer ?? EXPIRED;
  const [closed] = await db.execute<Answered>(sql`
    update decisions set answer = coalesce(answer, ${JSON.stringify(EXPIRED)}::jsonb), answered_at = coalesce(answered_at, svc_now())
    where id = ${id} returning answer`);
  return closed?.answer ?? EXPIRED;
}

function resultOf(answer: DecisionAnswer): Extract<DecisionAnswer, { outcome: "done" }> {
  if (answer.outcome === "done") return answer;
  if (answer.outcome === "expired") throw new OrchestratorUnavailableError();
  throw new ProblemError({ status: answer.status as 409, code: answer.code, detail: answer.detail });
}
