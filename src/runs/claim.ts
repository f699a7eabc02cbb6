/**
 * The claim: hand the next pending run to a polling group (spec 3.3 pending -> assigned, design 6.4).
 *
 * Locks, in this order: the group's dispatch row, the organization's dispatch row, the run. The first two are taken by a
 * statement of their own, because a statement reads what was committed when it began: capacity counted in the statement
 * that waited for the lock would not see the claim it waited for. All claims of one organization are therefore serial until
 * the commit, and the counts are exact.
 *
 * Both statements (the other is in claimStatement.ts) are sent together and done in this order: each round trip less is time
 * in which neither a connection nor the organization's row is held.
 */
import { sql } from "drizzle-orm";
import type { Tx } from "../db/client.ts";
import { sqlState, unitOfWork } from "../db/unitOfWork.ts";
import type { OutboxRow } from "../outbox/message.ts";
import { stampThrottled } from "../runners/dispatchBudget.ts";
import type { Service } from "../service.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { takeHead } from "./claimStatement.ts";

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
