/**
 * A limiter that fails must not stop the organization's work (docs/rules/dispatch.md#the-budget-of-runs-per-hour). It
 * is part of the statements that look for a run and claim it, so one that the database refuses is tried once more
 * without it; only when that is accepted was the limiter at fault.
 */
import { sqlState } from "../../platform/db/sqlState.ts";
import type { ClaimDeps, Limiter } from "./types.ts";

/** The organization has no bucket. */
export class NoBucketError extends Error {
  override name = "NoBucketError";
}

export async function failOpen<T>(
  { limits, metrics }: Pick<ClaimDeps, "limits" | "metrics">,
  attempt: (limiter: Limiter) => Promise<T>,
): Promise<T> {
  if (!limits.rateLimit) return attempt("off");
  try {
    return await attempt("on");
  } catch (error) {
    if (!mayBeLimiter(error)) throw error;
  }
  const passed = await attempt("failed");
  metrics.limiterErrors.inc();
  return passed;
}

/**
 * Refused by the database for a reason of the statement's own: not away, full, stopping, tired of waiting for us, or in
 * conflict with others.
 */
function mayBeLimiter(error: unknown): boolean {
  if (error instanceof NoBucketError) return true;
  const state = sqlState(error);
  return state !== undefined && !/^(08|25|40|53|57)/.test(state);
}
