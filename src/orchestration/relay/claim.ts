/**
 * The three statements of the relay. `outbox_due (due_at, id)` serves the claim: due rows are its head, so an empty look
 * costs one index probe however many rows wait in back-off. The time is taken in a sub-select, once: compared with the
 * volatile `svc_now()` directly, every waiting row would be visited. Rows are locked only for the claim's own statement,
 * never while Temporal is called; `skip locked` lets many relays claim at once.
 */
import { sql } from "drizzle-orm";
import type { Db } from "../../platform/db/client.ts";
import type { OutboxRow } from "../../work/message.ts";

/** How long a claimed row is out of the hands of other relays. */
export const CLAIM_MS = 5_000;
const BATCH = 100;

export type ClaimedRow = OutboxRow & { attempts: number };

const FIRST_BACK_OFF_MS = 250;
const LONGEST_BACK_OFF_MS = 30_000;

export type Claim = {
  rows: ClaimedRow[];
  /** Milliseconds until the first of the rows that were not yet due; null when there are none. */
  nextDueMs: number | null;
};

/** Claim up to a batch of due rows, oldest first, and commit that. */
export async function claimDue(db: Db): Promise<Claim> {
  const [answer] = (await db.execute(sql`
    with due as (
      select id from outbox where due_at <= (select svc_now()) order by due_at, id limit ${BATCH} for update skip locked
    ), claimed as (
      update outbox o set due_at = svc_now() + ${CLAIM_MS} * interval '1 millisecond', attempts = o.attempts + 1
      from due where o.id = due.id returning o.id, o.message, o.attempts, o.traceparent
    )
    select (select jsonb_agg(jsonb_build_object('id', id::text, 'message', message, 'attempts', attempts,
        'traceparent', traceparent) order by id) from claimed) as rows,
      (select ceil(extract(epoch from min(due_at) - svc_now()) * 1000)::float8
        from outbox where due_at > (select svc_now())) as next`)) as unknown as [
    { rows: ClaimedRow[] | null; next: number | null },
  ];
  return { rows: answer.rows ?? [], nextDueMs: answer.next };
}

export async function deleteSent(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await db.execute(sql`delete from outbox where id = any(${`{${ids.join(",")}}`}::bigint[])`);
}

/** Put failed rows off, each by its own number of attempts; one that another relay has claimed since is left to it. */
export async function putOff(db: Db, rows: readonly ClaimedRow[]): Promise<void> {
  if (rows.length === 0) return;
  const delays = rows.map(({ id, attempts }) => ({ id, attempts, delay_ms: backOffMs(attempts, Math.random()) }));
  await db.execute(sql`
    update outbox o set due_at = svc_now() + f.delay_ms * interval '1 millisecond'
    from jsonb_to_recordset(${JSON.stringify(delays)}::jsonb) f (id bigint, attempts integer, delay_ms integer)
    where o.id = f.id and o.attempts = f.attempts`);
}

/** Doubled with each attempt and drawn from its upper half, so that rows which failed together spread out. */
export function backOffMs(attempts: number, random: number): number {
  const full = Math.min(FIRST_BACK_OFF_MS * 2 ** Math.min(attempts, 20), LONGEST_BACK_OFF_MS);
  return Math.round(full * (0.5 + random / 2));
}
