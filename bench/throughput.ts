/**
 * One plan and one apply by itself is the unit: deployments with simulated runners over HTTP, everything on this
 * machine, until the last workflow has closed. How many a minute, and how much CPU each takes by process; Postgres
 * waits for the disk, Temporal keeps its workflows in memory and, in rounds that take turns, in its file. Beside them
 * the last figures of a peer.
 *
 * The bar is a ratio within the run: no-op workflows on the same server, as many and with as many workflow tasks as the
 * deployments of the same round really had. One without a task is started to sleep and terminated, as the service does
 * with it. The no-ops have no database, no HTTP and no runner beside them, which is what the ratio is about.
 */
import {
  atLeast,
  atMost,
  type Bench,
  type BenchContext,
  type BenchResult,
  type Figures,
  rounded,
} from "./harness/bench.ts";
import { sizeOf } from "./harness/sizes.ts";
import { median } from "./harness/statistics.ts";
import {
  type Cpu,
  PARTS,
  type Round,
  RUNNERS,
  type Side,
  type Store,
  startSide,
  takeRound,
} from "./throughput/round.ts";

const ROUNDS = sizeOf("BENCH_THROUGHPUT_ROUNDS", 6);
const WARM_UP = 2;
const DEPLOYMENTS = sizeOf("BENCH_THROUGHPUT_DEPLOYMENTS", 40);
/** What a comparable service did on the machine of the first measurement; shown beside the figures, and no bar. */
const PEER = { a_minute: { memory: [1_189, 1_358], file: [945, 1_186] }, cpu_ms_each: [80, 90] };

const STORES = ["memory", "file"] as const satisfies Store[];

export const bench: Bench = {
  what: "plan and auto-apply: how many a minute, and CPU each, with Temporal in memory and on its file",
  limitSeconds: 900,
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const sides = {
    memory: await startSide(context, "memory", DEPLOYMENTS),
    file: await startSide(context, "file", DEPLOYMENTS),
  };
  const failures = STORES.map((store) => sides[store].failed);
  const taken = await Promise.race([takeRounds(context, sides), ...failures]);
  const perRound = (of: (memory: Round, file: Round) => number) =>
    median(taken.memory.map((round, i) => of(round, taken.file[i] as Round)));
  return {
    figures: {
      plan_and_apply: { memory: figuresOf(taken.memory), file: figuresOf(taken.file) },
      file_to_memory: rounded(perRound((memory, file) => file.aMinute / memory.aMinute)),
      peer: PEER,
      deployments_per_round: DEPLOYMENTS,
      runners: RUNNERS,
    },
    bars: {
      to_no_op_workflows: atLeast(
        perRound((memory) => memory.aMinute / memory.noOpsAMinute),
        0.2,
      ),
      workflow_tasks_each: atMost(
        perRound((memory) => memory.tasks),
        0.5,
      ),
    },
  };
}

async function takeRounds(context: BenchContext, sides: Record<Store, Side>): Promise<Record<Store, Round[]>> {
  const taken: Record<Store, Round[]> = { memory: [], file: [] };
  for (let i = 0; i < WARM_UP + ROUNDS; i++) {
    for (const store of i % 2 === 0 ? STORES : STORES.toReversed()) {
      const round = await takeRound(sides[store]);
      if (i >= WARM_UP) taken[store].push(round);
      context.say(`${i < WARM_UP ? "warming up: " : ""}${store.padEnd(6)} ${textOf(round)}`);
    }
  }
  return taken;
}

function sumOf(cpu: Cpu): number {
  return PARTS.reduce((sum, part) => sum + cpu[part], 0);
}

function figuresOf(rounds: readonly Round[]): Figures {
  const middle = (of: (round: Round) => number) => rounded(median(rounds.map(of)));
  const cpu = rounds.flatMap((round) => (round.cpu === null ? [] : [round.cpu]));
  const middleCpu = (of: (cpu: Cpu) => number) => (cpu.length === 0 ? null : rounded(median(cpu.map(of))));
  return {
    a_minute: middle((round) => round.aMinute),
    as_no_op_workflows: middle((round) => round.noOpsAMinute),
    workflow_tasks_each: middle((round) => round.tasks),
    cpu_ms_each: {
      together: middleCpu(sumOf),
      ...Object.fromEntries(PARTS.map((part) => [part, middleCpu((of) => of[part])])),
    },
  };
}

function textOf({ aMinute, noOpsAMinute, tasks, cpu }: Round): string {
  const parts = cpu && PARTS.map((part) => `${part} ${cpu[part].toFixed(0)}`).join(", ");
  const took = cpu ? `, CPU ms each ${sumOf(cpu).toFixed(0)} (${parts})` : "";
  return `${aMinute.toFixed(0)} a minute, ${noOpsAMinute.toFixed(0)} as no-op workflows, ${tasks.toFixed(1)} tasks each${took}`;
}
