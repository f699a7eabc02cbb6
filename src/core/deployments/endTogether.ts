/**
 * Deployments of one stack that no runner works on end at once by somebody's decision: one statement, however many. One
 * by one, the lock on a stack with thousands of them would keep its callers, and the connections they wait on, for as
 * many seconds.
 */
import { type SQL, sql } from "drizzle-orm";
import type { DecisionKind } from "../../../workflows/contract.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import type { Actor, DomainEventName } from "../../work/domainEvent.ts";
import { type StoredEvent, storedEvents } from "../../work/publish.ts";
import type { Work } from "../../work/unitOfWork.ts";
import type { RunStatus } from "../runs/lifecycle.ts";
import type { ActivityKind, Change } from "./change.ts";
import { currentStage, type Lane } from "./lane.ts";
import type { DeploymentStatus, StagePhase } from "./lifecycle.ts";
import type { deployments } from "./schema.ts";

/** What an end writes into each row that belongs to a deployment. */
export type End = {
  deployment: DeploymentStatus;
  run: RunStatus;
  stage: StagePhase;
  activity: ActivityKind;
  event: DomainEventName;
};

/** As the decisions of the same name end what no runner works on. */
export const ENDS = {
  cancel: {
    deployment: "cancelled",
    run: "cancelled",
    stage: "cancelled",
    activity: "cancellation_requested",
    event: "deployment_cancelled",
  },
  skip: {
    deployment: "skipped",
    run: "discarded",
    stage: "skipped",
    activity: "skipped",
    event: "deployment_skipped",
  },
} as const satisfies Partial<Record<DecisionKind, End>>;

/** What may be decided about many at once. */
export type BatchKind = keyof typeof ENDS;

/** Whether `change` of `lane` writes `end`, and nothing else: its run, if any, was never claimed. Pure. */
export function isEnd(lane: Lane, change: Change, end: End): boolean {
  const { deployment, run, stage, open, activity = [], event } = change;
  const unclaimed = run === undefined || run.from === "queued" || run.from === "pending";
  return (
    unclaimed &&
    currentStage(lane)?.phase === "running" &&
    deployment?.to === end.deployment &&
    (run === undefined || (run.to === end.run && run.runner === undefined)) &&
    stage === end.stage &&
    open === undefined &&
    activity.length === 1 &&
    activity.every(({ kind, details }) => kind === end.activity && details === undefined) &&
    event.name === end.event &&
    event.data === undefined
  );
}

export type Ended = StoredEvent & SqlRow<typeof deployments, "woken_at"> & { deployment_id: string };

/**
 * End the deployments that `which` (a condition on `deployments d`) selects, of a stack that is locked: the rows that
 * `writeChange` would leave for each. Whom to tell is the caller's, by the events returned; the lane passes on nowhere
 * here. Nobody else locks a queued deployment or its run without the stack; other runs must be locked.
 */
export async function endTogether(
  { tx }: Work,
  { stackKey, which, end, actor }: { stackKey: string; which: SQL; end: End; actor: Actor },
): Promise<Ended[]> {
  const stored = storedEvents({
    name: end.event,
    orgId: sql`g.org_id`,
    stackKey: sql`${stackKey}::uuid`,
    deploymentId: sql`g.id`,
    runId: sql`run.id`,
    actor,
    data: sql`g.data`,
    at: sql`g.at`,
    from: sql`from gone g left join run on run.deployment_id = g.id`,
  });
  return tx.execute<Ended>(sql`
    with clock as materialized (select svc_now() as at), gone as (
      update deployments d set status = ${end.deployment}, waiting_since = null, completed_at = clock.at from clock
      where d.stack_key = ${stackKey} and ${which}
      returning d.id, d.org_id, d.completed_at as at, d.woken_at,
        jsonb_strip_nulls(jsonb_build_object('mode', d.mode, 'origin_type', d.origin_type, 'pr_number', d.origin_pr_number)) as data
    ), run as (
      update runs r set status = ${end.run}, completed_at = g.at from gone g
      where r.deployment_id = g.id and r.status in ('queued', 'pending') returning r.id, r.deployment_id
    ), stage as (
      update stages t set phase = ${end.stage}, completed_at = g.at from gone g
      where t.deployment_id = g.id and t.phase = 'running'
    ), projected as (
      update stacks s set latest_deployment_status = ${end.deployment}, latest_deployment_completed_at = g.at from gone g
      where s.stack_key = ${stackKey} and s.latest_deployment_id = g.id
    ), logged as (
      insert into deployment_events (deployment_id, kind, actor_id, actor_kind, created_at)
      select id, ${end.activity}, ${actor.id}, ${actor.kind}, at from gone
    ), ${stored}
    select event.*, gone.woken_at from event join gone on gone.id = event.deployment_id order by event.deployment_id`);
}
