/**
 * The claim: hand the next pending run to a polling group (docs/rules/dispatch.md#the-claim).
 *
 * Locks, in this order: the group's dispatch row, the organization's dispatch row, the run. The first two are taken by
 * a statement of their own, because a statement reads what was committed when it began: capacity counted in the
 * statement that waited for the lock would not see the claim it waited for. All claims of one organization are
 * therefore serial until the commit, and the counts are exact.
 *
 * Both statements (the other is in claimStatement.ts) are sent together and done in this order: each round trip less is
 * time in which neither a connection nor the organization's row is held.
 */
import { sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/client.ts";
import type { OutboxRow } from "../../work/schema.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import { takeHead } from "./claimStatement.ts";
import { stampThrottled } from "./dispatchBudget.ts";
import { failOpen, NoBucketError } from "./failOpen.ts";
import type { Claimant, ClaimDeps, ClaimOutcome, DispatchLimits, Limiter } from "./types.ts";

/** The poller went away before its claim was committed; nothing was claimed. */
export class PollerGoneError extends Error {
  override name = "PollerGoneError";
}

/**
 * Claim at most one run. `isGone` is asked right before the commit, so that a run is not handed to nobody.
 * @throws PollerGoneError
 */
export async function claimRun(deps: ClaimDeps, claimant: Claimant, isGone: () => boolean): Promise<ClaimOutcome> {
  const outcome = await failOpen(deps, (limiter) => claimOnce(deps, claimant, isGone, limiter));
  if (outcome.outcome === "claimed") deps.metrics.runDispatch.inc({ outcome: "dispatched" });
  if (outcome.outcome === "throttled") deps.metrics.runDispatch.inc({ outcome: "limited" });
  return outcome;
}

async function claimOnce(
  deps: ClaimDeps,
  claimant: Claimant,
  isGone: () => boolean,
  limiter: Limiter,
): Promise<ClaimOutcome> {
  let sent: OutboxRow | undefined;
  const claiming = unitOfWork(deps.service, async (work): Promise<ClaimOutcome> => {
    sent = undefined;
    // Sent together, done one after the other: the claim begins when the locks are held.
    const [refusal, claimed] = await Promise.all([
      lockDispatch(work.tx, claimant, limiter, deps.limits),
      takeHead(work, deps, claimant, limiter),
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

/**
 * Take both dispatch rows and look once more at what may have changed while the poll waited. Null: the claim is
 * allowed.
 * @throws NoBucketError
 */
async function lockDispatch(
  tx: Tx,
  claimant: Claimant,
  limiter: Limiter,
  { maxPerOrg }: DispatchLimits,
): Promise<ClaimOutcome | null> {
  const stamp = limiter === "on" ? sql`throttled_until` : sql`null::timestamptz`;
  // Past a limiter that failed only the cap still needs the organization's row, if it is there. It is looked for when
  // the group was found, hence its lock comes second.
  const bucket =
    limiter === "failed" && maxPerOrg === undefined
      ? sql`select null::timestamptz as throttled_until`
      : sql`select ${stamp} as throttled_until from dispatch_orgs
          where org_id = ${claimant.orgId} and exists (select from g) for no key update`;
  const [row] = await tx.execute<{
    key_current: boolean;
    has_bucket: boolean;
    throttled_s: number | null;
  }>(sql`
    with g as materialized (
      select r.public_key_fingerprint = ${claimant.fingerprint} as key_current
      from dispatch_groups d join runner_groups r on r.id = d.group_id
      where d.group_id = ${claimant.groupId} for no key update of d
    ),
    o as materialized (${bucket})
    select g.key_current, exists (select from o) as has_bucket,
      ceil(extract(epoch from (select throttled_until from o) - svc_now()))::int as throttled_s
    from g`);
  if (!row?.key_current) return { outcome: "key_changed" };
  if (limiter === "on" && !row.has_bucket) throw new NoBucketError("the organization has no bucket");
  const seconds = row.throttled_s ?? 0;
  return seconds > 0 ? { outcome: "throttled", retryAfterSeconds: seconds } : null;
}
