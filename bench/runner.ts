/**
 * What the reference runner adds to its programs: deployments that plan and apply by themselves, carried out by a real
 * coordinator with an engine that answers at once, one after the other. In the same round, by hand: the engine's calls
 * alone, the clones alone, and a Node that does nothing. The last is the unit of the bars, since a run has a process of
 * its own.
 */
import { atMost, type Bench, type BenchContext, type BenchResult, rounded } from "./harness/bench.ts";
import { startRunner } from "./harness/coordinator.ts";
import { startProduct } from "./harness/product.ts";
import { median, summary } from "./harness/statistics.ts";
import { writeStub } from "./harness/stubEngine.ts";
import { programsStarted } from "./runner/programsStarted.ts";
import { type Round, type Timed, takeRound } from "./runner/round.ts";
import { withTerraform } from "./runner/withTerraform.ts";

const ROUNDS = 3;
const WARM_UP = 1;

export const bench: Bench = {
  what: "the reference runner's own share of a plan and an apply with an engine that answers at once",
  limitSeconds: 600,
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const product = await startProduct(context);
  const stub = await writeStub(context.folder);
  const runner = await startRunner(context, product, stub, "runner");
  const rounds: Round[] = [];
  const all: Timed[] = [];
  for (let i = 0; i < WARM_UP + ROUNDS; i++) {
    const { round, timed } = await takeRound(context.folder, product, runner, stub);
    const { plan, apply, cpu, node } = round;
    const figures = `planned ${plan.toFixed(0)} ms, applied ${apply.toFixed(0)} ms, ${cpu.toFixed(0)} ms of CPU`;
    context.say(`${i < WARM_UP ? "warming up: " : ""}${figures}; an empty Node ${node.cpu.toFixed(0)} ms`);
    if (i < WARM_UP) continue;
    rounds.push(round);
    all.push(...timed);
  }
  await runner.stop();
  const programs = await programsStarted(context, product, stub);
  const terraform = await withTerraform(context, product, stub);
  const middle = (of: (round: Round) => number) => rounded(median(rounds.map(of)));
  const inNodes = (of: (round: Round) => number) => median(rounds.map(of));
  return {
    figures: {
      claim_to_planned_ms: summary(all.map(({ plan }) => plan)),
      claim_to_applied_ms: summary(all.map(({ apply }) => apply)),
      cpu_ms_per_deployment: middle(({ cpu }) => cpu),
      cpu_ms_of_it_by_hand: { engine: middle(({ engine }) => engine.cpu), clones: middle(({ clones }) => clones.cpu) },
      engine_ms_by_hand: middle(({ engine }) => engine.wall),
      empty_node: { ms: middle(({ node }) => node.wall), cpu_ms: middle(({ node }) => node.cpu) },
      programs_per_deployment: programs,
      with_terraform: terraform,
    },
    bars: {
      planned_in_empty_nodes: atMost(
        inNodes(({ plan, node }) => plan / node.wall),
        4,
      ),
      applied_in_empty_nodes: atMost(
        inNodes(({ apply, node }) => apply / node.wall),
        4,
      ),
      own_cpu_in_empty_nodes: atMost(inNodes(ownCpu), 10),
      programs_per_deployment: atMost(
        Object.values(programs).reduce((sum, count) => sum + count, 0),
        18,
      ),
    },
  };
}

function ownCpu({ cpu, engine, clones, node }: Round): number {
  return (cpu - engine.cpu - clones.cpu) / node.cpu;
}
