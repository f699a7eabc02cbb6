/** Removing a runner's row by hand (design 6.4): never one that holds a run. */
import { sql } from "drizzle-orm";
import type { Queryable } from "../db/client.ts";
import { ProblemError } from "../http/problem.ts";

export class RunnerHoldsRunError extends ProblemError {
  constructor() {
    super({ status: 409, code: "conflict", detail: "The runner holds a run; it can be removed once that has ended." });
  }
}

/**
 * Delete the runner that `authorizeRunner(..., "delete")` gave. A stub holds its run from the moment it exists until the
 * run ends or passes on, and never again after, so one statement decides without a lock. @throws RunnerHoldsRunError
 */
export async function deleteRunner(db: Queryable, runnerId: string): Promise<void> {
  const rows = await db.execute(sql`
    delete from runners n where n.id = ${runnerId}::uuid and not exists (
      select 1 from runs r where r.id = n.run_id and r.assigned_runner_id = n.id
        and r.status in ('assigned', 'running', 'requested_cancellation', 'cancelling'))
    returning n.id`);
  if (rows.length > 0) return;
  const left = await db.execute(sql`select 1 from runners where id = ${runnerId}::uuid`);
  // Gone meanwhile is what the caller wanted.
  if (left.length > 0) throw new RunnerHoldsRunError();
}
