/**
 * What a run's own runner reports: done, acknowledging-cancel; and its coordinator: dispatch-failed
 * (docs/rules/runner-protocol.md#refusals-of-done).
 */
import { sql } from "drizzle-orm";
import * as v from "valibot";
import type { Tx } from "../../../platform/db/client.ts";
import type { SqlRow } from "../../../platform/db/sqlRow.ts";
import type { Service } from "../../../work/service.ts";
import { unitOfWork, type Work } from "../../../work/unitOfWork.ts";
import { gatesAtPlanEnd } from "../../gates/atPlanEnd.ts";
import type { NewGate } from "../../gates/gate.ts";
import { isAccepted } from "../../runs/lifecycle.ts";
import { CommitReport, type DoneBody } from "../../runs/protocol.ts";
import type { artifacts } from "../../runs/schema.ts";
import { type Lane, type LaneRun, lockLaneOfRun } from "../lane.ts";
import { usesLane } from "../lifecycle.ts";
import { writeChange } from "../writeChange.ts";
import {
  decideAcknowledge,
  decideDispatchFailed,
  decideDone,
  doneOf,
  leavesPlan,
  measured,
  NO_PLAN,
  type PlanLeft,
  type ReportDecision,
  type ReportOutcome,
} from "./decideReport.ts";

/** As of a push, where a host says them. */
const LONGEST_MESSAGE = 4_000;
const LONGEST_AUTHOR = 300;

const GONE: ReportOutcome = {
  outcome: "refused",
  code: "run_already_terminal",
  why: "The run does not exist any more.",
};

/** Store a run's result with its immediate consequence: waiting, applied, finished or failed, the lane passed on. */
export async function reportDone(
  service: Service,
  runId: string,
  runnerId: string,
  body: DoneBody,
): Promise<ReportOutcome> {
  const done = doneOf(body);
  const decide = async (lane: Lane, run: LaneRun, { tx }: Work) => {
    const isLeft = isAccepted(run.status) && leavesPlan(run, body);
    return decideDone(looked(lane, body), run, runnerId, done, isLeft ? await planLeft(tx, lane, run, body) : NO_PLAN);
  };
  return carryOut(service, runId, decide, async ({ tx }, { deployment }) => {
    await describeCommit(tx, deployment.id, body);
    if (body.on_branch === true) await keepStanding(tx, deployment.id);
  });
}

/** The lane once its runner has looked where the commit is, which nobody else could. */
function looked(lane: Lane, { on_branch }: DoneBody): Lane {
  if (on_branch !== true || lane.deployment.provenance !== "unknown") return lane;
  return { ...lane, deployment: { ...lane.deployment, provenance: "branch" } };
}

async function keepStanding(tx: Tx, deploymentId: string): Promise<void> {
  await tx.execute(sql`
    update deployments set provenance = 'branch' where id = ${deploymentId} and provenance = 'unknown'`);
}

/**
 * Message and author of a commit of which nobody but the runner knew more than the id; what is known stays. A commit
 * without a message has an author all the same.
 */
async function describeCommit(tx: Tx, deploymentId: string, body: DoneBody): Promise<void> {
  const said = v.safeParse(CommitReport, body.commit);
  if (!said.success) return;
  const { message, author } = said.output;
  await tx.execute(sql`
    update deployments
    set commit_message = coalesce(commit_message, nullif(${message.slice(0, LONGEST_MESSAGE).toWellFormed()}::text, '')),
      commit_author = coalesce(commit_author, ${author?.slice(0, LONGEST_AUTHOR).toWellFormed() ?? null}::text)
    where id = ${deploymentId} and commit_message is null and local_source_key is null`);
}

/** Uploads take a share lock on the run, which the lane holds, so this is the last word. */
async function planLeft(tx: Tx, lane: Lane, run: LaneRun, body: DoneBody): Promise<PlanLeft> {
  const rows = await tx.execute<SqlRow<typeof artifacts, "kind" | "sha256">>(
    sql`select kind, sha256 from artifacts where run_id = ${run.id} and kind in ('plan', 'tree')`,
  );
  const digestOf = (kind: string) => rows.find((row) => row.kind === kind)?.sha256 ?? null;
  return { plan: digestOf("plan"), tree: digestOf("tree"), gates: await gatesOf(tx, lane, run, body) };
}

/** Nothing is between a plan and its apply where there is nothing to apply. */
async function gatesOf(
  tx: Tx,
  { deployment, stack }: Lane,
  run: LaneRun,
  { plan_summary }: DoneBody,
): Promise<NewGate[]> {
  const summary = measured(plan_summary);
  if (run.status !== "running" || !usesLane(deployment.mode) || !summary.has_changes) return [];
  return gatesAtPlanEnd(tx, {
    orgId: deployment.org_id,
    stackKey: deployment.stack_key,
    deploymentId: deployment.id,
    planRunId: run.id,
    mode: deployment.mode,
    labels: stack.labels,
    summary,
  });
}

/** The runner has seen the cancellation and is stopping its engine. Repeating it changes nothing. */
export async function acknowledgeCancel(service: Service, runId: string, runnerId: string): Promise<ReportOutcome> {
  return carryOut(service, runId, async (_lane, run) => decideAcknowledge(run, runnerId));
}

/** A coordinator could not start the run it had claimed: the run fails at once, and the group shows why. */
export async function reportDispatchFailed(
  service: Service,
  runId: string,
  runnerId: string,
  why: string,
): Promise<ReportOutcome> {
  return carryOut(service, runId, async (lane, run) => decideDispatchFailed(lane, run, runnerId, why), showWhy);

  async function showWhy({ tx }: Work, lane: Lane, run: LaneRun): Promise<void> {
    await tx.execute(sql`
      update runner_groups set last_dispatch_error = ${why}, last_dispatch_error_at = ${lane.now}::timestamptz
      where id = ${run.assigned_group_id}::uuid`);
  }
}

/** @param changed what else is written, in the same transaction, when the report changed something */
async function carryOut(
  service: Service,
  runId: string,
  decide: (lane: Lane, run: LaneRun, work: Work) => Promise<ReportDecision>,
  changed?: (work: Work, lane: Lane, run: LaneRun) => Promise<void>,
): Promise<ReportOutcome> {
  return unitOfWork(service, async (work) => {
    const locked = await lockLaneOfRun(work.tx, runId);
    if (!locked) return GONE;
    const { lane, run } = locked;
    const { outcome, change } = await decide(lane, run, work);
    if (change) {
      await writeChange(work, lane, change);
      await changed?.(work, lane, run);
    }
    return outcome;
  });
}
