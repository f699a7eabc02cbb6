/**
 * A page of 100: of 10,000 stacks, of the 100,000 deployments of one stack, and of all deployments of the organization,
 * first page and a page in the middle.
 *
 * The baseline is the page query itself, sent over the same pool: what the product's page adds to it is authentication,
 * the scope of the caller, cursors, the sentences that say what a deployment waits for, and the answer as JSON. Told
 * beside it is the page query as one would write it by hand, of the same rows without their places in the queue and
 * what they wait for. Then the same pages over HTTP from an API that is a process of its own, beside the best
 * open-source peer measured on this kind of machine.
 */
import { countStatements } from "../src/platform/db/statements.ts";
import { openApp } from "./harness/app.ts";
import { atLeast, atMost, type Bench, type BenchContext, type BenchResult, rounded } from "./harness/bench.ts";
import { startPrograms } from "./harness/programs.ts";
import { interleave, type Rounds, ratio, timed, typical } from "./harness/rounds.ts";
import { insertStacks } from "./harness/rows.ts";
import { limitsText, seedOrg, seedPendingRuns, selectorOf, settle, WIDE_LIMITS } from "./harness/seed.ts";
import { type BenchDatabase, type BenchPostgres, benchPostgres } from "./harness/servers.ts";
import { median, summary } from "./harness/statistics.ts";

const FEW = { stacks: 1_000, deployments: 1_000 };
const MANY = { stacks: 10_000, deployments: 100_000 };
/** Deployments of the list that have not ended, so that their pages also say what they wait for. */
const LIVE = 50;
const ROUNDS = 12;
const READS = 20;
const PAGE = 100;
const HTTP_ROUNDS = 5;
const HTTP_MS = 2_000;
const CLIENTS = 4;
const PEER = { milliseconds: 527, requests_per_second: 2 };

export const bench: Bench = {
  what: "list pages of 100 at 10,000 stacks and 100,000 deployments, against the page query itself, and over HTTP",
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  context.say(limitsText(WIDE_LIMITS));
  const postgres = await benchPostgres(context);
  const few = await lists(context, postgres, "few", FEW);
  const many = await lists(context, postgres, "many", MANY);
  context.say(`${MANY.stacks} stacks and ${MANY.deployments} deployments; ${ROUNDS} rounds of ${READS} pages each`);
  const statements = {
    stacks: await many.statements(many.paths.stacks),
    deployments: await many.statements(many.paths.deployments),
    deployments_middle: await many.statements(many.paths.middle),
    all_deployments: await many.statements(many.paths.all),
  };
  const taken = await interleave(
    {
      queryStacks: () => timed(READS, many.queryStacks),
      byHandStacks: () => timed(READS, many.byHandStacks),
      stacksFew: () => timed(READS, () => few.read(few.paths.stacks)),
      stacks: () => timed(READS, () => many.read(many.paths.stacks)),
      queryDeployments: () => timed(READS, many.queryDeployments),
      byHandDeployments: () => timed(READS, many.byHandDeployments),
      deploymentsFew: () => timed(READS, () => few.read(few.paths.deployments)),
      deployments: () => timed(READS, () => many.read(many.paths.deployments)),
      middleFew: () => timed(READS, () => few.read(few.paths.middle)),
      middle: () => timed(READS, () => many.read(many.paths.middle)),
      allFew: () => timed(READS, () => few.read(few.paths.all)),
      all: () => timed(READS, () => many.read(many.paths.all)),
      allMiddleFew: () => timed(READS, () => few.read(few.paths.allMiddle)),
      allMiddle: () => timed(READS, () => many.read(many.paths.allMiddle)),
    },
    { rounds: ROUNDS, warmUp: 3 },
  );
  sayTimes(context, taken);
  const http = await overHttp(context, many);
  const slowest = Math.min(http.stacks.perSecond, http.deployments.perSecond);
  return {
    figures: {
      milliseconds: Object.fromEntries(Object.entries(taken).map(([name, rounds]) => [name, summary(rounds.flat())])),
      statements,
      p50_to_query_by_hand: {
        stacks: rounded(ratio(taken.stacks, taken.byHandStacks, 0.5)),
        deployments: rounded(ratio(taken.deployments, taken.byHandDeployments, 0.5)),
      },
      http_requests_per_second: { stacks: http.stacks.perSecond, deployments: http.deployments.perSecond },
      http_p50_ms_one_client: { stacks: http.stacks.p50, deployments: http.deployments.p50 },
      best_peer: PEER,
      p50_faster_than_peer: rounded(PEER.milliseconds / Math.max(http.stacks.p50, http.deployments.p50)),
    },
    bars: {
      statements_per_page: atMost(Math.max(...Object.values(statements)), 3),
      stacks_p50_to_query: atMost(ratio(taken.stacks, taken.queryStacks, 0.5), 3),
      deployments_p50_to_query: atMost(ratio(taken.deployments, taken.queryDeployments, 0.5), 3),
      stacks_p50_10k_to_1k: atMost(ratio(taken.stacks, taken.stacksFew, 0.5), 1.5),
      deployments_p50_100k_to_1k: atMost(ratio(taken.deployments, taken.deploymentsFew, 0.5), 1.5),
      middle_p50_100k_to_1k: atMost(ratio(taken.middle, taken.middleFew, 0.5), 1.5),
      all_p50_100k_to_1k: atMost(ratio(taken.all, taken.allFew, 0.5), 1.5),
      all_middle_p50_100k_to_1k: atMost(ratio(taken.allMiddle, taken.allMiddleFew, 0.5), 1.5),
      requests_per_second_to_peer: atLeast(slowest / PEER.requests_per_second, 50),
    },
  };
}

function sayTimes(context: BenchContext, taken: Rounds<string>): void {
  for (const [name, rounds] of Object.entries(taken)) {
    const [p50, p99] = [typical(rounds, 0.5), typical(rounds, 0.99)];
    context.say(`${name.padEnd(17)} p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`);
  }
}

type Lists = Awaited<ReturnType<typeof lists>>;

/** A database with so many stacks and one stack with so many deployments, and how to read its pages. */
async function lists(context: BenchContext, postgres: BenchPostgres, name: string, size: typeof FEW) {
  const database = await postgres.database(name);
  const { orgId, adminToken } = await seedOrg(database.sql, WIDE_LIMITS);
  const stacks = await insertStacks(database.sql, orgId, size.stacks);
  const { stack_key, slug } = stacks[size.stacks >> 1]!;
  await seedDeployments(database, orgId, stack_key, size.deployments);
  const app = await openApp(context, database);
  const init = { headers: { authorization: `Bearer ${adminToken}` } };
  const read = async (path: string) => {
    const answer = await app.request(path, init);
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
    return answer.text();
  };
  const parsed = async (path: string) => {
    const page = JSON.parse(await read(path)) as { items: unknown[]; next_cursor: string };
    if (page.items.length !== PAGE) throw new Error(`${path} answered ${page.items.length} rows`);
    return page;
  };
  const deployments = `orgs/${orgId}/stacks/${slug}/deployments?limit=${PAGE}`;
  const half = `&created_before=${await middleOf(database)}`;
  const { next_cursor: middle } = await parsed(`${deployments}${half}`);
  const all = `orgs/${orgId}/deployments?limit=${PAGE}`;
  const { next_cursor: allMiddle } = await parsed(`${all}${half}`);
  const query =
    (text: string, ...values: (string | number)[]) =>
    async () => {
      const rows = await database.db.$client.unsafe(text, values, { prepare: true });
      if (rows.length !== PAGE + 1) throw new Error(`a page query answered ${rows.length} rows`);
    };
  /** The last statement of a request is the page. */
  const statements = async (path: string) => (await countStatements(() => parsed(path))).statements;
  const stackPage = `orgs/${orgId}/stacks?limit=${PAGE}`;
  return {
    url: database.url,
    init,
    paths: {
      stacks: stackPage,
      deployments,
      middle: `${deployments}&cursor=${encodeURIComponent(middle)}`,
      all,
      allMiddle: `${all}&cursor=${encodeURIComponent(allMiddle)}`,
    },
    read,
    statements: async (path: string) => (await statements(path)).length,
    queryStacks: query((await statements(stackPage)).at(-1)!, orgId, PAGE + 1),
    queryDeployments: query((await statements(deployments)).at(-1)!, stack_key),
    byHandStacks: query(STACKS_BY_HAND, orgId),
    byHandDeployments: query(DEPLOYMENTS_BY_HAND, stack_key),
  };
}

const STACKS_BY_HAND = `select * from stacks where org_id = $1 and deleted_at is null order by slug, stack_key limit ${PAGE + 1}`;
const DEPLOYMENTS_BY_HAND = `
  select d.*, stages.list from (
    select * from deployments where stack_key = $1 order by created_at desc, id desc limit ${PAGE + 1}
  ) d cross join lateral (
    select json_agg(json_build_object('stage', row_to_json(g), 'run', row_to_json(r)) order by g.position) as list
    from stages g left join runs r on r.id = g.run_id where g.deployment_id = d.id
  ) stages order by d.created_at desc, d.id desc`;

/** Deployments of one stack; all but the newest have ended, by legal steps. */
async function seedDeployments({ sql }: BenchDatabase, orgId: string, stackKey: string, count: number): Promise<void> {
  await seedPendingRuns(sql, orgId, [stackKey], [await selectorOf(sql, orgId, {})], count);
  await sql`
    with ended as (
      update runs set status = 'cancelled', completed_at = svc_now()
      where id in (select id from runs order by first_pending_at desc offset ${LIVE})
      returning deployment_id
    ), stages as (
      update stages s set phase = 'cancelled', completed_at = svc_now() from ended e where s.deployment_id = e.deployment_id
    )
    update deployments d set status = 'cancelled', completed_at = svc_now() from ended e where d.id = e.deployment_id`;
  await settle(sql, "stacks", "deployments", "runs", "stages");
}

async function middleOf({ sql }: BenchDatabase): Promise<string> {
  const [row] = await sql`
    select to_char(percentile_disc(0.5) within group (order by created_at) at time zone 'UTC',
      'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at from deployments`;
  return row?.at as string;
}

type Served = { perSecond: number; p50: number };

/** The same pages from an API of its own: one client alone for the time, a few together for the rate. */
async function overHttp(context: BenchContext, many: Lists): Promise<{ stacks: Served; deployments: Served }> {
  const [api] = await startPrograms(context, {
    databaseUrl: many.url,
    // Nothing listens there: lists need no workflow.
    temporalAddress: "127.0.0.1:9",
    workers: 0,
  });
  const measure = async (name: string, path: string): Promise<Served> => {
    const get = async () => {
      const answer = await fetch(`${api!.baseUrl}/api/v1/${path}`, many.init);
      await answer.arrayBuffer();
      if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
    };
    // The code of a program that has just started is slow until it was run a few dozen times.
    await timed(100, get);
    const alone: number[] = [];
    const rates: number[] = [];
    for (let round = 0; round < HTTP_ROUNDS; round++) {
      alone.push(...(await timed(READS, get)));
      rates.push(await together(get));
    }
    const served = { perSecond: rounded(median(rates)), p50: rounded(median(alone)) };
    context.say(`${name} over HTTP: ${served.perSecond.toFixed(0)} requests/s, p50 ${served.p50} ms with one client`);
    return served;
  };
  return {
    stacks: await measure("stacks", many.paths.stacks),
    deployments: await measure("deployments", many.paths.deployments),
  };
}

/** Requests per second of a few clients that ask again as soon as they are answered. */
async function together(get: () => Promise<void>): Promise<number> {
  const from = performance.now();
  let answered = 0;
  const client = async () => {
    while (performance.now() - from < HTTP_MS) {
      await get();
      answered++;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return (answered * 1_000) / (performance.now() - from);
}
