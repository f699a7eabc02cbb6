/**
 * When a runner should call again, said in the answer to its call (docs/rules/runner-protocol.md#come-again): as often
 * as it likes while somebody follows its log, and now and then while nobody does. Of what a large installation answers
 * most is what runners say of themselves.
 */

import { sql } from "drizzle-orm";
import type { Context } from "hono";
import { isFollowed } from "../logs/followed.ts";
import type { RunnerDeps } from "./deps.ts";

const CALM_MS = 10_000;

/** Of `caller`, for the end of a statement. */
export const FOLLOWED = sql`(${isFollowed(sql`caller.run_id`)} or caller.run_status is distinct from 'running') as followed`;

/** Most often the lease's decision needs: every 15 s, or a tenth of the shortest silence that ends a run. */
export function livenessEveryMs({ executionMs, cancellationMs }: RunnerDeps["service"]["timeouts"]): number {
  return Math.min(15_000, executionMs / 10, cancellationMs / 10);
}

/** Headers of the answer: a runner that knows nothing of it comes as often as it did. */
export function comeAgain({ service }: RunnerDeps, c: Context, { followed }: { followed: boolean }): void {
  const seconds = Math.floor(Math.min(CALM_MS, livenessEveryMs(service.timeouts)) / 1_000);
  if (!followed && seconds > 0) c.header("retry-after", String(seconds));
}
