/** Runs that are at work: their runners say that they live and push their logs, and people read meanwhile. */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { RunnerApi } from "../../runner/service/runnerApi.ts";
import { type Figures, rounded } from "../harness/bench.ts";
import { eachAtOnce } from "../harness/eachAtOnce.ts";
import { processTimes } from "../harness/processTime.ts";
import { claimNext } from "../harness/runner.ts";
import { seedPendingRuns, selectorOf } from "../harness/seed.ts";
import { summary } from "../harness/statistics.ts";
import type { World } from "./world.ts";

/** How often a runner comes, in milliseconds. */
export type Pace = { name: string; statusMs: number; logMs: number };

const ACCEPT_AT_ONCE = 8;
const LINE_BYTES = 80;

export type LiveRun = { runner: RunnerApi; lines: number };

/** So many runs more, claimed and accepted. */
export async function beginRuns({ sql, org, stacks, fleet }: World, count: number): Promise<LiveRun[]> {
  const keys = stacks.map(({ stack_key }) => stack_key);
  await seedPendingRuns(sql, org.orgId, keys, [await selectorOf(sql, org.orgId, {})], count);
  const begun: LiveRun[] = [];
  await eachAtOnce(Array.from({ length: count }), ACCEPT_AT_ONCE, async () => {
    const runner = await fleet.runner(await claimNext(fleet));
    await runner.accept();
    begun.push({ runner, lines: 0 });
  });
  await sql`delete from outbox`;
  return begun;
}

export type Held = { figures: Figures; carried: number };

/** Keep them going for so long, and say how much of what was due was answered. */
export async function keepGoing(world: World, runs: readonly LiveRun[], pace: Pace, ms: number): Promise<Held> {
  const { sql, api, person } = world;
  const stopping = AbortSignal.timeout(ms);
  const took = { status: [] as number[], log: [] as number[], read: [] as number[] };
  let refused = 0;
  const every = async (name: keyof typeof took, everyMs: number, work: () => Promise<unknown>) => {
    // Each begins somewhere in its turn.
    let due = performance.now() + Math.random() * everyMs;
    for (;;) {
      await sleep(Math.max(due - performance.now(), 0), undefined, { signal: stopping }).catch(() => {});
      if (stopping.aborted) return;
      const from = performance.now();
      await work().then(
        () => took[name].push(performance.now() - from),
        () => refused++,
      );
      // One that is late has its next turn after a whole pause, as the reference runner does.
      due = Math.max(due + everyMs, performance.now());
    }
  };
  const before = await countersOf(world);
  const from = performance.now();
  await Promise.all([
    ...runs.flatMap((run) => [
      every("status", pace.statusMs, () => run.runner.status()),
      every("log", pace.logMs, () => pushMore(run)),
    ]),
    every("read", 250, () => person.call("GET", "deployments?limit=20")),
  ]);
  const seconds = (performance.now() - from) / 1_000;
  const after = await countersOf(world);
  const due = runs.length * (1_000 / pace.statusMs + 1_000 / pace.logMs);
  const answered = (took.status.length + took.log.length) / seconds;
  const [status, log, read] = [summary(took.status), summary(took.log), summary(took.read)];
  const rows = await sql`select count(*)::int as n from runs where status = 'running'`;
  return {
    carried: answered / due,
    figures: {
      live_runs: rows[0]?.n,
      requests_due_per_second: rounded(due),
      answered_per_second: rounded(answered),
      refused,
      status_ms: [status.p50, status.p99],
      log_ms: [log.p50, log.p99],
      page_of_20_ms: [read.p50, read.p99],
      transactions_per_second: rounded((after.transactions - before.transactions) / seconds),
      api_cores: rounded((after.api - before.api) / seconds / 1_000),
      postgres_cores: rounded((after.postgres - before.postgres) / seconds / 1_000),
      api_memory_mb: await memoryOf(api.healthUrl),
    },
  };
}

/** The active chunk so far: it grows, and begins anew when it is full. */
async function pushMore(run: LiveRun): Promise<void> {
  run.lines = (run.lines + 5) % 400;
  const text = `${randomBytes(8).toString("hex")}: Still creating... `.padEnd(LINE_BYTES - 1, ".");
  const data = (await promisify(gzip)(Buffer.from(`${text}\n`.repeat(Math.max(run.lines, 5))))).toString("base64");
  await run.runner.pushLive(0, 0, data);
}

type Counters = { transactions: number; api: number; postgres: number };

async function countersOf({ sql, api, postgres }: World): Promise<Counters> {
  const [row] = await sql`
    select (xact_commit + xact_rollback)::float8 as transactions from pg_stat_database where datname = current_database()`;
  const times = await processTimes({ api: [api.pid()], postgres: [postgres] });
  return { transactions: row?.transactions, api: times?.api ?? 0, postgres: times?.postgres ?? 0 };
}

async function memoryOf(healthUrl: string): Promise<number> {
  const text = await (await fetch(`${healthUrl}/metrics`)).text();
  return Math.round(Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1] ?? 0) / 1_048_576);
}
