/**
 * What `chaos` carries out, while nothing dies: processes stand still for 1 to 30 s (SIGSTOP), and the network to
 * Postgres, to Temporal and to the APIs loses what is sent without a word. The same has to hold.
 *
 *     BENCH_PAUSES_SHARE=0.15 npm run bench -- pauses     300 of them, some 8 minutes
 *     BENCH_FAULT=lose|double|stuck ...                   a row is broken on purpose: the bench must fail
 */
import { faultRound } from "./faultRun/round.ts";
import { stalls } from "./faultRun/stalls.ts";
import type { Bench } from "./harness/bench.ts";
import { shareOf } from "./harness/sizes.ts";

const part = shareOf("BENCH_PAUSES_SHARE");
const DEPLOYMENTS = part(2_000);
const STACKS = part(200);
const STALL_EVERY_MS = 8_000;

export const bench: Bench = {
  what: `${DEPLOYMENTS} deployments of all modes over ${STACKS} stacks, while processes and networks stand still for 1 to 30 s`,
  limitSeconds: 14_400,
  run: (context) =>
    faultRound(context, {
      ...{ deployments: DEPLOYMENTS, stacks: STACKS, coordinators: 3, runnersEach: 10 },
      ...{ createEveryMs: 100, mostLive: 200, withNetwork: true },
      timeouts: {
        RUNNER_ASSIGNMENT_TIMEOUT: "PT20S",
        RUNNER_EXECUTION_TIMEOUT: "PT60S",
        RUNNER_CANCELLATION_TIMEOUT: "PT60S",
      },
      disturb: stalls(STALL_EVERY_MS),
    }),
};
