/** The lock of a state as people see it. */
import { sql } from "drizzle-orm";
import type * as v from "valibot";
import { type ActorAnswer, actorColumn } from "../../people/actors/actor.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import type { StackRow } from "../stacks/schema.ts";
import type { StateLock } from "./answer.ts";
import type { LockRow } from "./lock.ts";

export async function lockAnswer(db: Queryable, { stackKey }: StackRow): Promise<v.InferInput<typeof StateLock>> {
  const [row] = await db.execute<LockRow & { actor: ActorAnswer | null }>(sql`
    select lock_id, lock_info, locked_at, lock_run_id, ${actorColumn(sql`s.locked_by`, sql`s.locked_by_kind`)} as actor
    from stack_states s where stack_key = ${stackKey} and lock_id is not null`);
  const info = row?.lock_info;
  return {
    locked: row !== undefined,
    id: row?.lock_id ?? null,
    operation: info?.Operation ?? null,
    who: info?.Who ?? null,
    engine_version: info?.Version ?? null,
    locked_at: rfc3339(row?.locked_at ?? null),
    run_id: row?.lock_run_id ?? null,
    locked_by: row?.actor ?? null,
  };
}
