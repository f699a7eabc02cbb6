/**
 * SQL statements per request (BEGIN, COMMIT and savepoints aside), counted where they are sent: with next to no data,
 * and again with 2,000 stacks, 20,000 deployments and 20,000 pending runs, since a count must not grow with the data.
 */
import { gzipSync } from "node:zlib";
import type { PollAnswer } from "../src/core/runs/protocol.ts";
import { authorize } from "../src/people/authorization/authorize.ts";
import { countStatements } from "../src/platform/db/statements.ts";
import { type InProcessApp, openApp } from "./harness/app.ts";
import { atMost, type Bar, type Bench, type BenchContext, type BenchResult, exactly } from "./harness/bench.ts";
import { insertStacks } from "./harness/rows.ts";
import { signer } from "./harness/runner.ts";
import {
  type BenchOrg,
  limitsText,
  seedOrg,
  seedPendingRuns,
  selectorOf,
  settle,
  WIDE_LIMITS,
} from "./harness/seed.ts";
import { type BenchDatabase, benchPostgres } from "./harness/servers.ts";

const SMALL = { stacks: 120, runs: 10 };
const LARGE = { stacks: 2_000, runs: 20_000 };
const BARS: Record<string, (most: number) => Bar> = {
  authorization: (most) => exactly(most, 1),
  poll_without_work: (most) => atMost(most, 1),
  poll_with_claim: (most) => atMost(most, 4),
  accept: (most) => atMost(most, 8),
  run_status: (most) => atMost(most, 2),
  live_log: (most) => atMost(most, 1),
  stack_page_of_100: (most) => atMost(most, 3),
  deployment_page_of_100: (most) => atMost(most, 3),
};

export const bench: Bench = { what: "SQL statements per request, with little and with much data", run };

type Seeded = { database: BenchDatabase; app: InProcessApp; org: BenchOrg; slugs: string[]; stackKeys: string[] };

async function run(context: BenchContext): Promise<BenchResult> {
  context.say(limitsText(WIDE_LIMITS));
  const postgres = await benchPostgres(context);
  const database = await postgres.database("statements");
  const org = await seedOrg(database.sql, WIDE_LIMITS);
  const app = await openApp(context, database);
  const seeded: Seeded = { database, app, org, slugs: [], stackKeys: [] };
  await grow(seeded, SMALL);
  // Keys are imported and cached on a group's first request.
  await countAll(seeded);
  const small = await countAll(seeded);
  await grow(seeded, LARGE);
  const large = await countAll(seeded);
  const names = Object.keys(BARS);
  for (const name of names) context.say(`${name.padEnd(24)} ${small[name]} with little data, ${large[name]} with much`);
  return {
    figures: { little_data: small, much_data: large },
    bars: Object.fromEntries(names.map((name) => [name, barOf(name, small, large)])),
  };
}

function barOf(name: string, small: Record<string, number>, large: Record<string, number>): Bar {
  return (BARS[name] as (most: number) => Bar)(Math.max(small[name] as number, large[name] as number));
}

async function grow(seeded: Seeded, { stacks, runs }: typeof SMALL): Promise<void> {
  const { sql } = seeded.database;
  const { orgId } = seeded.org;
  const made = await insertStacks(sql, orgId, stacks);
  seeded.slugs.push(...made.map(({ slug }) => slug));
  seeded.stackKeys.push(...made.map(({ stack_key }) => stack_key));
  await seedPendingRuns(sql, orgId, seeded.stackKeys.slice(0, 20), [await selectorOf(sql, orgId, {})], runs);
  await settle(sql, "stacks", "deployments", "runs", "stages");
}

/** Statements of each request, by the names of the bars. */
async function countAll({ database, app, org, slugs }: Seeded): Promise<Record<string, number>> {
  const counted: Record<string, number> = {};
  const sign = await signer(org.group);
  const stacks = `orgs/${org.orgId}/stacks`;
  const count = async (name: string, token: string, path: string, body?: unknown, method = "POST") => {
    const init = {
      method: body === undefined && method === "POST" ? "GET" : method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    const { result, statements } = await countStatements(() => app.request(path, init));
    if (!result.ok) throw new Error(`${name} answered ${result.status}: ${await result.text()}`);
    counted[name] = statements.length;
    return result;
  };
  const account = { kind: "service_account", id: org.accountId, orgId: org.orgId, tokenId: null } as const;
  const check = { type: "stack", action: "read", resourceId: slugs[0] as string, orgId: org.orgId } as const;
  counted.authorization = (await countStatements(() => authorize(database.db, account, check))).statements.length;
  await count("stack_page_of_100", org.adminToken, `${stacks}?limit=100`);
  await count("deployment_page_of_100", org.adminToken, `${stacks}/${slugs[0]}/deployments?limit=100`);

  const groupToken = await sign({ token_type: "runner_group" });
  const polled = await count("poll_with_claim", groupToken, "runner-groups/poll");
  const { run_id, runner_id } = (await polled.json()) as PollAnswer;
  const runnerToken = await sign({ token_type: "runner", run_id, runner_id });
  await count("accept", runnerToken, `runs/${run_id}/accept`, {});
  await count("run_status", runnerToken, `runs/${run_id}/status`);
  const data = gzipSync("a line of the engine's output\n").toString("base64");
  await count("live_log", runnerToken, `runs/${run_id}/logs/live`, { chunk_index: 0, sealed_chunks: 0, data });
  await emptied(database, org, async () => void (await count("poll_without_work", groupToken, "runner-groups/poll")));
  return counted;
}

/** With the group at its capacity there is no work for it, however many runs wait. */
async function emptied({ sql }: BenchDatabase, { group }: BenchOrg, work: () => Promise<void>): Promise<void> {
  await sql`
    update runner_groups set max_concurrent_runs = (select count(*) from runs where assigned_group_id = ${group.groupId}
      and status = 'running') where id = ${group.groupId}`;
  await work();
  await sql`update runner_groups set max_concurrent_runs = ${WIDE_LIMITS.maxConcurrentRuns} where id = ${group.groupId}`;
}
