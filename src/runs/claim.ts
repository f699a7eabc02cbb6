/**
 * The claim: hand the next pending run to a polling group (spec 3.3 pending -> assigned, design 6.4). The hot query.
 *
 * Index. A run keeps its selector for ever, and which groups serve which selector is a table, so no label is matched here.
 * `runs_claimable (selector_id, prioritized_at, first_pending_at, id) where status = 'pending'` gives the head of each
 * selector in claim order (ascending, hence nulls last): one short index scan per selector of the group, whatever the backlog.
 * The heads of all its selectors are merged and at most 16 candidates looked at.
 *
 * Plan. `room` counts what the group holds by `runs_held`, bounded by its capacity; with no room the candidates are never
 * read. `candidates` is a nested loop of `group_selectors` with a LATERAL limit; `picked` joins its 16 ids by primary key.
 *
 * Locks, in this order: the group's dispatch row, the organization's dispatch row, the run. The first two are taken by a
 * statement of their own, because a statement reads what was committed when it began: capacity counted in the statement
 * that waited for the lock would not see the claim it waited for. The run is taken `skip locked`, so no poll waits for a
 * transition that holds it; `no key update` is what transitions take, and unlike `update` it does not meet the share locks
 * that foreign keys take. The row's status is checked again under the lock. All claims of one organization are therefore
 * serial for the few milliseconds between the two statements and the commit, and the counts are exact.
 *
 * Statements: lock and claim, sent together and done in this order. The budget's token, the stub, the domain event and the
 * outbox row ride in the claim: each round trip less is time in which neither a connection nor the organization's row is held.
 */
import { sql } from "drizzle-orm";
import type { Tx } from "../db/client.ts";
import { sqlState, unitOfWork, type Work } from "../db/unitOfWork.ts";
import type { DomainEvent } from "../events/domainEvent.ts";
import { messagesFor } from "../events/subscribers.ts";
import type { OutboxRow } from "../outbox/message.ts";
import { bucketOf, stampThrottled } from "../runners/dispatchBudget.ts";
import type { Service } from "../service.ts";
import type { Metrics } from "../telemetry/metrics.ts";

export type DispatchLimits = {
  /** Whether the organization's runs-per-hour budget is enforced. */
  rateLimit: boolean;
  /** Most runs of one organization in flight at once; undefined means no cap. */
  maxPerOrg: number | undefined;
};

export type Claimant = { groupId: string; orgId: string; fingerprint: string };
export type ClaimedRun = { runId: string; runnerId: string; claimSeq: number; orgId: string };
export type ClaimOutcome =
  | { outcome: "claimed"; run: ClaimedRun }
  | { outcome: "nothing" }
  | { outcome: "throttled"; retryAfterSeconds: number }
  /** The group's key was rotated or the group deleted while the poll waited. */
  | { outcome: "key_changed" };

export type DispatchMetrics = Pick<Metrics, "runDispatch" | "dispatchBatchSaturated" | "limiterErrors">;
export type ClaimDeps = { service: Service; limits: DispatchLimits; metrics: DispatchMetrics };

/** The poller went away before its claim was committed; nothing was claimed. */
export class PollerGoneError extends Error {
  override name = "PollerGoneError";
}

/**
 * Claim at most one run. `isGone` is asked right before the commit, so that a run is not handed to nobody.
 *
 * A limiter that fails must not stop the organization's work (spec 8). It is part of the statement that claims, so a claim
 * that the database refuses is tried once more without it; only when that one is accepted was the limiter at fault.
 * @throws PollerGoneError
 */
export async function claimRun(deps: ClaimDeps, claimant: Claimant, isGone: () => boolean): Promise<ClaimOutcome> {
  // Its turn may have come long after it asked.
  if (isGone()) throw new PollerGoneError("the poller went away");
  const { limits, metrics } = deps;
  let withoutLimiter = false;
  const outcome = await claimOnce(deps, claimant, isGone, limits.rateLimit).catch((error: unknown) => {
    if (!limits.rateLimit || !mayBeLimiter(error)) throw error;
    withoutLimiter = true;
    return claimOnce(deps, claimant, isGone, false);
  });
  if (withoutLimiter) metrics.limiterErrors.inc();
  if (outcome.outcome === "claimed") metrics.runDispatch.inc({ outcome: "dispatched" });
  if (outcome.outcome === "throttled") metrics.runDispatch.inc({ outcome: "limited" });
  return outcome;
}

/** Refused by the database for a reason of the statement's own: not away, full, stopping, or in conflict with others. */
function mayBeLimiter(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && !/^(08|40|53|57)/.test(state);
}

async function claimOnce(
  deps: ClaimDeps,
  claimant: Claimant,
  isGone: () => boolean,
  limited: boolean,
): Promise<ClaimOutcome> {
  let sent: OutboxRow | undefined;
  const claiming = unitOfWork(deps.service, async (work): Promise<ClaimOutcome> => {
    sent = undefined;
    // Sent together, done one after the other: the claim begins when the locks are held.
    const [refusal, claimed] = await Promise.all([
      lockDispatch(work.tx, claimant, limited),
      takeHead(work, deps, claimant, limited),
    ]);
    if (refusal !== null) throw new RefusedClaim(refusal);
    if (isGone()) throw new PollerGoneError("the poller went away");
    if (claimed === "nothing") return { outcome: "nothing" };
    if (claimed === "no_token")
      return { outcome: "throttled", retryAfterSeconds: await stampThrottled(work.tx, claimant.orgId) };
    sent = claimed.message;
    return { outcome: "claimed", run: claimed.run };
  });
  const outcome = await claiming.catch((error: unknown) => {
    if (error instanceof RefusedClaim) return error.outcome;
    throw error;
  });
  if (sent !== undefined) deps.service.sendSoon([sent]);
  return outcome;
}

/** Rolls back a claim that the statement before it does not allow. */
class RefusedClaim extends Error {
  override name = "RefusedClaim";
  readonly outcome: ClaimOutcome;

  constructor(outcome: ClaimOutcome) {
    super(outcome.outcome);
    this.outcome = outcome;
  }
}

/** Take both dispatch rows and look once more at what may have changed while the poll waited. Null: the claim is allowed. */
async function lockDispatch(tx: Tx, claimant: Claimant, limited: boolean): Promise<ClaimOutcome | null> {
  // The organization's row is locked above the join, hence after the group's.
  const [row] = await tx.execute<{
    key_current: boolean;
    throttled_s: number | null;
  }>(sql`
    with g as materialized (
      select d.group_id, r.public_key_fingerprint = ${claimant.fingerprint} as key_current
      from dispatch_groups d join runner_groups r on r.id = d.group_id
      where d.group_id = ${claimant.groupId} for no key update of d
    )
    select g.key_current, ceil(extract(epoch from o.throttled_until - svc_now()))::int as throttled_s
    from g join dispatch_orgs o on o.org_id = ${claimant.orgId} for no key update of o`);
  if (!row?.key_current) return { outcome: "key_changed" };
  const seconds = row.throttled_s ?? 0;
  if (limited && seconds > 0) return { outcome: "throttled", retryAfterSeconds: seconds };
  return null;
}

type Taken = { run: ClaimedRun; message: OutboxRow };

/** The budget's part of the claim. The dispatch row it reads and writes is locked by the statement before. */
const tokenOf = (orgId: string) => ({
  bucket: sql`bucket as materialized (${bucketOf(orgId)}),`,
  hasToken: sql`exists (select from bucket where available >= 1)`,
  taken: sql`token as (
      update dispatch_orgs o set tokens = b.available - 1, refilled_at = b.now, throttled_until = null
      from bucket b, claimed c where o.org_id = b.org_id
    ),`,
});
const UNLIMITED: ReturnType<typeof tokenOf> = { bucket: sql``, hasToken: sql`true`, taken: sql`` };

type HeadRow = {
  looked_at: number;
  /** A run was there to be claimed, whether or not there was a token for it. */
  picked: boolean;
} & (ClaimedRow | { [column in keyof ClaimedRow]: null });

/** The event `run_assigned`, whom it assigned the run to, and the message that tells the run's lease. */
type ClaimedRow = {
  id: string;
  org_id: string;
  stack_key: string;
  deployment_id: string;
  run_id: string;
  data: DomainEvent["data"];
  runner_id: string;
  claim_seq: number;
  message_id: string;
  message: OutboxRow["message"];
  traceparent: string | null;
};

/**
 * The one statement that picks, takes a token, assigns and records. `nothing` when there is no room, no run, or none that
 * is free; `no_token` when one is, but the bucket is empty: then nothing is written.
 */
async function takeHead(
  work: Work,
  { service, limits, metrics }: ClaimDeps,
  claimant: Claimant,
  limited: boolean,
): Promise<Taken | "nothing" | "no_token"> {
  const { bucket, hasToken, taken } = limited ? tokenOf(claimant.orgId) : UNLIMITED;
  const [row] = await work.tx.execute<HeadRow>(sql`
    with ${bucket} clock as materialized (select svc_now() as now),
    room as materialized (
      select g.id as group_id from runner_groups g
      where g.id = ${claimant.groupId}
        and g.max_concurrent_runs > (select count(*) from runs h where h.org_id = g.org_id and h.assigned_group_id = g.id
          and h.status in ('assigned', 'running', 'requested_cancellation', 'cancelling'))
        and (${limits.maxPerOrg ?? null}::int is null
          or ${limits.maxPerOrg ?? null}::int > (select count(*) from runs h where h.org_id = g.org_id
            and h.status in ('assigned', 'running', 'requested_cancellation', 'cancelling')))
    ),
    candidates as materialized (
      select c.id, c.prioritized_at, c.first_pending_at
      from room join group_selectors s on s.group_id = room.group_id
      cross join lateral (
        select r.id, r.prioritized_at, r.first_pending_at from runs r
        where r.selector_id = s.selector_id and r.status = 'pending'
        order by r.prioritized_at, r.first_pending_at, r.id limit 16
      ) c
      order by c.prioritized_at, c.first_pending_at, c.id limit 16
    ),
    picked as materialized (
      select r.id from candidates c join runs r on r.id = c.id
      where r.status = 'pending'
      order by c.prioritized_at, c.first_pending_at, c.id
      limit 1 for no key update of r skip locked
    ),
    claimed as (
      update runs r set status = 'assigned', claim_seq = r.claim_seq + 1, assigned_runner_id = uuidv7(),
        assigned_group_id = ${claimant.groupId}, assigned_at = clock.now,
        assigned_expires_at = clock.now + ${service.timeouts.assignmentMs}::float8 * interval '1 millisecond'
      from picked, clock where r.id = picked.id and ${hasToken}
      returning r.id, r.org_id, r.deployment_id, r.claim_seq, r.assigned_runner_id as runner_id, r.traceparent, clock.now
    ),
    ${taken}
    stub as (
      insert into runners (id, org_id, group_id, run_id, claim_seq, status, last_seen_at, created_at)
      select c.runner_id, c.org_id, ${claimant.groupId}, c.id, c.claim_seq, 'not-ready', c.now, c.now from claimed c
    ),
    event as (
      insert into domain_events (org_id, name, stack_key, deployment_id, run_id, data, occurred_at)
      select c.org_id, 'run_assigned', d.stack_key, d.id, c.id,
        jsonb_build_object('mode', d.mode, 'origin_type', d.origin_type), c.now
      from claimed c join deployments d on d.id = c.deployment_id
      returning id, org_id, stack_key, deployment_id, run_id, data
    ),
    message as (
      insert into outbox (message, due_at, traceparent)
      select jsonb_build_object('kind', 'assignLease', 'runId', e.run_id, 'orgId', e.org_id, 'stackKey', e.stack_key,
        'deploymentId', e.deployment_id, 'mode', e.data ->> 'mode', 'origin', e.data ->> 'origin_type'),
        svc_now() + interval '2 seconds', c.traceparent
      from event e, claimed c
      returning id, message, traceparent
    )
    select (select count(*)::int from candidates) as looked_at, exists (select from picked) as picked,
      e.id, e.org_id, e.stack_key, e.deployment_id, e.run_id, e.data, c.runner_id, c.claim_seq,
      m.id::text as message_id, m.message, m.traceparent
    from (select) one left join (event e cross join claimed c cross join message m) on true`);
  if (row === undefined) throw new Error("the claim returned no row");
  if (row.id === null) {
    if (row.picked) return "no_token";
    // Work is there, but every candidate looked at is locked by a transition.
    if (row.looked_at > 0) metrics.dispatchBatchSaturated.inc();
    return "nothing";
  }
  work.messages.push(...messagesFor(assignedEvent(row)));
  const { message_id: id, message, traceparent } = row;
  return {
    run: { runId: row.run_id, runnerId: row.runner_id, claimSeq: row.claim_seq, orgId: row.org_id },
    message: { id, message, traceparent },
  };
}

function assignedEvent(row: ClaimedRow): DomainEvent {
  return {
    id: row.id,
    orgId: row.org_id,
    name: "run_assigned",
    stackKey: row.stack_key,
    deploymentId: row.deployment_id,
    runId: row.run_id,
    actor: null,
    preview: null,
    data: row.data,
  };
}
