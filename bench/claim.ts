/**
 * The claim against a backlog of 1,000 and of 200,000 pending runs.
 *
 * The baseline is the bare indexed query in the same transaction: lock the group's row, take the head of
 * `runs_claimable` for the one known selector, write the same four rows (run, runner stub, domain event, outbox),
 * commit; over the same pool. What it lacks is what the product's claim promises on top: capacity and limits counted
 * under their locks, several selectors merged in order, the key and the throttle looked at again.
 */
import { sql } from "drizzle-orm";
import { claimRun } from "../src/core/dispatch/claim.ts";
import type { ClaimDeps } from "../src/core/dispatch/types.ts";
import { atMost, type Bench, type BenchContext, type BenchResult, rounded } from "./harness/bench.ts";
import { interleave, ratio, timed, typical } from "./harness/rounds.ts";
import { insertStacks } from "./harness/rows.ts";
import { limitsText, seedOrg, seedPendingRuns, selectorOf, settle, WIDE_LIMITS } from "./harness/seed.ts";
import { type BenchDatabase, type BenchPostgres, benchPostgres } from "./harness/servers.ts";
import { quietMetrics, quietService } from "./harness/service.ts";
import { summary } from "./harness/statistics.ts";

const SMALL = 1_000;
const LARGE = 200_000;
const STACKS = 2_000;
const ROUNDS = 30;
const CLAIMS = 50;
/** What the group holds when a turn begins, and after it 50 more: capacity is counted over these. */
const HELD = 5;

type Backlog = {
  bare(): Promise<number[]>;
  claim(): Promise<number[]>;
  claimWithBudget(): Promise<number[]>;
};

export const bench: Bench = {
  what: "the claim at 1,000 and 200,000 pending runs, against the bare indexed query in the same transaction",
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  context.say(limitsText(WIDE_LIMITS));
  const postgres = await benchPostgres(context);
  const small = await backlog(postgres, "small", SMALL);
  const large = await backlog(postgres, "large", LARGE);
  context.say(`${SMALL} and ${LARGE} runs are pending; ${ROUNDS} rounds of ${CLAIMS} claims each`);
  const taken = await interleave(
    {
      bareSmall: small.bare,
      claimSmall: small.claim,
      budgetSmall: small.claimWithBudget,
      bareLarge: large.bare,
      claimLarge: large.claim,
      budgetLarge: large.claimWithBudget,
    },
    { rounds: ROUNDS, warmUp: 2 },
  );
  for (const [name, rounds] of Object.entries(taken)) {
    context.say(
      `${name.padEnd(12)} p50 ${typical(rounds, 0.5).toFixed(3)} ms, p99 ${typical(rounds, 0.99).toFixed(3)} ms`,
    );
  }
  const figures = Object.fromEntries(Object.entries(taken).map(([name, rounds]) => [name, summary(rounds.flat())]));
  return {
    figures: {
      milliseconds: figures,
      with_budget_p50_to_bare_200k: rounded(ratio(taken.budgetLarge, taken.bareLarge, 0.5)),
    },
    bars: {
      claim_p50_to_bare_1k: atMost(ratio(taken.claimSmall, taken.bareSmall, 0.5), 1.5),
      claim_p50_to_bare_200k: atMost(ratio(taken.claimLarge, taken.bareLarge, 0.5), 1.5),
      claim_p99_200k_to_1k: atMost(ratio(taken.claimLarge, taken.claimSmall, 0.99), 1.5),
    },
  };
}

async function backlog(postgres: BenchPostgres, name: string, size: number): Promise<Backlog> {
  const database = await postgres.database(name);
  const { db, sql: support } = database;
  const org = await seedOrg(support, WIDE_LIMITS);
  const stacks = (await insertStacks(support, org.orgId, STACKS)).map((stack) => stack.stack_key);
  const selectorId = await selectorOf(support, org.orgId, {});
  await seedPendingRuns(support, org.orgId, stacks, [selectorId], size);
  await settle(support, "stacks", "deployments", "runs", "stages");
  const { groupId, fingerprint } = org.group;
  const claimant = { groupId, orgId: org.orgId, fingerprint };
  const deps = (rateLimit: boolean): ClaimDeps => ({
    service: quietService(db),
    limits: { rateLimit, maxPerOrg: undefined },
    metrics: quietMetrics(),
  });
  const claimer = (rateLimit: boolean) => {
    const own = deps(rateLimit);
    return async () => {
      const { outcome } = await claimRun(own, claimant, () => false);
      if (outcome !== "claimed") throw new Error(`a claim ended with ${outcome}`);
    };
  };
  /** Time a turn, then put the backlog back to its size: what was claimed ends, and as many join the tail. */
  const turn = (claim: () => Promise<unknown>) => async () => {
    const samples = await timed(CLAIMS, claim);
    await endClaimed(database, HELD);
    await seedPendingRuns(support, org.orgId, stacks, [selectorId], CLAIMS, 0);
    return samples;
  };
  return {
    bare: turn(() => bareClaim(database, groupId, selectorId)),
    claim: turn(claimer(false)),
    claimWithBudget: turn(claimer(true)),
  };
}

function bareClaim({ db }: BenchDatabase, groupId: string, selectorId: string): Promise<void> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`select 1 from dispatch_groups where group_id = ${groupId} for no key update`);
    const rows = await tx.execute(sql`
      with claimed as (
        update runs r set status = 'assigned', claim_seq = r.claim_seq + 1, assigned_runner_id = uuidv7(),
          assigned_group_id = ${groupId}, assigned_at = svc_now(), assigned_expires_at = svc_now() + interval '2 minutes'
        from (
          select id from runs where selector_id = ${selectorId} and status = 'pending'
          order by prioritized_at, first_pending_at, id limit 1 for no key update skip locked
        ) head
        where r.id = head.id
        returning r.id, r.org_id, r.deployment_id, r.claim_seq, r.assigned_runner_id
      ), stub as (
        insert into runners (id, org_id, group_id, run_id, claim_seq)
        select assigned_runner_id, org_id, ${groupId}, id, claim_seq from claimed
      ), event as (
        insert into domain_events (org_id, name, stack_key, deployment_id, run_id, data)
        select c.org_id, 'run_assigned', d.stack_key, d.id, c.id,
          jsonb_build_object('mode', d.mode, 'origin_type', d.origin_type)
        from claimed c join deployments d on d.id = c.deployment_id
        returning org_id, stack_key, deployment_id, run_id, data
      ), message as (
        insert into outbox (message, due_at)
        select jsonb_build_object('kind', 'assignLease', 'runId', e.run_id, 'orgId', e.org_id, 'stackKey', e.stack_key,
          'deploymentId', e.deployment_id, 'mode', e.data ->> 'mode', 'origin', e.data ->> 'origin_type'), svc_now()
        from event e
      )
      select id from claimed`);
    if (rows.length !== 1) throw new Error("the bare claim found nothing");
  });
}

/** End all but the newest `keep` claimed runs, in bulk and by legal steps. */
async function endClaimed({ sql: support }: BenchDatabase, keep: number): Promise<void> {
  await support`
    with ended as (
      update runs set status = 'cancelled', completed_at = svc_now(), assigned_expires_at = null
      where id in (select id from runs where status = 'assigned' order by assigned_at desc offset ${keep})
      returning deployment_id
    ), stages as (
      update stages s set phase = 'cancelled', completed_at = svc_now() from ended e where s.deployment_id = e.deployment_id
    )
    update deployments d set status = 'cancelled', completed_at = svc_now() from ended e where d.id = e.deployment_id`;
  await support`delete from outbox`;
}
