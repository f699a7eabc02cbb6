/** An occurrence whose deployment could not be made: tried again where that may help, else given up and told. */
import { sql } from "drizzle-orm";
import { ProblemError } from "../../platform/problems/problem.ts";
import { QuotaReachedError } from "../../work/quotas.ts";
import type { Work } from "../../work/unitOfWork.ts";
import { SourceMovedError } from "../deployments/errors.ts";
import { type OccurrenceKey, ofOccurrence } from "./occurrence.ts";
import { tellMissed } from "./tell.ts";
import { pauseAfter } from "./timing.ts";

export type Failure = {
  /** Of our own words only: what git or a host says may repeat an address with its token. */
  text: string;
  /** Whether another try may do better. */
  passing: boolean;
  isUnexpected: boolean;
};

/** Pure. A branch that is not there is not waited for; a quota is worked off, and a host comes back. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof ProblemError)) return { text: "internal error", passing: true, isUnexpected: true };
  const later =
    error instanceof QuotaReachedError || error instanceof SourceMovedError || error.retryAfterSeconds !== undefined;
  return { text: error.detail, passing: error.status >= 500 || later, isUnexpected: false };
}

export async function recordFailure(work: Work, key: OccurrenceKey, { text, passing }: Failure): Promise<void> {
  const { tx } = work;
  const [row] = await tx.execute<{ tries: number }>(sql`
    select o.tries + 1 as tries from schedule_occurrences o where ${ofOccurrence(key)} and o.due_at is not null for no key update`);
  if (row === undefined) return;
  const pause = passing ? pauseAfter(row.tries) : null;
  await tx.execute(sql`
    update schedule_occurrences o set tries = ${row.tries}, error = ${text}, status = ${pause === null ? "failed" : "due"},
      due_at = svc_now() + ${pause}::float8 * interval '1 millisecond'
    where ${ofOccurrence(key)}`);
  if (pause === null) await tellMissed(work, key, { status: "failed", reason: null, error: text });
}
