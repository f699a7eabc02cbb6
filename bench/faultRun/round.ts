/**
 * Deployments by the thousand while something is done to the installation that carries them out. Nothing may be lost,
 * done twice or stuck: rows are compared with what people and runners saw.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { atLeast, type BenchContext, type BenchResult, exactly, type Figures, rounded } from "../harness/bench.ts";
import { faultOf } from "../harness/fault.ts";
import { Person } from "../harness/person.ts";
import { insertStacks } from "../harness/rows.ts";
import { limitsText, seedOrg, WIDE_LIMITS } from "../harness/seed.ts";
import { type Seeded, seeded } from "../harness/seeded.ts";
import { summary } from "../harness/statistics.ts";
import { audit, type Findings } from "./audit.ts";
import { type Installation, startInstallation } from "./installation.ts";
import { createAll, decideAll } from "./people.ts";
import { type Runners, startRunners } from "./runners.ts";
import { commitOf } from "./story.ts";
import { Witness } from "./witness.ts";

/** What is done to it meanwhile. */
export type Disturbance = {
  /** How often what was done, and the longest that it took to be over, in milliseconds. */
  done(): Record<string, [count: number, longestMs: number]>;
  /** Do no more, and wait until everything serves again. */
  stop(): Promise<void>;
};
export type Disturb = (world: {
  installation: Installation;
  coordinators: readonly Runners[];
  chance: Seeded;
  say(line: string): void;
  /** Something does not come back. */
  onFailure(error: unknown): void;
}) => Promise<Disturbance> | Disturbance;

export type FaultPlan = {
  deployments: number;
  stacks: number;
  coordinators: number;
  runnersEach: number;
  createEveryMs: number;
  /** As many as are live at once at most; more are created when some have ended. */
  mostLive: number;
  timeouts: Record<string, string>;
  disturb: Disturb;
  withNetwork?: boolean;
  /** A folder with the programs of a real Temporal server; absent: the development server. */
  server?: string;
  /** The first part of them is left in peace, to compare the pace with. */
  peaceful?: number;
  /** The least pace under disturbance, as a part of the peaceful one. */
  leastPace?: number;
  /** In the middle the database is backed up, and in the end everything goes on from there. */
  withRestore?: boolean;
};

/** Without any deployment ending for this long, what is left counts as stuck. */
const NO_PROGRESS_MS = 150_000;
/** Messages on their way and workflows about to end get this long once every row is terminal. */
const SETTLE_MS = 90_000;

/** What can be done on purpose: a row that vanishes, a deployment that is made again, one that nobody ends. */
const FAULTS = ["lose", "double", "stuck"] as const;

export async function faultRound(context: BenchContext, plan: FaultPlan): Promise<BenchResult> {
  const { say, signal } = context;
  const chance = seeded(say);
  const fault = faultOf(FAULTS);
  say(limitsText(WIDE_LIMITS));
  const { timeouts, withNetwork = false, server } = plan;
  say(
    `timeouts: ${Object.entries(timeouts)
      .map((pair) => pair.join("="))
      .join(", ")}`,
  );
  const installation = await startInstallation(context, timeouts, { withNetwork, ...(server && { server }) });
  const { sql, baseUrl } = installation;
  const org = await seedOrg(sql, WIDE_LIMITS);
  const slugs = (await insertStacks(sql, org.orgId, plan.stacks)).map(({ slug }) => slug);
  const person = new Person(() => baseUrl, org);
  const witness = new Witness();
  const fleet = await installation.fleet(org.group);
  const coordinators = Array.from({ length: plan.coordinators }, () => startRunners(fleet, plan.runnersEach, witness));
  for (const one of coordinators) context.closers.add(() => one.stop());
  const ending = new AbortController();
  const failed = new AbortController();
  const halted = AbortSignal.any([signal, ending.signal, failed.signal]);
  const deciding = decideAll(person, witness, halted);
  const live = watchLive(installation, halted);

  const begin = { person, slugs, everyMs: plan.createEveryMs, witness, signal: halted };
  const hasRoom = () => live.count < plan.mostLive;
  const phase = async (from: number, to: number, inTheMiddle?: () => Promise<void>) => {
    const began = performance.now();
    const middle = inTheMiddle ? Math.round((from + to) / 2) : to;
    await createAll({ ...begin, range: [from, middle], hasRoom });
    await inTheMiddle?.();
    await createAll({ ...begin, range: [middle, to], hasRoom });
    say(`${to - from} were created after ${Math.round((performance.now() - began) / 1_000)} s`);
    await untilAllEnded(installation, witness, say, halted);
    return {
      seconds: (performance.now() - began) / 1_000,
      perMinute: ((to - from) / (performance.now() - began)) * 60_000,
    };
  };
  const { peaceful = 0 } = plan;
  const peace = peaceful > 0 ? await phase(0, peaceful) : null;
  const onFailure = (error: unknown) => failed.abort(error);
  const disturb = () => plan.disturb({ installation, coordinators, chance, say, onFailure });
  const disturbances = [await disturb()];
  const backUp = async () => {
    await disturbances[0]?.stop();
    say("backed up while deployments are live");
    await installation.backUp();
    disturbances.push(await disturb());
  };
  const disturbed = await phase(peaceful, plan.deployments, plan.withRestore ? backUp : undefined);
  await Promise.all(disturbances.map((one) => one.stop()));
  const settled = await installation.untilSettled(SETTLE_MS);
  if (fault !== null) await breakOnPurpose(installation, fault);
  const findings = await audit(sql, plan.deployments, witness, settled);
  if (plan.withRestore) {
    const live = await restored(installation);
    say(`restored with ${live} live deployments`);
    await untilAllEnded(installation, witness, say, halted);
    // What was told after the backup is gone with it: only that everything ends is left to look at.
    const { stuck, lanesNotFree } = await audit(sql, 0, witness, await installation.untilSettled(SETTLE_MS));
    findings.stuck.push(...stuck.map((what) => `after the restore: ${what}`));
    findings.lanesNotFree.push(...lanesNotFree.map((what) => `after the restore: ${what}`));
  }
  ending.abort();
  await Promise.allSettled([deciding, live.stopped]);
  await Promise.all(coordinators.map((one) => one.stop()));
  for (const [kind, found] of Object.entries(findings)) for (const line of found) say(`${kind}: ${line}`);
  for (const line of [...witness.oddities, ...witness.twoAnswers]) say(`odd: ${line}`);
  const pace = peace === null ? null : disturbed.perMinute / peace.perMinute;
  const done = together(disturbances.map((one) => one.done()));
  return {
    figures: {
      seconds: Math.round(disturbed.seconds),
      deployments_per_minute: rounded(disturbed.perMinute),
      ...(peace !== null && { peaceful_per_minute: rounded(peace.perMinute) }),
      done_to_it: Object.values(done).reduce((sum, [count]) => sum + count, 0),
      done_and_longest_ms: done,
      asked_twice: witness.askedTwice,
      odd_answers: witness.oddities.length,
      ...(await endFigures(installation)),
      alarms_in_logs: await alarms(context.folder),
    },
    bars: {
      ...barsOf(findings),
      two_answers: exactly(witness.twoAnswers.length, 0),
      done_to_it: atLeast(Object.keys(done).length, 1),
      ...(pace !== null && { pace: atLeast(pace, plan.leastPace ?? 0) }),
    },
  };
}

/** Counts add up, of the longest times the longest is kept. */
function together(all: readonly ReturnType<Disturbance["done"]>[]): ReturnType<Disturbance["done"]> {
  const sum: ReturnType<Disturbance["done"]> = {};
  for (const [name, [count, longestMs]] of all.flatMap(Object.entries<[number, number]>)) {
    const [before, longest] = sum[name] ?? [0, 0];
    sum[name] = [before + count, Math.max(longest, longestMs)];
  }
  return sum;
}

/** How many deployments are live again. */
async function restored(installation: Installation): Promise<number> {
  await installation.restore();
  const rows = await installation.ask((sql) => sql`select 1 from deployments where completed_at is null`);
  return rows?.length ?? 0;
}

function barsOf(findings: Findings): BenchResult["bars"] {
  return {
    lost: exactly(findings.lost.length, 0),
    doubled: exactly(findings.doubled.length, 0),
    stuck: exactly(findings.stuck.length, 0),
    lanes_not_free: exactly(findings.lanesNotFree.length, 0),
  };
}

/** How many are live, looked at now and then; while the database is away, as many as were. */
function watchLive({ ask }: Installation, signal: AbortSignal): { count: number; stopped: Promise<void> } {
  const live = { count: 0, stopped: Promise.resolve() };
  const loop = async () => {
    while (!signal.aborted) {
      const rows = await ask((sql) => sql`select count(*)::int as live from deployments where completed_at is null`);
      live.count = rows?.[0]?.live ?? live.count;
      await sleep(1_000, undefined, { signal }).catch(() => {});
    }
  };
  live.stopped = loop();
  return live;
}

/** Wait until no deployment is live, or nothing has moved for long. */
async function untilAllEnded(
  { ask }: Installation,
  { oddities }: Witness,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let left = Number.POSITIVE_INFINITY;
  let movedAt = performance.now();
  while (left > 0) {
    signal.throwIfAborted();
    await sleep(500);
    const rows = await ask((sql) => sql`select count(*)::int as live from deployments where completed_at is null`);
    const live = rows?.[0]?.live ?? left;
    if (live !== left) movedAt = performance.now();
    left = live;
    if (performance.now() - movedAt > NO_PROGRESS_MS) {
      say(`nothing has ended for ${NO_PROGRESS_MS / 1_000} s; ${left} deployments are left`);
      const rows = await ask(
        (sql) => sql`
          select mode || ' ' || status || ' ' || commit_sha as what from deployments where completed_at is null limit 20`,
      );
      for (const { what } of rows ?? []) say(`left: ${what}`);
      for (const what of oddities.slice(-5)) say(`odd of late: ${what}`);
      return;
    }
  }
}

/** So that it is known that the comparison sees it. */
async function breakOnPurpose({ sql }: Installation, fault: (typeof FAULTS)[number]): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    const first = commitOf(0);
    if (fault === "lose") await tx`delete from deployments where commit_sha = ${first}`;
    if (fault === "double") await tx`update deployments set commit_sha = ${first} where commit_sha = ${commitOf(1)}`;
    if (fault !== "stuck") return;
    // What a row may say that has not ended hangs on what it has been through; here it only has to be seen.
    const checks = await tx`
      select conname from pg_constraint where conrelid = 'deployments'::regclass and contype = 'c'`;
    for (const { conname } of checks) await tx`alter table deployments drop constraint ${tx(conname)}`;
    await tx`update deployments set status = 'planning', completed_at = null where commit_sha = ${first}`;
  });
}

async function endFigures({ sql }: Installation): Promise<Figures> {
  const ends = await sql`select mode, status, count(*)::int as n from deployments group by 1, 2 order by 1, 2`;
  const times = await sql`
    select extract(epoch from completed_at - created_at)::float8 * 1000 as ms from deployments where completed_at is not null`;
  return {
    ends: Object.fromEntries(ends.map(({ mode, status, n }) => [`${mode} ${status}`, n])),
    created_to_ended_ms: summary(times.map(({ ms }) => ms)),
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
