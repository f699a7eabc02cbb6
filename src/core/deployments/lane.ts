/** A deployment with everything a transition decides on, read under its locks. */
import { sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import type { Approvals } from "../approvals/gate.ts";
import type { ClosedGate } from "../gates/gate.ts";
import { isRunTerminal } from "../runs/lifecycle.ts";
import type { runs } from "../runs/schema.ts";
import type { stacks } from "../stacks/schema.ts";
import type { deployments, stages } from "./schema.ts";

/** Columns as JSON gives them; times are text with microseconds and only ever compared in SQL. */
export type LaneRun = SqlRow<
  typeof runs,
  | "id"
  | "kind"
  | "status"
  | "selector_id"
  | "plan_run_id"
  | "prioritized_at"
  | "first_pending_at"
  | "claim_seq"
  | "assignment_attempts"
  | "accept_problem"
  | "assigned_runner_id"
  | "assigned_group_id"
  | "assigned_expires_at"
  | "started_at"
  | "cancel_requested_at"
  | "completed_at"
  | "plan_summary"
  | "plan_sha256"
  | "done_sha256"
  | "lease_woken_at"
> & { last_seen_at: string | null };

export type LaneStage = SqlRow<typeof stages, "id" | "position" | "kind" | "phase" | "run_id">;

export type LaneDeployment = SqlRow<
  typeof deployments,
  | "id"
  | "org_id"
  | "stack_key"
  | "mode"
  | "status"
  | "commit_sha"
  | "origin_type"
  | "provenance"
  | "needs_person"
  | "repository_url"
  | "origin_pr_number"
  | "created_by"
  | "created_at"
  | "prioritized_at"
  | "prioritized_by"
  | "waiting_since"
  | "cancel_requested_at"
  | "completed_at"
  | "command_bytes"
  | "woken_at"
>;

export type LaneStack = SqlRow<
  typeof stacks,
  | "stack_key"
  | "org_id"
  | "slug"
  | "auto_approve_mode"
  | "labels"
  | "preview_runner_labels"
  | "fork_runner_labels"
  | "held_at"
  | "deleted_at"
  | "latest_deployment_id"
>;

export type Lane = {
  /** The database's time after the locks were taken: the time of everything the transition writes. */
  now: string;
  stack: LaneStack;
  deployment: LaneDeployment;
  /** By creation. */
  runs: LaneRun[];
  /** By position; the last one is the current. */
  stages: LaneStage[];
  /** What keeps its plan from being applied. */
  gates: ClosedGate[];
  /** Of its plan, as they count after the locks; null where nothing is asked for and nobody has reviewed it. */
  approvals?: Approvals | null;
};

/** Lock stack, deployment and runs, in that order, and read them. Null when there is no such deployment. */
export async function lockLane(tx: Tx, deploymentId: string): Promise<Lane | null> {
  const [row] = await tx.execute<{
    lane: Lane | null;
  }>(sql`select lock_lane(${deploymentId}) as lane`);
  return row?.lane ?? null;
}

/** The same for many deployments of one stack, by their ids, in one statement. Those that are gone are left out. */
export async function lockLanes(tx: Tx, deploymentIds: readonly string[]): Promise<Map<string, Lane>> {
  if (deploymentIds.length === 0) return new Map();
  type Locked = Pick<Lane, "now" | "stack"> & { lanes: Pick<Lane, "deployment" | "runs" | "stages" | "gates">[] };
  const [row] = await tx.execute<{ locked: Locked }>(
    sql`select lock_lanes(${`{${deploymentIds.join(",")}}`}::uuid[]) as locked`,
  );
  if (!row) throw new Error("lock_lanes returned nothing");
  const { now, stack, lanes } = row.locked;
  return new Map(lanes.map((lane) => [lane.deployment.id, { now, stack, ...lane }]));
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
