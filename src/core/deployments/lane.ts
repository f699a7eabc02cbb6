/** A deployment with everything a transition decides on, read under its locks. */
import { sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/client.ts";
import { isRunTerminal, type RunStatus } from "../runs/lifecycle.ts";
import type { PlanSummary, RunKind } from "../runs/protocol.ts";
import type { DeploymentMode, DeploymentStatus, StageKind, StagePhase } from "./lifecycle.ts";

/** Columns as JSON gives them; times are text with microseconds and only ever compared in SQL. */
export type LaneRun = {
  id: string;
  kind: RunKind;
  status: RunStatus;
  selector_id: string;
  plan_run_id: string | null;
  prioritized_at: string | null;
  first_pending_at: string | null;
  claim_seq: number;
  assignment_attempts: number;
  assigned_runner_id: string | null;
  assigned_group_id: string | null;
  assigned_expires_at: string | null;
  started_at: string | null;
  cancel_requested_at: string | null;
  completed_at: string | null;
  plan_summary: PlanSummary | null;
  plan_sha256: string | null;
  done_sha256: string | null;
  last_seen_at: string | null;
  lease_woken_at: string | null;
};

export type LaneStage = { id: string; position: number; kind: StageKind; phase: StagePhase; run_id: string | null };

export type LaneDeployment = {
  id: string;
  org_id: string;
  stack_key: string;
  mode: DeploymentMode;
  status: DeploymentStatus;
  commit_sha: string;
  origin_type: string;
  repository_url: string;
  /** Of the pull request it comes from; the number stays when the request is closed. */
  origin_pr_number: number | null;
  created_by: string | null;
  created_at: string;
  prioritized_at: string | null;
  prioritized_by: string | null;
  waiting_since: string | null;
  cancel_requested_at: string | null;
  completed_at: string | null;
  command_bytes: number | null;
  woken_at: string | null;
};

export type LaneStack = {
  stack_key: string;
  org_id: string;
  slug: string;
  auto_approve_mode: "manual" | "auto" | "non_destructive";
  labels: Record<string, string>;
  held_at: string | null;
  deleted_at: string | null;
  latest_deployment_id: string | null;
};

export type Lane = {
  /** The database's time after the locks were taken: the time of everything the transition writes. */
  now: string;
  stack: LaneStack;
  deployment: LaneDeployment;
  /** By creation. */
  runs: LaneRun[];
  /** By position; the last one is the current. */
  stages: LaneStage[];
};

/** Lock stack, deployment and runs, in that order, and read them. Null when there is no such deployment. */
export async function lockLane(tx: Tx, deploymentId: string): Promise<Lane | null> {
  const [row] = await tx.execute<{
    lane: Lane | null;
  }>(sql`select lock_lane(${deploymentId}) as lane`);
  return row?.lane ?? null;
}

/** The same for the deployment a run belongs to, whose key is read unlocked first. */
export async function lockLaneOfRun(tx: Tx, runId: string): Promise<{ lane: Lane; run: LaneRun } | null> {
  const [row] = await tx.execute<{ lane: Lane | null }>(
    sql`select lock_lane(deployment_id) as lane from runs where id = ${runId}`,
  );
  const run = row?.lane?.runs.find((r) => r.id === runId);
  return row?.lane && run ? { lane: row.lane, run } : null;
}

/** The run in flight, if any; there is at most one. */
export function liveRun(lane: Lane): LaneRun | undefined {
  return lane.runs.find((run) => !isRunTerminal(run.status));
}

export function currentStage(lane: Lane): LaneStage | undefined {
  return lane.stages.at(-1);
}
