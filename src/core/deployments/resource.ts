/**
 * A deployment as people read it: its row, stages with their runs, its place in the queue, and what it waits for
 * (docs/rules/deployments.md#what-an-answer-says-of-the-wait).
 */

import { type SQL, sql } from "drizzle-orm";
import { actorColumn } from "../../people/actors/actor.ts";
import { type StackGrants, stackGrantsColumn } from "../../people/authorization/stackGrants.ts";
import type { Queryable, Reader } from "../../platform/db/client.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import { type MissingApprovals, missingText } from "../approvals/gate.ts";
import { GATES } from "../gates/gate.ts";
import { allowedActions } from "./allowedActions.ts";
import { type DependencyOrigin, dependencyOrigins, type StoredOrigin, type Viewer } from "./dependencyOrigin.ts";
import { takesLane } from "./laneModes.ts";
import type { DeploymentResource } from "./resourceSchema.ts";
import type { RequestLink, Retried } from "./retriable.ts";
import { type WaitingFacts, waitingFor } from "./waitingFor.ts";

/** What is made of the row and not read. */
type Derived = "waiting_for" | "allowed_actions";
/** What says what may be done with it. */
type ActionFacts = {
  stack_name: string;
  authz_groups: string[];
  pull_request_id: string | null;
  origin_pr_generation: number | null;
  request_link: RequestLink | null;
};
type ReadRow = Omit<DeploymentResource, Derived> &
  WaitingFacts &
  ActionFacts & { missing_approvals: MissingApprovals | null };
type Row = Omit<ReadRow, keyof DependencyOrigin> & StoredOrigin;

/** The organization of all rows of a page. */
const ORG_OF_PAGE = sql`(select o.org_id from page op join deployments o on o.id = op.id limit 1)`;

/** A coordinator says four times a minute that it is there. */
const RECENTLY = sql.raw("svc_now() - interval '2 minutes'");
const WALL_MISSING = sql`coalesce((
  select bool_or(g.last_contact_at > ${RECENTLY}) and not coalesce(bool_or(g.walled_contact_at > ${RECENTLY}), false)
  from runs r join group_selectors gs on gs.selector_id = r.selector_id join runner_groups g on g.id = gs.group_id
  where r.deployment_id = d.id and r.status = 'pending' and r.needs_wall), false)`;

/** As a confirmation asks. */
const GATE_ORDER = sql.raw(`array_position(array[${GATES.map((gate) => `'${gate}'`).join(", ")}], t.gate)`);

const QUEUE_ORDER = sql.raw("q.prioritized_at nulls last, q.created_at, q.id");

/**
 * Read the deployments of one stack that `page` selects, in its order: one statement whatever their number, and one
 * more where some followed from another stack's apply. `page` is a query over `deployments` that returns `id` and
 * `ord`.
 */
export async function readDeployments(db: Queryable, viewer: Viewer, page: SQL): Promise<DeploymentResource[]> {
  return (await readSorted(db, viewer, sql`select p.id, p.ord, null as sort_value from (${page}) p`)).map(
    ({ resource }) => resource,
  );
}

/**
 * The same for a page of a list, whose `page` also returns the exact `sort_value` that its cursor needs. It is read in
 * `lists`; which other stacks the viewer may read is asked of `db`.
 *
 * `shown` is materialized, and names no status itself: while the statistics say that nothing is queued, the planner
 * would look for its rows in the index of the queues, all of it for each of its entries.
 */
export async function readSorted(
  db: Queryable,
  viewer: Viewer,
  page: SQL,
  lists: Reader = db,
): Promise<{ resource: DeploymentResource; sort_value: string }[]> {
  const rows = await lists.execute<Row & { sort_value: string; held_grants: StackGrants | null }>(sql`
    with page as (${page}), shown as materialized (
      select d.status, d.stack_key from page join deployments d on d.id = page.id
    ), places as (
      select q.id, q.position from (select distinct stack_key from shown where status = 'queued') s cross join lateral (
        select q.id, row_number() over (order by ${QUEUE_ORDER}) as position from deployments q
        where q.status = 'queued' and q.stack_key = s.stack_key) q
    )
    select page.sort_value, d.id, d.org_id, s.slug as stack_id, d.mode, d.status, d.origin_type, d.provenance, d.origin_pr_number, d.origin_head_sha,
      d.origin_scm_event_id, d.origin_pr_title, d.origin_pr_url, d.origin_pr_body, d.commit_sha, d.commit_message, d.commit_author,
      d.repository_url, d.branch, d.working_directory, d.tool, d.tool_version, d.created_by,
      ${actorColumn(sql`d.created_by`, sql`d.created_by_kind`)} as created_by_actor, d.created_at, d.completed_at, d.prioritized_at,
      d.prioritized_by, ${actorColumn(sql`d.prioritized_by`)} as prioritized_by_actor, d.waiting_since, d.cancel_requested_at, d.skipped_reason, d.error, d.dependents_resolved_at,
      d.command_bytes, d.local_source_key, d.local_source_sha256, d.origin_dependency_deployment_id,
      to_jsonb(d.cascade_stack_path) as cascade_stack_path,
      case when d.status = 'waiting' then (select coalesce(json_agg(json_build_object('gate', t.gate, 'code', t.code, 'detail', t.detail,
          'closed_at', t.closed_at) order by ${GATE_ORDER}), '[]') from deployment_gates t where t.deployment_id = d.id
          and coalesce(t.open_until <= svc_now(), true)) else '[]' end as gates,
      case when d.status = 'waiting' then missing_approvals(d) end as missing_approvals,
      stages.list as stages, place.position as queue_position, holder.id as blocked_by, holder.status as holder_status,
      s.held_at is not null as held, s.hold_reason,
      s.name as stack_name, s.authz_groups, d.pull_request_id, d.origin_pr_generation,
      (select jsonb_build_object('latest_deployment_id', l.latest_deployment_id, 'generation', p.generation)
        from pull_request_stacks l join pull_requests p on p.id = l.pull_request_id
        where l.pull_request_id = d.pull_request_id and l.stack_key = d.stack_key) as request_link,
      ${viewer === null ? sql`null` : sql`case when row_number() over (order by page.ord) = 1 then ${stackGrantsColumn(viewer, ORG_OF_PAGE)} end`} as held_grants,
      exists (select 1 from runs r join group_selectors gs on gs.selector_id = r.selector_id
        where r.deployment_id = d.id and r.status = 'pending') as served,
      case when d.mode = 'plan_unlocked' and d.status = 'pending' then ${WALL_MISSING} else false end as wall_missing,
      (select o.throttled_until from dispatch_orgs o where o.org_id = d.org_id and o.throttled_until > svc_now()) as throttled_until
    from page join deployments d on d.id = page.id join stacks s on s.stack_key = d.stack_key
    cross join lateral (
      select coalesce(json_agg(json_build_object('stage_id', g.id, 'kind', g.kind, 'phase', g.phase, 'run_id', g.run_id,
          'created_at', g.created_at, 'completed_at', g.completed_at, 'run', case when r.id is not null then json_build_object(
            'id', r.id, 'kind', r.kind, 'status', r.status, 'runner_selector', sel.labels, 'state_locked', r.state_locked,
            'plan_run_id', r.plan_run_id, 'targets', r.targets, 'excludes', r.excludes, 'replaces', r.replaces,
            'assigned_runner_id', r.assigned_runner_id, 'assigned_at', r.assigned_at, 'assigned_expires_at', r.assigned_expires_at,
            'assignment_attempts', r.assignment_attempts, 'prioritized_at', r.prioritized_at, 'created_at', r.created_at,
            'first_pending_at', r.first_pending_at, 'started_at', r.started_at, 'completed_at', r.completed_at,
            'last_seen_at', l.last_seen_at, 'exit_code', r.exit_code, 'error', r.error, 'plan_summary', r.plan_summary) end
        ) order by g.position), '[]') as list
      from stages g left join runs r on r.id = g.run_id left join runner_selectors sel on sel.id = r.selector_id
        left join run_liveness l on l.run_id = r.id
      where g.deployment_id = d.id) stages
    left join places place on place.id = d.id
    left join lateral (
      select h.id, h.status from deployments h where h.stack_key = d.stack_key and ${takesLane("h")}
        and h.status in ('pending', 'planning', 'applying', 'waiting', 'requested_cancellation', 'cancelling')
    ) holder on d.status = 'queued'
    order by page.ord`);
  const origins = await dependencyOrigins(db, viewer, rows);
  // It is the same for all of them.
  const grants = rows[0]?.held_grants ?? null;
  return rows.map(({ sort_value, held_grants, ...row }) => ({
    resource: toResource({ ...row, ...origins(row) }, grants),
    sort_value,
  }));
}

/** One deployment, by its id alone: the caller has authorized it. */
export async function readDeployment(db: Queryable, viewer: Viewer, id: string): Promise<DeploymentResource> {
  const [resource] = await readDeployments(db, viewer, sql`select ${id}::uuid as id, 1 as ord`);
  if (!resource) throw new Error(`deployment ${id} does not exist`);
  return resource;
}

function toResource(row: ReadRow, grants: StackGrants | null): DeploymentResource {
  const { missing_approvals: missing, ...rest } = row;
  const { holder_status, held, hold_reason, served, wall_missing, throttled_until, ...read } = rest;
  const { stack_name, authz_groups, pull_request_id, origin_pr_generation, request_link, ...deployment } = read;
  const resource = {
    ...withTimes(deployment),
    queue_position: row.queue_position === null ? null : Number(row.queue_position),
    gates: [...row.gates, ...approvalsGate(missing, row.waiting_since)].map(withTimes),
    stages: row.stages.map((stage) => ({ ...withTimes(stage), run: stage.run && withTimes(stage.run) })),
  };
  return {
    ...resource,
    waiting_for: waitingFor(resource, { holder_status, held, hold_reason, served, wall_missing, throttled_until }),
    allowed_actions: allowedActions(
      grants,
      { name: stack_name, groups: authz_groups },
      {
        ...resource,
        origin_type: row.origin_type as Retried["origin_type"],
        pull_request_id,
        origin_pr_generation,
        runs: resource.stages.flatMap(({ run }) => run ?? []),
      },
      request_link,
    ),
  };
}

/** It has no row: it is closed for as long as approvals are missing, and that changes with everybody's roles. */
function approvalsGate(missing: MissingApprovals | null, since: string | null): DeploymentResource["gates"] {
  if (missing === null || since === null) return [];
  return [{ gate: "approvals", code: "approvals_missing", detail: missingText(missing), closed_at: since }];
}

/** Every field named `..._at` or `..._since` in RFC 3339. */
function withTimes<T extends object>(row: T): T {
  const entries = Object.entries(row).map(([name, value]) =>
    /_(at|since)$/.test(name) && typeof value === "string" ? [name, rfc3339(value)] : [name, value],
  );
  return Object.fromEntries(entries) as T;
}
