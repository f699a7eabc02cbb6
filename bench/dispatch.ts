/**
 * From a run that becomes pending to the poll that is answered with it, while 200 pollers of 10 groups wait; and what
 * those pollers cost while nothing happens. The time counts from `first_pending_at`, written before the commit, to the
 * answer at the poller; both by the clock of this machine.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { atMost, type Bench, type BenchContext, type BenchResult } from "./harness/bench.ts";
import { perSecond, statementsDuring } from "./harness/logged.ts";
import { type Product, startProduct } from "./harness/product.ts";
import { COMMIT, insertGroup, insertStacks } from "./harness/rows.ts";
import { type Fleet, openFleet } from "./harness/runner.ts";
import { selectorOf } from "./harness/seed.ts";
import { summary } from "./harness/statistics.ts";
import { until } from "./harness/until.ts";

const GROUPS = 10;
const POLLERS = 20;
const RUNS = 300;
const WARM_UP = 50;
const POLL_SECONDS = 50;
const IDLE_MS = 30_000;

export const bench: Bench = {
  what: `from pending to the answered poll with ${GROUPS * POLLERS} waiting pollers, and their statements while idle`,
  run,
};

/** When each run's poll was answered, in milliseconds since 1970. */
type Answers = Map<string, number>;

async function run(context: BenchContext): Promise<BenchResult> {
  const product = await startProduct(context);
  const { sql, org, person } = product;
  const answers: Answers = new Map();
  const slugs: string[] = [];
  const fleets: Fleet[] = [];
  for (let i = 0; i < GROUPS; i++) {
    const labels = { pool: `g${i}` };
    const group = await insertGroup(sql, org.orgId, { name: `group ${i}`, labels: labels });
    await selectorOf(sql, org.orgId, labels);
    const settings = { labels: sql.json({ "svc:runner-group:pool": `g${i}` }) };
    slugs.push(...(await insertStacks(sql, org.orgId, 1, settings)).map(({ slug }) => slug));
    fleets.push(await openFleet(product.baseUrl, group, context.folder));
  }
  const pollers = startPollers(context, fleets, answers);
  const samples: number[] = [];
  for (let i = 0; i < WARM_UP + RUNS; i++) {
    const deployment = await person.create(slugs[i % GROUPS] as string, { mode: "plan_unlocked", commit_sha: COMMIT });
    const took = await untilAnswered(product, answers, deployment.stages[0]?.run?.id as string);
    if (i >= WARM_UP) samples.push(took);
    await sleep(20 + Math.random() * 60);
  }
  const latency = summary(samples);
  context.say(`pending to answer: p50 ${latency.p50} ms, p99 ${latency.p99} ms, longest ${latency.max} ms`);
  // Polls that all begin now: none is renewed within the window, which costs its own statement each time.
  await pollers.stop();
  startPollers(context, fleets, answers);
  await sleep(1_000);
  const idle = await statementsDuring(product, IDLE_MS);
  const ofApi = perSecond([...idle].filter(([name]) => /^svc-(api|hints)/.test(name)).flatMap(([, times]) => times));
  const sent = Object.fromEntries([...idle].map(([name, times]) => [name, times.length]));
  context.say(`statements in ${IDLE_MS / 1000} idle seconds: ${JSON.stringify(sent)}`);
  return {
    figures: {
      milliseconds: latency,
      idle_statements: sent,
      idle_seconds: IDLE_MS / 1000,
      poll_seconds: POLL_SECONDS,
    },
    bars: {
      pending_to_answer_p50_ms: atMost(latency.p50, 50),
      pending_to_answer_p99_ms: atMost(latency.p99, 250),
      idle_statements_per_second: atMost(ofApi, 1),
    },
  };
}

/** All pollers of all groups, until stopped. */
function startPollers({ closers }: BenchContext, fleets: readonly Fleet[], answers: Answers) {
  const stopping = new AbortController();
  const polls = fleets.flatMap((fleet) =>
    Array.from({ length: POLLERS }, () => pollOn(fleet, answers, stopping.signal)),
  );
  const stop = async () => {
    stopping.abort();
    await Promise.all(polls);
  };
  closers.add(stop);
  return { stop };
}

/** Poll for ever; a run is given back as one that could not be started, which ends it. */
async function pollOn({ group }: Fleet, answers: Answers, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const { assignment } = await group.poll(POLL_SECONDS, signal);
      if (assignment === null) continue;
      answers.set(assignment.run_id, Date.now());
      await group.dispatchFailed(assignment, "the bench only looks at the claim");
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

async function untilAnswered({ sql }: Product, answers: Answers, runId: string): Promise<number> {
  const answered = await until("the poll to be answered", 10_000, () => answers.get(runId), 5);
  const [row] =
    await sql`select extract(epoch from first_pending_at)::float8 * 1000 as at from runs where id = ${runId}`;
  return answered - (row?.at as number);
}
