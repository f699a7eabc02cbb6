/**
 * The fault run: 300 deployments over 20 stacks with 20 simulated runners, against the product's programs as processes
 * of their own; every 5 s a random one of two APIs, two workers, Temporal, Postgres and the runners is killed with -9
 * and started again. At the end nothing may be lost, doubled or stuck, and every lane is free.
 *
 * Postgres runs with its normal durability, Temporal on its file. The timeouts are short, so that runs whose runner was
 * killed end within the bench.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { audit, type Findings } from "./faultRun/audit.ts";
import { startChaos } from "./faultRun/chaos.ts";
import { type Installation, startInstallation } from "./faultRun/installation.ts";
import { createAll, decideOn } from "./faultRun/people.ts";
import { startRunners } from "./faultRun/runners.ts";
import { Witness } from "./faultRun/witness.ts";
import { type Bench, type BenchContext, type BenchResult, exactly } from "./harness/bench.ts";
import { Person } from "./harness/person.ts";
import { insertStacks } from "./harness/rows.ts";
import { limitsText, seedOrg, WIDE_LIMITS } from "./harness/seed.ts";
import { summary } from "./harness/statistics.ts";

const DEPLOYMENTS = 300;
const STACKS = 20;
const RUNNERS = 20;
const KILL_EVERY_MS = 5_000;
const CREATE_EVERY_MS = 300;
/** Without any deployment ending for this long, what is left counts as stuck. */
const NO_PROGRESS_MS = 150_000;
/** Messages on their way and workflows about to end get this long once every row is terminal. */
const SETTLE_MS = 60_000;
const TIMEOUTS = {
  RUNNER_ASSIGNMENT_TIMEOUT: "PT10S",
  RUNNER_EXECUTION_TIMEOUT: "PT30S",
  RUNNER_CANCELLATION_TIMEOUT: "PT30S",
};

export const bench: Bench = {
  what: `${DEPLOYMENTS} deployments over ${STACKS} stacks while a random component is killed every ${KILL_EVERY_MS / 1000} s`,
  limitSeconds: 1_500,
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const { say, signal } = context;
  say(limitsText(WIDE_LIMITS));
  say(
    `timeouts: ${Object.entries(TIMEOUTS)
      .map((pair) => pair.join("="))
      .join(", ")}`,
  );
  const installation = await startInstallation(context, TIMEOUTS);
  const { sql, baseUrl } = installation;
  const org = await seedOrg(sql, WIDE_LIMITS);
  const slugs = (await insertStacks(sql, org.orgId, STACKS)).map(({ slug }) => slug);
  const person = new Person(() => baseUrl, org);
  const witness = new Witness();
  const fleet = await installation.fleet(org.group);
  const runners = startRunners(fleet, RUNNERS, witness);
  context.closers.add(() => runners.stop());
  const ending = new AbortController();
  const over = AbortSignal.any([signal, ending.signal]);
  const deciders = slugs.map((slug) => decideOn(person, slug, witness, over));

  const began = performance.now();
  const failed = new AbortController();
  const victims = [
    ...installation.components,
    { name: "a runner", kill: async () => runners.killOne(), start: async () => {} },
  ];
  const chaos = startChaos(victims, KILL_EVERY_MS, say, (error) => failed.abort(error));
  const halted = AbortSignal.any([over, failed.signal]);
  await createAll({ person, slugs, count: DEPLOYMENTS, everyMs: CREATE_EVERY_MS, witness, signal: halted });
  say(`all ${DEPLOYMENTS} were created after ${Math.round((performance.now() - began) / 1000)} s`);
  await untilAllEnded(installation, say, halted);
  const took = performance.now() - began;
  await chaos.stop();
  ending.abort();
  await Promise.all(deciders);
  await runners.stop();
  const openWorkflows = await installation.untilSettled(SETTLE_MS);
  const findings = await audit(sql, DEPLOYMENTS, witness, openWorkflows);
  for (const [kind, found] of Object.entries(findings)) for (const line of found) say(`${kind}: ${line}`);
  for (const line of witness.oddities) say(`odd: ${line}`);
  return report(installation, context, findings, witness, chaos.kills, took);
}

/** Wait until no deployment is live, or nothing has moved for long. */
async function untilAllEnded({ ask }: Installation, say: (line: string) => void, signal: AbortSignal): Promise<void> {
  let left = Number.POSITIVE_INFINITY;
  let movedAt = performance.now();
  while (left > 0) {
    signal.throwIfAborted();
    await sleep(1_000);
    const rows = await ask((sql) => sql`select count(*)::int as live from deployments where completed_at is null`);
    const live = rows?.[0]?.live ?? left;
    if (live !== left) movedAt = performance.now();
    left = live;
    if (performance.now() - movedAt > NO_PROGRESS_MS) {
      say(`nothing has ended for ${NO_PROGRESS_MS / 1000} s; ${left} deployments are left`);
      return;
    }
  }
}

async function report(
  { sql }: Installation,
  { folder }: BenchContext,
  findings: Findings,
  witness: Witness,
  kills: { name: string; outageMs: number | null }[],
  took: number,
): Promise<BenchResult> {
  const ends = await sql`select status, count(*)::int as n from deployments group by 1 order by 1`;
  const times = await sql`
    select extract(epoch from completed_at - created_at)::float8 * 1000 as ms from deployments where completed_at is not null`;
  const outages = Map.groupBy(kills, ({ name }) => name.replace(/-\d$/, ""));
  return {
    figures: {
      seconds: Math.round(took / 1000),
      deployments_per_minute: Math.round((DEPLOYMENTS / took) * 60_000),
      ends: Object.fromEntries(ends.map(({ status, n }) => [status, n])),
      created_to_ended_ms: summary(times.map(({ ms }) => ms)),
      kills: kills.length,
      kills_and_longest_outage_ms: Object.fromEntries(
        [...outages].map(([name, of]) => [name, [of.length, Math.max(...of.map(({ outageMs }) => outageMs ?? 0))]]),
      ),
      odd_answers: witness.oddities.length,
      alarms_in_logs: await alarms(folder),
    },
    bars: {
      lost: exactly(findings.lost.length, 0),
      doubled: exactly(findings.doubled.length, 0),
      stuck: exactly(findings.stuck.length, 0),
      lanes_not_free: exactly(findings.lanesNotFree.length, 0),
    },
  };
}

/** Lines of the programs' logs that say a rule of the schema had to step in: bugs that did no harm. */
async function alarms(folder: string): Promise<number> {
  const names = ["api-1", "api-2", "worker-1", "worker-2"];
  const logs = await Promise.all(names.map((name) => readFile(join(folder, `${name}.log`), "utf8")));
  return logs
    .join("\n")
    .split("\n")
    .filter((line) => /SV001|23505|23514|changed under its lock/.test(line)).length;
}
