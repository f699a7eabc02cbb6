/**
 * Cycle status of an organization with 20,000 and with 200,000 dependency edges: the walk over the whole graph in its
 * thread, and what the event loop notices of it; then reads of people, with the graph kept and after a change
 * (docs/rules/limits.md#figures-that-are-held). Beside it a chain of 200,000 stacks, which a walk that recurses
 * cannot survive, and the same closed to a ring.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import type postgres from "postgres";
import { inThread } from "../src/graph/analysis/thread.ts";
import { graphOf } from "../src/graph/dependencies/graph.ts";
import { cycleSize, inCycle } from "../src/graph/dependencies/graphCycles.ts";
import { defaultConfig } from "../src/main/config/defaultConfig.ts";
import { countStatements } from "../src/platform/db/statements.ts";
import { openApp } from "./harness/app.ts";
import { atMost, type Bench, type BenchContext, type BenchResult, exactly, rounded } from "./harness/bench.ts";
import { interleave, ratio, timed, typical } from "./harness/rounds.ts";
import { seedOrg, settle, WIDE_LIMITS } from "./harness/seed.ts";
import { type BenchDatabase, type BenchPostgres, benchPostgres } from "./harness/servers.ts";
import { median, summary } from "./harness/statistics.ts";

const FEW = 20_000;
const MANY = 200_000;
const EDGES_PER_STACK = 10;
const ROUNDS = 9;
const READS = 20;
const CHANGES = 3;
const budgets = defaultConfig().dependencies;

export const bench: Bench = {
  what: "cycle status and reads of the dependency graph at 20,000 and 200,000 edges; a chain of 200,000 stacks",
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const postgres = await benchPostgres(context);
  const few = await organization(context, postgres, "few", FEW);
  const many = await organization(context, postgres, "many", MANY);
  const line = await chain(postgres);
  context.say(`${FEW} and ${MANY} edges, ${EDGES_PER_STACK} from each stack; ${ROUNDS} rounds`);
  const input = { nodeCount: many.graph.keys.length / 16, pairs: many.graph.stackPairs };
  const taken = await interleave(
    {
      walk: () => timed(CHANGES, () => inThread("components", input)),
      cyclesFew: () => timed(READS, () => few.read("dependency-cycles")),
      cyclesMany: () => timed(READS, () => many.read("dependency-cycles")),
      dependenciesFew: () => timed(READS, () => few.read("dependencies")),
      dependenciesMany: () => timed(READS, () => many.read("dependencies")),
      changedMany: () => timed(CHANGES, many.changed),
    },
    { rounds: ROUNDS, warmUp: 2 },
  );
  const delays = [];
  for (let i = 0; i < CHANGES * 3; i++) delays.push(await longestDelay(many.changed));
  const figures = Object.fromEntries(Object.entries(taken).map(([name, rounds]) => [name, summary(rounds.flat())]));
  for (const [name, { p50, p99 }] of Object.entries(figures))
    context.say(`${name.padEnd(16)} p50 ${p50} ms, p99 ${p99} ms`);
  return {
    figures: {
      milliseconds: figures,
      chain_milliseconds: line.milliseconds,
      event_loop_blocked_ms: summary(delays),
      pairs: input.pairs.length / 2,
    },
    bars: {
      walk_of_200k_p50_ms: atMost(typical(taken.walk, 0.5), 60),
      event_loop_blocked_p50_ms: atMost(median(delays), 60),
      cycles_p50_200k_to_20k: atMost(ratio(taken.cyclesMany, taken.cyclesFew, 0.5), 1.5),
      dependencies_p50_200k_to_20k: atMost(ratio(taken.dependenciesMany, taken.dependenciesFew, 0.5), 1.5),
      statements_per_dependencies: atMost(await many.statements("dependencies"), 4),
      statements_per_cycles: atMost(await many.statements("dependency-cycles"), 4),
      members_of_the_ring: exactly(line.members, MANY),
    },
  };
}

/** The longest that a timer had to wait while `work` went on, in milliseconds. */
async function longestDelay(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await work();
  delay.disable();
  return rounded(delay.max / 1e6);
}

/**
 * Each stack depends on ten others, one in two by declaration; all lie on one cycle, which is the most work for a walk.
 */
async function organization(context: BenchContext, postgres: BenchPostgres, name: string, edges: number) {
  const database = await postgres.database(name);
  const { sql, db } = database;
  const { orgId, adminToken } = await seedOrg(sql, WIDE_LIMITS);
  const stacks = edges / EDGES_PER_STACK;
  await seedChainOfStacks(sql, orgId, stacks);
  await sql`
    insert into dependency_edges (org_id, dependent_stack_key, dependent_address, provenance, dependency_stack_slug,
      dependency_stack_key, dependency_address, edge_hash)
    select ${orgId}, d.stack_key, 'data.aws_vpc.n' || k, case when k % 2 = 0 then 'declared' else 'inferred' end,
      case when k % 2 = 0 then p.slug end, case when k % 2 = 1 then p.stack_key end, 'aws_vpc.n' || k, sha256(int4send(i * 16 + k))
    from generate_series(1, ${stacks}::int) i cross join generate_series(0, ${EDGES_PER_STACK - 1}::int) k
    join stacks d on d.org_id = ${orgId} and d.slug = 's' || i and d.deleted_at is null
    join stacks p on p.org_id = ${orgId} and p.deleted_at is null and p.slug = 's' || (1 + (i + 37 * k) % ${stacks}::int)`;
  await settle(sql, "stacks", "dependency_edges");
  const app = await openApp(context, database);
  const path = `orgs/${orgId}/stacks/s${stacks >> 1}`;
  const read = async (what: string) => {
    const answer = await app.request(`${path}/${what}`, { headers: { authorization: `Bearer ${adminToken}` } });
    if (answer.status !== 200) throw new Error(`${what} answered ${answer.status}`);
    return answer.text();
  };
  return {
    graph: await graphOf(db, orgId, budgets),
    read,
    statements: async (what: string) => (await countStatements(() => read(what))).statements.length,
    changed: async () => {
      await sql`update dependency_orgs set version = version + 1 where org_id = ${orgId}`;
      const graph = await graphOf(db, orgId, budgets);
      if (graph.edges !== edges || graph.exceeded !== null) throw new Error("the graph is not what was seeded");
    },
  };
}

async function chain(postgres: BenchPostgres): Promise<{ milliseconds: number; members: number }> {
  const { sql, db }: BenchDatabase = await postgres.database("chain");
  const { orgId } = await seedOrg(sql, WIDE_LIMITS);
  await seedChainOfStacks(sql, orgId, MANY);
  const link = (from: number, to: number) => sql`
    insert into dependency_edges (org_id, dependent_stack_key, provenance, dependency_stack_slug, edge_hash)
    select ${orgId}, s.stack_key, 'declared', 's' || (case when i = ${MANY}::int then 1 else i + 1 end), '\\x00'
    from generate_series(${from}::int, ${to}::int) i
    join stacks s on s.org_id = ${orgId} and s.slug = 's' || i and s.deleted_at is null`;
  await link(1, MANY - 1);
  const [first] = await sql`select stack_key from stacks where org_id = ${orgId} and slug = 's1'`;
  const started = performance.now();
  const open = await graphOf(db, orgId, budgets);
  const milliseconds = rounded(performance.now() - started);
  if (inCycle(open, first?.stack_key) !== false) throw new Error("a chain has a cycle");
  await link(MANY, MANY);
  return { milliseconds, members: cycleSize(await graphOf(db, orgId, budgets), first?.stack_key) };
}

async function seedChainOfStacks(sql: postgres.Sql, orgId: string, count: number): Promise<void> {
  await sql`insert into stacks (org_id, slug, name, repository_url, branch)
    select ${orgId}, 's' || i, 's' || i, 'https://git.example/r.git', 'main' from generate_series(1, ${count}::int) i`;
  await settle(sql, "stacks");
}
