/** Why a dependent could not be triggered, and whether another try may do better. Pure. */
import { HostError } from "../../exchange/scm/host/errors.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { QuotaReachedError } from "../../work/quotas.ts";

export type TriggerFailure = {
  /** Public text. */
  text: string;
  /** Whether another try may do better. */
  passing: boolean;
  /** Milliseconds a host asked to be left alone. */
  retryAfterMs: number | null;
  /** Where the problem lies: dependents whose failures agree in text and place have one problem and not many. */
  place: string;
  /** From 0 to 1, one number for dependents that failed together, so that they are tried again together. */
  random: number;
};

/** What an error says by itself; place and time are told by whoever was at work. */
export type Failure = Omit<TriggerFailure, "place" | "random">;

/** Texts of our own only: what git or a host says may repeat an address with its token. */
export function failureOf(error: unknown): Failure {
  const retryAfterMs = error instanceof HostError ? error.retryAfterMs : null;
  if (!(error instanceof ProblemError)) return { text: "internal error", passing: true, retryAfterMs };
  // 422 says that there is no such branch, which no waiting changes; a queue that is full is worked off,
  // and who says when to come again means it.
  const later = error instanceof QuotaReachedError || error.retryAfterSeconds !== undefined;
  const passing = error.status >= 500 || later;
  return { text: error.detail, passing, retryAfterMs };
}
