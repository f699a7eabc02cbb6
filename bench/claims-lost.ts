/**
 * 10,000 claims, one in five of which comes to nothing: its runner dies before it says a word, after it was ready, or
 * has sent its accept and never sees the answer. A lost claim that was not accepted is one attempt, no more and no
 * less, and its run is claimed again; an accept whose answer was lost ends its run when it is repeated, or when nobody
 * is heard of any more. All of it within a second of the deadline, by the database's clock.
 *
 *     BENCH_CLAIMS_LOST_SHARE=0.05 npm run bench -- claims-lost     a twentieth, some 2 minutes
 *     BENCH_FAULT=attempt ...     an attempt is counted that nobody made: the bench must fail
 *     BENCH_FAULT=late ...        the worker stands still for 3 s now and then: the bench must fail
 */
import { type Claimants, startClaimants } from "./claimsLost/claimants.ts";
import { compare, type Fate } from "./claimsLost/compare.ts";
import { lateness, rowsOf } from "./claimsLost/rows.ts";
import { ATTEMPTS, DEPLOYMENTS, LEASE_MS, LOST, RUNNERS, SILENCE_MS, STACKS } from "./claimsLost/sizes.ts";
import { atMost, type Bench, type BenchContext, type BenchResult, exactly, rounded } from "./harness/bench.ts";
import { eachAtOnce } from "./harness/eachAtOnce.ts";
import { faultOf } from "./harness/fault.ts";
import { pausing } from "./harness/pausing.ts";
import { type Product, startProduct } from "./harness/product.ts";
import { COMMIT, insertStacks } from "./harness/rows.ts";
import { seeded } from "./harness/seeded.ts";
import { summary } from "./harness/statistics.ts";
import { until } from "./harness/until.ts";

const LATE_MS = 1_000;
/** All of them wait at once in the end for the last lapses of an unlucky run. */
const SETTLE_MS = 240_000;
const CREATE_AT_ONCE = 6;
const STILL = { forMs: 3_000, everyMs: 9_000 };

export const bench: Bench = {
  what: `${DEPLOYMENTS} deployments, of whose claims one in five dies before or over its accept`,
  limitSeconds: 5_400,
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const { say, signal } = context;
  const chance = seeded(say);
  const fault = faultOf(["attempt", "late"]);
  const product = await startProduct(context, {
    env: {
      RUNNER_ASSIGNMENT_TIMEOUT: `PT${LEASE_MS / 1_000}S`,
      RUNNER_EXECUTION_TIMEOUT: `PT${SILENCE_MS / 1_000}S`,
      RUNNER_MAX_ASSIGNMENT_ATTEMPTS: String(ATTEMPTS),
    },
  });
  const { sql, org, person, fleet } = product;
  const slugs = (await insertStacks(sql, org.orgId, STACKS)).map(({ slug }) => slug);
  const claimants = startClaimants(fleet, RUNNERS, chance);
  context.closers.add(() => claimants.stop());
  const still = fault === "late" ? pausing(product.processes.worker, STILL) : null;
  const began = performance.now();
  await eachAtOnce([...Array(DEPLOYMENTS).keys()], CREATE_AT_ONCE, async (i) => {
    signal.throwIfAborted();
    await person.create(slugs[i % slugs.length] as string, { mode: "plan", commit_sha: COMMIT });
  });
  say(`all are created after ${Math.round((performance.now() - began) / 1_000)} s`);
  let left = DEPLOYMENTS;
  const live = async () => {
    const [row] = await sql`select count(*)::int as left from deployments where completed_at is null`;
    left = row?.left ?? left;
    return left === 0;
  };
  await until("every deployment to have ended", 3_600_000, live, 500).catch((error) => say(String(error)));
  await until("the outbox to be empty", SETTLE_MS, async () => (await sql`select 1 from outbox limit 1`).length === 0);
  const seconds = (performance.now() - began) / 1_000;
  await still?.stop();
  await claimants.stop();
  if (fault === "attempt")
    await sql`update runs set assignment_attempts = assignment_attempts + 1 where id = (select min(id::text)::uuid from runs)`;
  return judge(context, product, claimants, left, seconds);
}

async function judge(
  { say }: BenchContext,
  { sql }: Product,
  { fates, claims, oddities }: Claimants,
  left: number,
  seconds: number,
): Promise<BenchResult> {
  const found = compare(await rowsOf(sql), fates, ATTEMPTS);
  for (const [kind, lines] of Object.entries(found)) for (const line of lines) say(`${kind}: ${line}`);
  for (const line of oddities) say(`odd: ${line}`);
  const silent = [...fates].flatMap(([id, of]) => (of.at(-1) === "answer_lost" ? [id] : []));
  const late = await lateness(sql, silent);
  const all = [...late.lease, ...late.silence];
  const counted = Map.groupBy([...fates.values()].flat(), (fate: Fate) => fate);
  return {
    figures: {
      seconds: Math.round(seconds),
      claims,
      claims_per_second: rounded(claims / seconds),
      lost_share: rounded(1 - (counted.get("done")?.length ?? 0) / claims),
      fates: Object.fromEntries([...counted].map(([fate, of]) => [fate, of.length])),
      used_up_all_attempts: [...fates.values()].filter((of) => of.length >= ATTEMPTS && of.at(-1) !== "done").length,
      late_ms: { lease: summary(late.lease), silence: summary(late.silence) },
    },
    bars: {
      attempts_wrong: exactly(found.attempts.length, 0),
      ends_wrong: exactly(found.ends.length, 0),
      claimed_again: exactly(found.again.length, 0),
      lost: exactly(found.lost.length + left, 0),
      odd_answers: exactly(oddities.length, 0),
      early: exactly(all.filter((ms) => ms < -1).length, 0),
      late_p99_ms: atMost(summary(all).p99, LATE_MS),
      lost_share_off: atMost(Math.abs(1 - (counted.get("done")?.length ?? 0) / claims - LOST), 0.1),
    },
  };
}
