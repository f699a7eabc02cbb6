/**
 * A poll without work against `select 1` over the same pool, while 20,000 runs of other groups are pending: the poll's
 * one statement, and beside it the whole route (token, statement, answer) called in process.
 */
import { sql } from "drizzle-orm";
import { peek } from "../src/core/dispatch/pendingWork.ts";
import { openApp } from "./harness/app.ts";
import { atMost, type Bench, type BenchContext, type BenchResult, rounded } from "./harness/bench.ts";
import { interleave, ratio, timed } from "./harness/rounds.ts";
import { insertGroup, insertStacks } from "./harness/rows.ts";
import { signer } from "./harness/runner.ts";
import { limitsText, seedOrg, seedPendingRuns, selectorOf, settle, WIDE_LIMITS } from "./harness/seed.ts";
import { benchPostgres } from "./harness/servers.ts";
import { summary } from "./harness/statistics.ts";

const ROUNDS = 15;
const POLLS = 300;
const PENDING = 20_000;

export const bench: Bench = { what: "a poll without work, against `select 1` over the same pool", run };

async function run(context: BenchContext): Promise<BenchResult> {
  context.say(limitsText(WIDE_LIMITS));
  const postgres = await benchPostgres(context);
  const database = await postgres.database("polls");
  const { db, sql: support } = database;
  const org = await seedOrg(support, WIDE_LIMITS);
  const stacks = (await insertStacks(support, org.orgId, 100)).map(({ stack_key }) => stack_key);
  await seedPendingRuns(support, org.orgId, stacks, [await selectorOf(support, org.orgId, {})], PENDING);
  const idle = await insertGroup(support, org.orgId, { name: "idle", labels: { pool: "idle" } });
  await selectorOf(support, org.orgId, { pool: "idle" });
  await settle(support, "runs", "deployments");

  const now = Math.floor(Date.now() / 1000);
  const claims = { token_type: "runner_group", group_id: idle.groupId, iat: now, exp: now + 3_600 } as const;
  const signed = { claims, fingerprint: idle.fingerprint };
  const limits = { rateLimit: true, maxPerOrg: undefined };
  const app = await openApp(context, database);
  const token = await (await signer(idle))({ token_type: "runner_group" });
  const init = { headers: { authorization: `Bearer ${token}` } };
  const taken = await interleave(
    {
      selectOne: () => timed(POLLS, () => db.execute(sql`select 1`)),
      statement: () =>
        timed(POLLS, async () => {
          const row = await peek(db, signed, limits, "on");
          if (!row?.key_current || row.claimable !== 0)
            throw new Error("the poll's statement is not that of an idle group");
        }),
      route: () =>
        timed(POLLS, async () => {
          const { status } = await app.request("runner-groups/poll", init);
          if (status !== 204) throw new Error(`the poll answered ${status}`);
        }),
    },
    { rounds: ROUNDS, warmUp: 2 },
  );
  const figures = Object.fromEntries(Object.entries(taken).map(([name, rounds]) => [name, summary(rounds.flat())]));
  for (const [name, { p50, p99 }] of Object.entries(figures))
    context.say(`${name.padEnd(9)} p50 ${p50} ms, p99 ${p99} ms`);
  return {
    figures: { milliseconds: figures, route_p50_to_select_1: rounded(ratio(taken.route, taken.selectOne, 0.5)) },
    bars: { statement_p50_to_select_1: atMost(ratio(taken.statement, taken.selectOne, 0.5), 3) },
  };
}
