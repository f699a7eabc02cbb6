/**
 * How late deadlines act: lease, startup, queued and confirmation timeouts, each short, a hundred of each while the
 * service is busy with the others. A deadline's time and its effect are both by the database's clock.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { atMost, type Bench, type BenchContext, type BenchResult, exactly } from "./harness/bench.ts";
import { openLane } from "./harness/lane.ts";
import { type Product, startProduct } from "./harness/product.ts";
import { COMMIT, type StackRow } from "./harness/rows.ts";
import { CHANGES, claimNext, execute } from "./harness/runner.ts";
import { type Summary, summary } from "./harness/statistics.ts";
import { until } from "./harness/until.ts";

const SAMPLES = 100;
const EVERY_MS = 900;
const LEASE_MS = 2_000;
const STARTUP_MS = 6_000;
const POLICY_MS = 2_000;

const KINDS = ["lease", "startup", "queued", "confirmation"] as const;
type Kind = (typeof KINDS)[number];
/** A deployment whose deadline of one kind is looked at. */
type Watched = { id: string; kind: Kind };

export const bench: Bench = {
  what: "how late the lease, startup, queued and confirmation deadlines act",
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const env = {
    RUNNER_ASSIGNMENT_TIMEOUT: `PT${LEASE_MS / 1000}S`,
    // The first lapse ends the run, so that no later claim of the bench meets it again.
    RUNNER_MAX_ASSIGNMENT_ATTEMPTS: "1",
    RUNNER_STARTUP_DEADLINE: `PT${STARTUP_MS / 1000}S`,
  };
  const product = await startProduct(context, { env });
  const { person } = product;
  const lease = await openLane(context, product, "lease", SAMPLES);
  const startup = await openLane(context, product, "startup", SAMPLES);
  const queued = await openLane(context, product, "queued", 1, { queued_timeout_ms: POLICY_MS });
  const policy = { confirmation_timeout_ms: POLICY_MS };
  const confirmation = await openLane(context, product, "confirmation", SAMPLES, policy);
  const create = async (stack: StackRow | undefined) =>
    (await person.create(stack?.slug ?? "", { mode: "plan", commit_sha: COMMIT })).id;
  // The holder of the lane that others queue for waits for a person who never comes.
  await create(queued.stacks[0]);
  await execute(queued.fleet, await claimNext(queued.fleet), CHANGES);

  const makers: Record<Kind, (i: number) => Promise<string>> = {
    lease: async (i) => {
      const id = await create(lease.stacks[i]);
      await claimNext(lease.fleet);
      return id;
    },
    startup: (i) => create(startup.stacks[i]),
    queued: () => create(queued.stacks[0]),
    confirmation: async (i) => {
      const id = await create(confirmation.stacks[i]);
      await execute(confirmation.fleet, await claimNext(confirmation.fleet), CHANGES);
      return id;
    },
  };
  const watched: Watched[] = [];
  for (let i = 0; i < SAMPLES; i++) {
    const rest = sleep(EVERY_MS);
    for (const kind of KINDS) watched.push({ kind, id: await makers[kind](i) });
    await rest;
  }
  return judge(context, await overshoots(product, watched));
}

/** Milliseconds from each deadline to its effect, once all have had theirs. */
async function overshoots({ sql }: Product, watched: readonly Watched[]): Promise<Record<Kind, number[]>> {
  const read = () => sql<
    { id: string; lease: number | null; startup: number; queued: number; confirmation: number | null }[]
  >`
    select d.id,
      1000 * extract(epoch from d.completed_at - assigned.at)::float8 - ${LEASE_MS} as lease,
      1000 * extract(epoch from d.completed_at - r.first_pending_at)::float8 - ${STARTUP_MS} as startup,
      1000 * extract(epoch from d.completed_at - d.created_at)::float8 - ${POLICY_MS} as queued,
      1000 * extract(epoch from d.completed_at - waiting.at)::float8 - ${POLICY_MS} as confirmation
    from deployments d join runs r on r.deployment_id = d.id
    cross join lateral (select min(occurred_at) as at from domain_events e where e.deployment_id = d.id and e.name = 'run_assigned') assigned
    cross join lateral (select min(occurred_at) as at from domain_events e
      where e.deployment_id = d.id and e.name = 'deployment_waiting_for_confirmation') waiting
    where d.completed_at is not null`;
  const rows = await until(
    "all deadlines to have passed",
    60_000,
    async () => {
      const done = new Map((await read()).map((row) => [row.id, row]));
      return watched.every(({ id }) => done.has(id)) ? done : null;
    },
    500,
  );
  const found: Record<Kind, number[]> = { lease: [], startup: [], queued: [], confirmation: [] };
  for (const { id, kind } of watched) {
    const late = rows.get(id)?.[kind];
    if (typeof late !== "number") throw new Error(`deployment ${id} met no ${kind} deadline`);
    found[kind].push(late);
  }
  return found;
}

function judge({ say }: BenchContext, late: Record<Kind, number[]>): BenchResult {
  const figures = Object.fromEntries(KINDS.map((kind) => [kind, summary(late[kind])])) as Record<Kind, Summary>;
  for (const kind of KINDS) {
    const { p50, p99, max } = figures[kind];
    say(`${kind.padEnd(12)} late by p50 ${p50} ms, p99 ${p99} ms, most ${max} ms`);
  }
  const early = KINDS.flatMap((kind) => late[kind]).filter((ms) => ms < 0).length;
  return {
    figures: { milliseconds_late: figures },
    bars: {
      ...Object.fromEntries(KINDS.map((kind) => [`${kind}_p99_ms`, atMost(figures[kind].p99, 1_000)])),
      early: exactly(early, 0),
    },
  };
}
