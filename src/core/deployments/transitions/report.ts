/**
 * What a run's own runner reports: done, acknowledging-cancel; and its coordinator: dispatch-failed
 * (docs/rules/runner-protocol.md#refusals-of-done).
 */
import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import * as v from "valibot";
import type { Tx } from "../../../platform/db/client.ts";
import type { SqlRow } from "../../../platform/db/sqlRow.ts";
import type { Service } from "../../../work/service.ts";
import { unitOfWork, type Work } from "../../../work/unitOfWork.ts";
import { isAccepted, isPlanStyle, isRunTerminal } from "../../runs/lifecycle.ts";
import { type DoneBody, PlanSummary } from "../../runs/protocol.ts";
import type { artifacts } from "../../runs/schema.ts";
import { decideRunEnd } from "../decideRunEnd.ts";
import { type Lane, type LaneRun, lockLaneOfRun } from "../lane.ts";
import { usesLane } from "../lifecycle.ts";
import { writeChange } from "../writeChange.ts";
import { runMessages } from "./messages.ts";

export type ReportOutcome =
  /** Stored, or exactly what was stored before. */
  | { outcome: "stored" }
  | { outcome: "refused"; code: "run_already_terminal" | "plan_artifact_missing" | "invalid_transition"; why: string };

const STORED = { outcome: "stored" } as const;

/** Store a run's result with its immediate consequence: waiting, applied, finished or failed, the lane passed on. */
export async function reportDone(
  service: Service,
  runId: string,
  runnerId: string,
  body: DoneBody,
): Promise<ReportOutcome> {
  const doneSha256 = createHash("sha256").update(canonical(body)).digest("hex");
  return unitOfWork(service, async (work) => {
    const locked = await lockLaneOfRun(work.tx, runId);
    if (!locked) return refuse("run_already_terminal", "The run does not exist any more.");
    const { lane, run } = locked;
    if (isRunTerminal(run.status)) {
      return run.done_sha256 === doneSha256 ? STORED : refuse("run_already_terminal", `The run is ${run.status}.`);
    }
    if (!isAccepted(run.status) || run.assigned_runner_id !== runnerId) {
      return refuse("invalid_transition", "The run was not accepted by this runner.");
    }
    return end(work, lane, run, body, doneSha256);
  });
}

async function end(work: Work, lane: Lane, run: LaneRun, body: DoneBody, doneSha256: string): Promise<ReportOutcome> {
  // A plan that failed without a summary has none; only a success that says nothing counts as changes nobody counted.
  const hasPlan = body.status === "success" || body.plan_summary !== undefined;
  const planSummary = isPlanStyle(run.kind) && hasPlan ? measured(body.plan_summary) : null;
  const planSha256 = isPlanStyle(run.kind) && body.status === "success" ? await planDigest(work.tx, run.id) : null;
  const needsPlan = usesLane(lane.deployment.mode) && planSummary?.has_changes !== false;
  if (isPlanStyle(run.kind) && body.status === "success" && run.status === "running" && needsPlan && !planSha256) {
    return refuse("plan_artifact_missing", "Upload the plan before reporting its success.");
  }
  const error = body.error ?? null;
  const exitCode = body.exit_code ?? null;
  const change = decideRunEnd(lane, run, {
    end: body.status,
    seenBy: "runner",
    exitCode,
    error,
    planSummary,
    planSha256,
    doneSha256,
  });
  await writeChange(work, lane, { ...change, messages: runMessages(lane, run, "api") });
  return STORED;
}

/** A summary that is absent or makes no sense means a plan with changes nobody counted, never a refused report. */
function measured(summary: unknown): PlanSummary {
  const parsed = v.safeParse(PlanSummary, summary);
  if (parsed.success) return parsed.output;
  return { has_changes: true, counts: null, gaps: ["The runner's plan summary is missing or invalid."] };
}

/** The stored plan's digest. Uploads take a share lock on the run, which the lane holds, so this is the last word. */
async function planDigest(tx: Tx, runId: string): Promise<string | null> {
  const [row] = await tx.execute<SqlRow<typeof artifacts, "sha256">>(
    sql`select sha256 from artifacts where run_id = ${runId} and kind = 'plan'`,
  );
  return row?.sha256 ?? null;
}

/** The runner has seen the cancellation and is stopping its engine. Repeating it changes nothing. */
export async function acknowledgeCancel(service: Service, runId: string, runnerId: string): Promise<ReportOutcome> {
  return unitOfWork(service, async (work) => {
    const locked = await lockLaneOfRun(work.tx, runId);
    if (!locked) return refuse("run_already_terminal", "The run does not exist any more.");
    const { lane, run } = locked;
    if (run.assigned_runner_id !== runnerId)
      return refuse("invalid_transition", "The run was not accepted by this runner.");
    if (run.status === "cancelling") return STORED;
    if (isRunTerminal(run.status)) return refuse("run_already_terminal", `The run is ${run.status}.`);
    if (run.status !== "requested_cancellation") return refuse("invalid_transition", "No cancellation was requested.");
    await writeChange(work, lane, {
      run: { id: run.id, from: run.status, to: "cancelling" },
      stage: "cancelling",
      deployment: { to: "cancelling" },
      event: { name: "deployment_cancellation_acknowledged" },
    });
    return STORED;
  });
}

/** A coordinator could not start the run it had claimed: the run fails at once, and the group shows why. */
export async function reportDispatchFailed(
  service: Service,
  runId: string,
  runnerId: string,
  why: string,
): Promise<ReportOutcome> {
  return unitOfWork(service, async (work) => {
    const locked = await lockLaneOfRun(work.tx, runId);
    if (!locked) return refuse("run_already_terminal", "The run does not exist any more.");
    const { lane, run } = locked;
    if (run.status === "failure" && run.assigned_runner_id === runnerId) return STORED;
    if (isRunTerminal(run.status)) return refuse("run_already_terminal", `The run is ${run.status}.`);
    if (run.status !== "assigned" || run.assigned_runner_id !== runnerId) {
      return refuse("invalid_transition", "The run is not assigned to this runner.");
    }
    const error = `The runner could not be started: ${why}`;
    const change = decideRunEnd(lane, run, { end: "failure", seenBy: "dispatch", error });
    await writeChange(work, lane, { ...change, messages: runMessages(lane, run, "api") });
    await work.tx.execute(sql`
      update runner_groups set last_dispatch_error = ${why}, last_dispatch_error_at = ${lane.now}::timestamptz
      where id = ${run.assigned_group_id}::uuid`);
    return STORED;
  });
}

function refuse(
  code: "run_already_terminal" | "plan_artifact_missing" | "invalid_transition",
  why: string,
): ReportOutcome {
  return { outcome: "refused", code, why };
}

/** JSON with sorted keys, so that the same report has the same hash however it was written. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
