/** Stores a decided change: every row by compare-and-set, the projection, the log rows and the messages together. */
import { sql } from "drizzle-orm";
import type { Work } from "../../work/unitOfWork.ts";
import { closeGates } from "../gates/write.ts";
import type { Change } from "./change.ts";
import { commandExecuted } from "./commandExecuted.ts";
import { hasDependents } from "./hasDependents.ts";
import { currentStage, type Lane } from "./lane.ts";
import { freesLane, isTerminal } from "./lifecycle.ts";
import { promoteNext } from "./promoteNext.ts";
import { forSleepers } from "./sleepers.ts";
import { unreadAnalyses } from "./unreadAnalyses.ts";
import { writeLog } from "./writeLog.ts";
import { assertOne, insertRun, writeRun } from "./writeRun.ts";

/**
 * Write `change` to the locked `lane`. When a lane holder becomes terminal the lane passes on in this same transaction.
 * @throws when a row is not in the status the lane was read in, which the locks make impossible: a bug, never a
 * conflict.
 */
export async function writeChange(work: Work, lane: Lane, change: Change): Promise<void> {
  if (change.run) await writeRun(work, lane, change.run);
  if (change.stage || change.open) await writeStages(work, lane, change);
  const dependents = change.deployment ? await writeDeployment(work, lane, change.deployment) : false;
  if (change.gates && change.run)
    await closeGates(work.tx, { deploymentId: lane.deployment.id, planRunId: change.run.id }, change.gates);
  if (change.reminded) await writeReminder(work, lane);
  await writeLog(work, lane, dependents ? withDependents(change) : change);
  const { run } = change;
  for (const event of [change.beside, commandExecuted(lane, change)]) {
    if (event) await writeLog(work, lane, { event, ...(run && { run }) });
  }
  work.messages.push(...forSleepers(lane, change));
  if (change.deployment && freesLane(lane.deployment, change.deployment.to)) {
    await promoteNext(work, lane.stack.stack_key);
  }
}

async function writeReminder({ tx }: Work, { deployment, now }: Lane): Promise<void> {
  await tx.execute(sql`update deployments set reminded_at = ${now}::timestamptz where id = ${deployment.id}`);
}

/** What an apply's end says besides: that something depends on the stack. */
function withDependents({ event, ...change }: Change): Change {
  return { ...change, event: { ...event, data: { ...event.data, dependents: true } } };
}

/**
 * An apply that succeeded fixes the time as of which its dependents are looked at. Most stacks have none, and then that
 * is all there is to say about them, unless what could make one of another stack is still to be read. Returns whether
 * there are some.
 */
async function writeDeployment({ tx }: Work, lane: Lane, to: NonNullable<Change["deployment"]>): Promise<boolean> {
  const { id, status, stack_key } = lane.deployment;
  const applied = to.applied === true;
  const rows = await tx.execute<{ dependents: boolean }>(sql`
    with written as (
      update deployments set
        status = ${to.to},
        waiting_since = ${to.to === "waiting" ? lane.now : null}::timestamptz,
        cancel_requested_at = ${to.to === "requested_cancellation" ? sql`coalesce(cancel_requested_at, ${lane.now}::timestamptz)` : sql`cancel_requested_at`},
        completed_at = ${isTerminal(to.to) ? lane.now : null}::timestamptz,
        skipped_reason = ${to.skippedReason ?? null}::text,
        error = ${to.error ?? null}::text,
        dependents_snapshot_at = ${applied ? lane.now : null}::timestamptz,
        dependents_resolved_at = ${applied ? sql`case when not (${hasDependents(lane.stack)} or ${unreadAnalyses(lane.stack, lane.now)}) then ${lane.now}::timestamptz end` : sql`null`}
      where id = ${id} and status = ${status}
      returning id, status, completed_at, dependents_snapshot_at is not null and dependents_resolved_at is null as dependents
    ), projected as (
      update stacks s set latest_deployment_status = w.status, latest_deployment_completed_at = w.completed_at
      from written w where s.stack_key = ${stack_key} and s.latest_deployment_id = w.id
    )
    select dependents from written`);
  assertOne(rows.length, "deployment", id);
  return rows[0]?.dependents === true;
}

async function writeStages(work: Work, lane: Lane, change: Change): Promise<void> {
  const current = currentStage(lane);
  if (change.stage && current) {
    const completed = ["done", "failed", "cancelled", "skipped"].includes(change.stage) ? lane.now : null;
    await work.tx.execute(sql`
      update stages set phase = ${change.stage}, completed_at = ${completed}::timestamptz
      where id = ${current.id} and phase = ${current.phase}`);
  }
  if (change.open) {
    const runId = change.open.run ? await insertRun(work, lane, change.open.run, "pending") : null;
    await work.tx.execute(sql`
      insert into stages (deployment_id, position, kind, phase, run_id, created_at)
      values (${lane.deployment.id}, ${(current?.position ?? 0) + 1}, ${change.open.kind}, 'running', ${runId}::uuid, ${lane.now}::timestamptz)`);
  }
}
