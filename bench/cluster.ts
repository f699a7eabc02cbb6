/**
 * What `chaos` carries out, on what an installation runs: a Temporal server with a Postgres of its own, which is killed
 * as well and comes back with what it had on its disk. In the end the service's database is put back to what it was in
 * the middle, while Temporal's is not: whatever was live then has to end once more. How workers are upgraded there is
 * what `rolling` tries with the same setting.
 *
 *     BENCH_TEMPORAL_SERVER=<folder> npm run bench -- cluster           its programs (harness/temporalServer.ts)
 *     BENCH_CLUSTER_SHARE=0.1 ...                                       200 of them
 *     BENCH_FAULT=lose|double|stuck ...                                 a row is broken on purpose: the bench must fail
 */
import { kills } from "./faultRun/kills.ts";
import { faultRound } from "./faultRun/round.ts";
import type { Bench, BenchContext, BenchResult } from "./harness/bench.ts";
import { shareOf } from "./harness/sizes.ts";

const part = shareOf("BENCH_CLUSTER_SHARE");
const DEPLOYMENTS = part(2_000);
const STACKS = part(200);
/** A server with its four services takes some seconds to be there again. */
const KILL_EVERY_MS = 8_000;

export const bench: Bench = {
  what: `${DEPLOYMENTS} deployments on a Temporal server with a Postgres of its own, while something is killed every ${KILL_EVERY_MS / 1_000} s`,
  limitSeconds: 7_200,
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const server = process.env.BENCH_TEMPORAL_SERVER ?? "";
  if (server === "")
    throw new Error("BENCH_TEMPORAL_SERVER names no folder with temporal-server and temporal-sql-tool");
  return faultRound(context, {
    ...{ deployments: DEPLOYMENTS, stacks: STACKS, coordinators: 3, runnersEach: 10, server },
    ...{ createEveryMs: 100, mostLive: 200, withRestore: true },
    timeouts: {
      RUNNER_ASSIGNMENT_TIMEOUT: "PT15S",
      RUNNER_EXECUTION_TIMEOUT: "PT45S",
      RUNNER_CANCELLATION_TIMEOUT: "PT45S",
    },
    disturb: kills(KILL_EVERY_MS, true),
  });
}
