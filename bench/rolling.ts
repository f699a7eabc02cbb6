/**
 * A rolling upgrade over each of the newest migrations: 200 deployments live, an API and a worker of the version
 * before, then the migration, then an API and a worker of today beside them, then without the old ones. People and
 * runners go on all the time. No request fails but with a 503 that says when to come again, for less than a second, no
 * workflow task fails, and what holds for kills holds here.
 *
 *     BENCH_ROLLING_STEPS=1 npm run bench -- rolling     over the newest migration alone; all of them: 8
 *     BENCH_ROLLING_SHARE=0.2 ...                        40 deployments instead of 200
 *     BENCH_FAULT=gap ...                                for 3 s there is no API: the bench must fail
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { audit } from "./faultRun/audit.ts";
import { createAll, decideAll } from "./faultRun/people.ts";
import { startRunners } from "./faultRun/runners.ts";
import { Witness } from "./faultRun/witness.ts";
import { startBalancer } from "./harness/balancer.ts";
import { atMost, type Bench, type BenchContext, type BenchResult, exactly, type Figures } from "./harness/bench.ts";
import { faultOf } from "./harness/fault.ts";
import { openTemporalClient } from "./harness/histories.ts";
import { Person } from "./harness/person.ts";
import { type Program, startPrograms } from "./harness/programs.ts";
import { insertStacks } from "./harness/rows.ts";
import { openFleet } from "./harness/runner.ts";
import { seedOrg, WIDE_LIMITS } from "./harness/seed.ts";
import { benchPostgres, benchTemporal } from "./harness/servers.ts";
import { openWorkflows, untilAllClosed } from "./harness/settled.ts";
import { shareOf, sizeOf } from "./harness/sizes.ts";
import { until } from "./harness/until.ts";
import { type Asking, failed, keepAsking, longestOutage } from "./rolling/asking.ts";
import { failedTasks } from "./rolling/failedTasks.ts";
import { before, migrateWith, type Step, steps, TODAY } from "./rolling/versions.ts";

const LIVE = shareOf("BENCH_ROLLING_SHARE")(200);
/** As many are made again while the versions change. */
const DEPLOYMENTS = LIVE * 2;
const STACKS = Math.max(Math.round(LIVE / 4), 4);
const RUNNERS = 12;
const TOGETHER_MS = 20_000;
const SETTLE_MS = 300_000;
const GAP_MS = 3_000;

export const bench: Bench = {
  what: `old and new code together over each migration, with ${LIVE} live deployments`,
  limitSeconds: 5_400,
  run,
};

type Found = {
  failed: number;
  outageMs: number;
  failedTasks: number;
  wrong: number;
  unavailable: number;
  asked: number;
};

async function run(context: BenchContext): Promise<BenchResult> {
  const { say } = context;
  const fault = faultOf(["gap"]);
  const [database, temporal] = await Promise.all([benchPostgres(context), benchTemporal(context)]);
  const found: [string, Found][] = [];
  for (const [at, step] of (await steps(sizeOf("BENCH_ROLLING_STEPS", 8))).entries()) {
    const name = step.migrations.join(", ");
    say(`over ${name}`);
    const databaseName = `rolling_${at}`;
    await database.server.createDatabase(databaseName);
    const url = database.server.url(databaseName);
    found.push([name, await over(context, { step, at, url, temporal, gap: fault === "gap" })]);
    say(`over ${name}: ${JSON.stringify(found.at(-1)?.[1])}`);
  }
  const sum = (of: (one: Found) => number) => found.reduce((total, [, one]) => total + of(one), 0);
  return {
    figures: { deployments: DEPLOYMENTS, over: Object.fromEntries(found) as Figures },
    bars: {
      failed_requests: exactly(
        sum((one) => one.failed),
        0,
      ),
      longest_outage_ms: atMost(Math.max(0, ...found.map(([, { outageMs }]) => outageMs)), 1_000),
      failed_workflow_tasks: exactly(
        sum((one) => one.failedTasks),
        0,
      ),
      lost_doubled_or_stuck: exactly(
        sum((one) => one.wrong),
        0,
      ),
    },
  };
}

type Over = {
  step: Step;
  at: number;
  url: string;
  temporal: { address: string; namespace: string };
  gap: boolean;
};

async function over(context: BenchContext, { step, at, url, temporal, gap }: Over): Promise<Found> {
  const { say, signal, folder } = context;
  const since = new Date();
  const root = await before(step.commit, join(folder, `before-${at}`));
  await migrateWith(root, url);
  const sql = postgres(url, { max: 3, onnotice: () => {} });
  const org = await seedOrg(sql, WIDE_LIMITS);
  const env = { SVC_DATA_ENCRYPTION_KEY: randomBytes(32).toString("base64") };
  const options = { databaseUrl: url, temporalAddress: temporal.address, env };
  const old = await startPrograms(context, { ...options, version: { root, name: `before-${at}` } });
  const copies = apisOf(old);
  const baseUrl = await startBalancer(context, copies);
  const slugs = (await insertStacks(sql, org.orgId, STACKS)).map(({ slug }) => slug);
  const person = new Person(() => baseUrl, org);
  const witness = new Witness();
  const runners = startRunners(await openFleet(baseUrl, org.group, folder), RUNNERS, witness);
  const ending = new AbortController();
  const over = AbortSignal.any([signal, ending.signal]);
  const deciding = decideAll(person, witness, over);
  const creations = { person, slugs, everyMs: 20, witness, signal: over };
  await createAll({ ...creations, range: [0, LIVE] });
  const asking = keepAsking(() =>
    fetch(`${baseUrl}/api/v1/orgs/${org.orgId}/deployments?limit=20`, {
      headers: { authorization: `Bearer ${org.adminToken}` },
      signal: AbortSignal.timeout(10_000),
    }),
  );
  const more = createAll({ ...creations, range: [LIVE, DEPLOYMENTS], everyMs: (TOGETHER_MS * 2) / LIVE });
  await migrateWith(TODAY, url);
  const today = await startPrograms(context, { ...options, version: { root: TODAY, name: `today-${at}` } });
  copies.push(...apisOf(today));
  await sleep(TOGETHER_MS);
  copies.splice(0, gap ? copies.length : apisOf(old).length);
  await Promise.all(old.map((program) => program.stop()));
  if (gap) {
    await sleep(GAP_MS);
    copies.push(...apisOf(today));
  }
  await more;
  const live = async () => (await sql`select 1 from deployments where completed_at is null limit 1`).length === 0;
  await until("every deployment to have ended", SETTLE_MS, live, 500).catch((error) => say(String(error)));
  await asking.stop();
  ending.abort();
  await Promise.allSettled([deciding]);
  await runners.stop();
  const client = await openTemporalClient(context, {
    temporalAddress: temporal.address,
    namespace: temporal.namespace,
  });
  const open = await untilAllClosed(client, sql, 60_000).then(
    () => [],
    () => openWorkflows(client),
  );
  const findings = Object.values(await audit(sql, DEPLOYMENTS, witness, open)).flat();
  const tasks = await failedTasks(client, since);
  for (const line of [...findings, ...tasks, ...witness.oddities, ...witness.twoAnswers]) say(line);
  for (const { what } of failed(asking.refusals).slice(0, 10)) say(`a request was answered ${what}`);
  await Promise.all(today.map((program) => program.stop()));
  await sql.end({ timeout: 5 });
  return foundIn(asking, tasks.length, findings.length + witness.twoAnswers.length);
}

function apisOf(programs: readonly Program[]): string[] {
  return programs.filter(({ kind }) => kind === "api").map(({ baseUrl }) => baseUrl);
}

function foundIn({ asked, refusals }: Asking, tasks: number, wrong: number): Found {
  return {
    failed: failed(refusals).length,
    outageMs: Math.round(longestOutage(refusals)),
    failedTasks: tasks,
    wrong,
    unavailable: refusals.length,
    asked,
  };
}
