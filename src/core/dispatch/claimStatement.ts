/**
 * The statement of the claim that picks a run, takes a token, assigns and records. The hot query.
 *
 * Index. A run keeps its selector for ever, and which groups serve which selector is a table, so no label is matched
 * here. `runs_claimable (selector_id, background, prioritized_at, first_pending_at, id) where status = 'pending'` gives
 * the head of each selector in claim order (ascending, hence nulls last; checks for drift come after everything else):
 * one short index scan per selector of the group, whatever the backlog. The heads of all its selectors are merged and
 * at most 16 candidates looked at.
 *
 * Plan. `room` counts what the group holds by `runs_held`, bounded by its capacity; with no room the candidates are
 * never read. `candidates` is a nested loop of `group_selectors` with a LATERAL limit; `picked` joins its 16 ids by
 * primary key.
 *
 * The run is taken `skip locked`, so no poll waits for a transition that holds it; `no key update` is what transitions
 * take, and unlike `update` it does not meet the share locks that foreign keys take. The row's status is checked again
 * under the lock. The budget's token, the runner's stub, the domain event and the outbox row ride along.
 */
import { sql } from "drizzle-orm";
import type { Joined, SqlRow } from "../../platform/db/sqlRow.ts";
import { type StoredEvent, storedEvents, tellSubscribers } from "../../work/publish.ts";
import type { OutboxRow, outbox } from "../../work/schema.ts";
import type { Timeouts } from "../../work/timeouts.ts";
import type { Work } from "../../work/unitOfWork.ts";
import type { runs } from "../runs/schema.ts";
import { bucketOf } from "./dispatchBudget.ts";
import { IN_FLIGHT_OF_GROUP, IN_FLIGHT_OF_ORG, ROOM_FOR_CHECKS } from "./inFlight.ts";
import type { Claimant, ClaimDeps, ClaimedRun, Limiter } from "./types.ts";

type Taken = { run: ClaimedRun; message: OutboxRow };

/** The budget's part of the claim. The dispatch row it reads and writes is locked by the statement before. */
const tokenOf = (orgId: string) => ({
  bucket: sql`bucket as materialized (${bucketOf(orgId)}),`,
  hasToken: sql`exists (select from bucket where available >= 1)`,
  taken: sql`token as (
      update dispatch_orgs o set tokens = b.available - 1, refilled_at = b.now, throttled_until = null
      from bucket b, claimed c where o.org_id = b.org_id and not c.background
    ),`,
});
const UNLIMITED: ReturnType<typeof tokenOf> = { bucket: sql``, hasToken: sql`true`, taken: sql`` };

type HeadRow = {
  looked_at: number;
  /** A run was there to be claimed, whether or not there was a token for it. */
  picked: boolean;
} & Joined<ClaimedRow>;

/**
 * No deadline of the run is nearer than this, its stack's own aside: until then its lease has nothing to do. A cancel
 * wakes it.
 */
function leaseSleep({ assignmentMs, executionMs, maxRunDurationMs }: Timeouts): number {
  return Math.min(assignmentMs, executionMs, maxRunDurationMs);
}

/** The event `run_assigned`, whom it assigned the run to, and the message that tells the run's lease. */
type ClaimedRow = StoredEvent &
  SqlRow<typeof runs, "claim_seq" | "background"> &
  SqlRow<typeof outbox, "message" | "traceparent"> & { run_id: string; runner_id: string; message_id: string };

const ASSIGNED = storedEvents({
  name: "run_assigned",
  orgId: sql`c.org_id`,
  stackKey: sql`d.stack_key`,
  deploymentId: sql`d.id`,
  runId: sql`c.id`,
  data: sql`jsonb_build_object('mode', d.mode, 'origin_type', d.origin_type)`,
  at: sql`c.now`,
  from: sql`from claimed c join deployments d on d.id = c.deployment_id`,
});

/**
 * The one statement that picks, takes a token, assigns and records. `nothing` when there is no room, no run, or none
 * that is free; `no_token` when one is, but the bucket is empty: then nothing is written.
 */
export async function takeHead(
  work: Work,
  { service, limits, metrics }: ClaimDeps,
  claimant: Claimant,
  limiter: Limiter,
): Promise<Taken | "nothing" | "no_token"> {
  const { bucket, hasToken, taken } = limiter === "on" ? tokenOf(claimant.orgId) : UNLIMITED;
  const [row] = await work.tx.execute<HeadRow>(sql`
    with ${bucket} clock as materialized (select svc_now() as now),
    room as materialized (
      select g.id as group_id from runner_groups g
      where g.id = ${claimant.groupId}
        and g.max_concurrent_runs > ${IN_FLIGHT_OF_GROUP}
        and (${limits.maxPerOrg ?? null}::int is null or ${limits.maxPerOrg ?? null}::int > ${IN_FLIGHT_OF_ORG})
    ),
    candidates as materialized (
      select c.id, c.background, c.prioritized_at, c.first_pending_at
      from room join group_selectors s on s.group_id = room.group_id
      cross join lateral (
        select r.id, r.background, r.prioritized_at, r.first_pending_at from runs r
        where r.selector_id = s.selector_id and r.status = 'pending' and (${claimant.walled === true} or not r.needs_wall)
          and (not r.background or (select ${ROOM_FOR_CHECKS} from runner_groups g where g.id = ${claimant.groupId}))
        order by r.background, r.prioritized_at, r.first_pending_at, r.id limit 16
      ) c
      order by c.background, c.prioritized_at, c.first_pending_at, c.id limit 16
    ),
    picked as materialized (
      select r.id, c.background from candidates c join runs r on r.id = c.id
      where r.status = 'pending'
      order by c.background, c.prioritized_at, c.first_pending_at, c.id
      limit 1 for no key update of r skip locked
    ),
    claimed as (
      update runs r set status = 'assigned', claim_seq = r.claim_seq + 1, assigned_runner_id = uuidv7(), lease_woken_at = null,
        assigned_group_id = ${claimant.groupId}, assigned_at = clock.now,
        assigned_expires_at = clock.now + ${service.timeouts.assignmentMs}::float8 * interval '1 millisecond'
      from picked, clock where r.id = picked.id and (picked.background or ${hasToken})
      returning r.id, r.background, r.org_id, r.deployment_id, r.claim_seq, r.assigned_runner_id as runner_id, r.traceparent, clock.now
    ),
    ${taken}
    stub as (
      insert into runners (id, org_id, group_id, run_id, claim_seq, status, last_seen_at, created_at)
      select c.runner_id, c.org_id, ${claimant.groupId}, c.id, c.claim_seq, 'not-ready', c.now, c.now from claimed c
    ),
    ${ASSIGNED},
    message as (
      insert into outbox (message, due_at, traceparent)
      select jsonb_build_object('kind', 'assignLease', 'runId', e.run_id, 'orgId', e.org_id, 'stackKey', e.stack_key,
        'deploymentId', e.deployment_id, 'mode', e.data ->> 'mode', 'origin', e.data ->> 'origin_type',
        'sleepMs', (select least(${leaseSleep(service.timeouts)}::float8, s.max_run_duration_ms) from stacks s where s.stack_key = e.stack_key)),
        svc_now() + interval '2 seconds', c.traceparent
      from event e, claimed c
      returning id, message, traceparent
    )
    select (select count(*)::int from candidates) as looked_at, exists (select from picked) as picked,
      e.*, c.runner_id, c.claim_seq, c.background,
      m.id::text as message_id, m.message, m.traceparent
    from (select) one left join (event e cross join claimed c cross join message m) on true`);
  if (row === undefined) throw new Error("the claim returned no row");
  if (row.id === null) {
    if (row.picked) return "no_token";
    // Work is there, but every candidate looked at is locked by a transition.
    if (row.looked_at > 0) metrics.dispatchBatchSaturated.inc();
    return "nothing";
  }
  await tellSubscribers(work, row);
  const { message_id: id, message, traceparent } = row;
  return {
    run: {
      runId: row.run_id,
      runnerId: row.runner_id,
      claimSeq: row.claim_seq,
      orgId: row.org_id,
      tookToken: limiter === "on" && !row.background,
    },
    message: { id, message, traceparent },
  };
}
