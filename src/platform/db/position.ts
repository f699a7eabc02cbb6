/**
 * How far a database's journal has come. A replica that has replayed it to where the primary was at some moment knows
 * all that had been committed at that moment.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import type { Reader } from "./client.ts";

export type Position = {
  lsn: string;
  /** The history that the place in the journal belongs to: cluster, database and timeline. */
  history: string;
};

/** Between two looks at how far a replica is. */
const LOOK_MS = 5;

/** No replica of that primary, or one that follows another since a failover. */
class OtherHistoryError extends Error {
  override name = "OtherHistoryError";
}

/** It has not replayed what was committed. */
class BehindError extends Error {
  override name = "BehindError";
}

const DATABASE = sql`(select system_identifier from pg_control_system())::text || '/' ||
  (select oid from pg_database where datname = current_database())::text || '/'`;

/** Asks the primary where it is, once for all who ask in the meantime. */
export class Positions {
  readonly #primary: Reader;
  #last: Promise<unknown> = Promise.resolve();
  #next: Promise<Position> | null = null;

  constructor(primary: Reader) {
    this.#primary = primary;
  }

  /** Of a moment after the call: whoever comes while one is being asked for gets the one after it. */
  next(): Promise<Position> {
    this.#next ??= this.#last.then(() => {
      this.#next = null;
      const asked = this.#ask();
      this.#last = asked.catch(() => {});
      return asked;
    });
    return this.#next;
  }

  /** What was acknowledged is in the journal on disk, unless commits do not wait for that. */
  async #ask(): Promise<Position> {
    const [row] = await this.#primary.execute<Position>(sql`
      select (case when current_setting('synchronous_commit') = 'off' then pg_current_wal_insert_lsn()
          else pg_current_wal_flush_lsn() end)::text as lsn,
        ${DATABASE} || ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int as history`);
    return row!;
  }
}

/** @throws OtherHistoryError */
async function hasReached(replica: Reader, { lsn, history }: Position): Promise<boolean> {
  const [row] = await replica.execute<{ same: boolean; reached: boolean | null }>(sql`
    select pg_is_in_recovery() and ${DATABASE} || (select timeline_id from pg_control_checkpoint()) = ${history}::text as same,
      pg_last_wal_replay_lsn() >= ${lsn}::pg_lsn as reached`);
  if (!row?.same) throw new OtherHistoryError("the server is no replica of the primary, or follows another one");
  return row.reached === true;
}

/**
 * Statements that begin after this see what had been committed at that position.
 * @param signal nobody waits for it any more @throws BehindError, OtherHistoryError
 */
export async function reach(replica: Reader, position: Position, signal: AbortSignal): Promise<void> {
  while (!(await hasReached(replica, position))) {
    if (signal.aborted) throw new BehindError("the replica has not replayed what was committed");
    await sleep(LOOK_MS);
  }
}

/** How old what a replica knows is; 0 when it knows everything. @throws OtherHistoryError */
export async function lagSeconds(replica: Reader, position: Position): Promise<number> {
  if (await hasReached(replica, position)) return 0;
  const [row] = await replica.execute<{ age: number | null }>(sql`
    select extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::float8 as age`);
  return Math.max(row?.age ?? 0, 0);
}
