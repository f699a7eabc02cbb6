/**
 * How many of something an organization or one of its things may have, where no operator would want another number
 * (docs/rules/limits.md#settings).
 */
import { type SQL, sql } from "drizzle-orm";
import type { Tx } from "../platform/db/client.ts";
import { ProblemError } from "../platform/problems/problem.ts";

class TooManyError extends ProblemError {
  constructor(detail: string) {
    super({ status: 409, code: "conflict", detail });
  }
}

/**
 * Room for one more, held until the end of the transaction: additions of one organization come one after the other.
 * @param present a count of those that are there
 * @param what of whom, as a sentence goes on after "at most so many"
 * @throws TooManyError
 */
export async function holdRoom(tx: Tx, orgId: string, present: SQL, most: number, what: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('at most:' || ${orgId}, 0))`);
  const [row] = await tx.execute<{ n: number }>(sql`select (${present})::float8 as n`);
  if ((row?.n ?? 0) >= most) throw new TooManyError(`There may be at most ${most} ${what}.`);
}
