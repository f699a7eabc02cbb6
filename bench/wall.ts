/**
 * What a wall around each run costs: the same deployments carried out by a coordinator that has none and by one with
 * `bubblewrap`, by turns, with an engine that answers at once. Root's runs are users of their own with either.
 *
 *     npm run bench -- wall                           a minute; needs the program `bwrap`
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { atMost, type Bench, type BenchContext, type BenchResult, rounded } from "./harness/bench.ts";
import { startRunner } from "./harness/coordinator.ts";
import { type Product, startProduct } from "./harness/product.ts";
import { median } from "./harness/statistics.ts";
import { type Stub, writeStub } from "./harness/stubEngine.ts";
import { deployments, type Timed } from "./runner/round.ts";

const DRIVERS = ["none", "bubblewrap"] as const;
const ROUNDS = 4;
const WARM_UP = 2;
const DEPLOYMENTS = 8;

export const bench: Bench = {
  what: "what a wall around each run adds to a plan and to an apply",
  limitSeconds: 300,
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const product = await startProduct(context);
  // Where the engine lies is shown to every run.
  const programs = join(context.folder, "programs");
  await mkdir(programs);
  const stub = await writeStub(programs);
  const timed: Record<(typeof DRIVERS)[number], Timed[]> = { none: [], bubblewrap: [] };
  for (let round = 0; round < ROUNDS; round++) {
    for (const driver of DRIVERS) {
      const these = await behind(context, product, stub, driver, `${driver}-${round}`);
      const [plan, apply] = [median(these.map((one) => one.plan)), median(these.map((one) => one.apply))];
      context.say(`${driver}: planned in ${plan.toFixed(0)} ms, applied in ${apply.toFixed(0)} ms`);
      timed[driver].push(...these);
    }
  }
  const middle = (driver: (typeof DRIVERS)[number], of: (one: Timed) => number) => median(timed[driver].map(of));
  const more = (of: (one: Timed) => number) => middle("bubblewrap", of) - middle("none", of);
  const figures = Object.fromEntries(
    DRIVERS.map((driver) => [
      driver,
      {
        plan_ms: rounded(middle(driver, ({ plan }) => plan)),
        apply_ms: rounded(middle(driver, ({ apply }) => apply)),
      },
    ]),
  );
  return {
    figures,
    bars: {
      plan_ms_more_behind_the_wall: atMost(
        more(({ plan }) => plan),
        30,
      ),
      apply_ms_more_behind_the_wall: atMost(
        more(({ apply }) => apply),
        30,
      ),
    },
  };
}

async function behind(
  context: BenchContext,
  product: Product,
  stub: Stub,
  isolation: string,
  name: string,
): Promise<Timed[]> {
  const runner = await startRunner(context, product, stub, name, {
    RUNNER_ISOLATION: isolation,
    RUNNER_WALL_SHOW: stub.engine,
    RUNNER_WALL_REPOSITORIES: stub.repository.url.replace("file://", ""),
    RUNNER_METADATA_ADDRESS: "allowed",
    // One run follows another at once: both find a process that has been loaded.
    RUNNER_SPARE_PROCESSES: "2",
  });
  await deployments(product, stub, WARM_UP);
  const timed = await deployments(product, stub, DEPLOYMENTS);
  await runner.stop();
  return timed;
}
