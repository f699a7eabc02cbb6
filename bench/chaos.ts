/**
 * 10,000 deployments of all modes over 500 stacks, with people who confirm, plan anew, cancel and skip, two APIs, two
 * workers and three coordinators with simulated engines. Every 5 s one of them, Postgres, one of its backends or
 * Temporal is killed with -9. Nothing is lost, done twice or stuck, whoever asks twice with one key gets one answer,
 * and the pace is at least half of what it was in peace.
 *
 *     BENCH_CHAOS_SHARE=0.03 npm run bench -- chaos     300 of them, some 6 minutes
 *     BENCH_FAULT=lose|double|stuck ...                 a row is broken on purpose: the bench must fail
 */
import { kills } from "./faultRun/kills.ts";
import { faultRound } from "./faultRun/round.ts";
import type { Bench } from "./harness/bench.ts";
import { shareOf } from "./harness/sizes.ts";

const part = shareOf("BENCH_CHAOS_SHARE");
const DEPLOYMENTS = part(10_000);
const STACKS = part(500);
const KILL_EVERY_MS = 5_000;

export const bench: Bench = {
  what: `${DEPLOYMENTS} deployments of all modes over ${STACKS} stacks, while something is killed every ${KILL_EVERY_MS / 1_000} s`,
  limitSeconds: 14_400,
  run: (context) =>
    faultRound(context, {
      ...{ deployments: DEPLOYMENTS, stacks: STACKS, coordinators: 3, runnersEach: 10 },
      ...{ createEveryMs: 60, mostLive: 300 },
      ...{ peaceful: Math.round(DEPLOYMENTS / 8), leastPace: 0.5 },
      timeouts: {
        RUNNER_ASSIGNMENT_TIMEOUT: "PT10S",
        RUNNER_EXECUTION_TIMEOUT: "PT30S",
        RUNNER_CANCELLATION_TIMEOUT: "PT30S",
      },
      disturb: kills(KILL_EVERY_MS, true),
    }),
};
