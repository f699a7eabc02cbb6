/**
 * What an attempt's result means for its delivery: taken, to be tried again and when, or dead
 * (docs/rules/notifications.md#what-an-answer-means). Pure.
 */
import { spread } from "../../platform/time/pause.ts";
import type { PostResult } from "./post.ts";

export type Verdict =
  | { outcome: "sent" }
  | { outcome: "retry"; status: number | null; error: string; pauseMs: number; notBefore: NotBefore | null }
  | { outcome: "dead"; status: number | null; error: string };

/** When the target wants to be asked again at the earliest: so long from now, or a moment in RFC 3339. */
export type NotBefore = { afterMs: number } | { at: string };

/** A target cannot put a delivery off for longer than the schedule's own longest pause. */
export const LONGEST_RETRY_AFTER_MS = 24 * 3_600_000;

/** Later years have no four digits. */
const LATEST = Date.UTC(9999, 0);

const WITHOUT_ANSWER = {
  timeout: "the target did not answer in time",
  unreachable:
    "the target could not be reached; if its address is not public, the operator can open it with SVC_EGRESS_ALLOW",
  certificate: "the target's certificate is not trusted, has expired or is for another name",
} as const;

/** How an attempt went, whatever it was made by. */
export type Outcome =
  | { took: true }
  | {
      took: false;
      /** What was answered. */
      status: number | null;
      error: string;
      /** The same would be refused again. */
      permanent: boolean;
      notBefore?: NotBefore | null;
    };

/**
 * @param attempts made by now, this one included
 * @param schedule pauses in milliseconds; when they are used up the delivery is dead
 * @param random between 0 and 1: pauses vary by a tenth, so that what failed together does not come back together
 */
export function verdictFrom(outcome: Outcome, attempts: number, schedule: readonly number[], random: number): Verdict {
  if (outcome.took) return { outcome: "sent" };
  const { status, error, permanent, notBefore = null } = outcome;
  const pause = schedule[attempts - 1];
  if (permanent || pause === undefined) return { outcome: "dead", status, error };
  return { outcome: "retry", status, error, pauseMs: Math.round(spread(pause, [0.9, 1.1], random)), notBefore };
}

export function postOutcome(result: PostResult): Outcome {
  if (result.kind !== "answered") {
    return { took: false, status: null, error: WITHOUT_ANSWER[result.kind], permanent: false };
  }
  const { status } = result;
  if (status >= 200 && status < 300) return { took: true };
  const permanent = status >= 400 && status < 500 && status !== 429;
  const notBefore = retryAfterOf(result.retryAfter);
  return { took: false, status, error: `the target answered ${status}`, permanent, notBefore };
}

/** `Retry-After` in either of its forms (RFC 9110, 10.2.3); null for none and for nonsense. */
export function retryAfterOf(value: string | null): NotBefore | null {
  if (value === null) return null;
  const text = value.trim();
  if (/^\d+$/.test(text)) return { afterMs: Math.min(Number(text) * 1_000, LONGEST_RETRY_AFTER_MS) };
  if (!/^[A-Za-z]{3,9}, /.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : { at: new Date(Math.min(at, LATEST)).toISOString() };
}
