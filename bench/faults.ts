/**
 * 300 deployments over 20 stacks while every 5 s a random component (Postgres, one of its backends, Temporal, an API, a
 * worker, a runner) is killed with -9. In the end nothing is lost, done twice or stuck.
 */
import { kills } from "./faultRun/kills.ts";
import { faultRound } from "./faultRun/round.ts";
import type { Bench } from "./harness/bench.ts";

const DEPLOYMENTS = 300;
const STACKS = 20;
const KILL_EVERY_MS = 5_000;

export const bench: Bench = {
  what: `${DEPLOYMENTS} deployments over ${STACKS} stacks while a random component is killed every ${KILL_EVERY_MS / 1000} s`,
  limitSeconds: 1_500,
  run: (context) =>
    faultRound(context, {
      ...{ deployments: DEPLOYMENTS, stacks: STACKS, coordinators: 1, runnersEach: 20 },
      ...{ createEveryMs: 300, mostLive: DEPLOYMENTS },
      timeouts: {
        RUNNER_ASSIGNMENT_TIMEOUT: "PT10S",
        RUNNER_EXECUTION_TIMEOUT: "PT30S",
        RUNNER_CANCELLATION_TIMEOUT: "PT30S",
      },
      disturb: kills(KILL_EVERY_MS, false),
    }),
};
