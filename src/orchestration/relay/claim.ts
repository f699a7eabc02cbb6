/**
 * The statements of the relay. Messages have classes (`outbox_class`): 0 and 1 are urgent and taken by age; 2 and 3
 * are patient, and taken by organization in turn, so that however many one organization has, another's come next.
 *
 * Indexes. `outbox_urgent (class, due_at, id)` has the due rows of a class at its head, so an empty look costs two
 * probes however many rows wait in back-off. `outbox_patient (class, org_id, due_at, id)` gives the organizations of a
 * class one probe each, and each one's head. The time is taken in a sub-select, once: compared with the volatile
 * `svc_now()` directly, every waiting row would be visited. Rows are locked only for the claim's own statement, never
 * while Temporal is called; `skip locked` lets many relays claim at once.
 */
import { type SQL, sql } from "drizzle-orm";
import type { Db } from "../../platform/db/client.ts";
import { grown, spread } from "../../platform/time/pause.ts";
import type { OutboxRow } from "../../work/schema.ts";

/** How long a claimed row is out of the hands of other relays. */
export const CLAIM_MS = 5_000;

/** `ageMs`: since it was written, by the database's clock. */
export type ClaimedRow = OutboxRow & { attempts: number; ageMs: number };

const BACK_OFF_MS = { first: 500, factor: 2, longest: 30_000 };
/** What only waits for a worker to take it is tried again this often: the workers may be back any moment. */
const WAKE_BACK_OFF_MS = 2_000;

export type Claim = {
  rows: ClaimedRow[];
  /** Milliseconds until the first of the rows that were not yet due; null when there are none. */
  nextDueMs: number | null;
};

/** Claim up to `limit` due urgent rows, class 0 first, each class oldest first, and commit that. */
export function claimUrgent(db: Db, limit: number): Promise<Claim> {
  const of = (urgency: number) => sql`(select id, class, due_at from outbox
    where class = ${sql.raw(String(urgency))} and due_at <= (select svc_now()) order by due_at, id limit ${limit})`;
  return claim(
    db,
    sql`class < 2`,
    sql`select id from (${of(0)} union all ${of(1)}) o order by class, due_at, id limit ${limit}`,
  );
}

/** Claim up to `limit` due rows of a patient class, one of each organization, then a second of each, and so on. */
export function claimPatient(db: Db, urgency: 2 | 3, limit: number): Promise<Claim> {
  const ofClass = sql.raw(`class = ${urgency}`);
  return claim(
    db,
    ofClass,
    sql`with recursive orgs (org_id) as (
        (select org_id from outbox where ${ofClass} order by org_id limit 1)
        union all
        select (select o.org_id from outbox o where ${ofClass} and o.org_id > orgs.org_id order by o.org_id limit 1)
        from orgs where orgs.org_id is not null
      )
      select h.id from orgs cross join lateral (
        select id, row_number() over (order by due_at, id) as turn from (
          select id, due_at from outbox
          where ${ofClass} and org_id = orgs.org_id and due_at <= (select svc_now()) order by due_at, id limit ${limit}
        ) of_org
      ) h order by h.turn, md5(orgs.org_id::text || (select svc_now())::text) limit ${limit}`,
  );
}

async function claim(db: Db, scope: SQL, ids: SQL): Promise<Claim> {
  const [answer] = (await db.execute(sql`
    with due as (
      select o.id from outbox o where o.id = any(array(${ids})) and o.due_at <= (select svc_now()) for update skip locked
    ), claimed as (
      update outbox o set due_at = svc_now() + ${CLAIM_MS} * interval '1 millisecond', attempts = o.attempts + 1
      from due where o.id = due.id
      returning o.id, o.message, o.attempts, o.traceparent, o.class, extract(epoch from svc_now() - o.created_at) * 1000 as age
    )
    select (select jsonb_agg(jsonb_build_object('id', id::text, 'message', message, 'attempts', attempts,
        'traceparent', traceparent, 'class', class, 'ageMs', age) order by class, id) from claimed) as rows,
      (select ceil(extract(epoch from min(due_at) - svc_now()) * 1000)::float8
        from outbox where ${scope} and due_at > (select svc_now())) as next`)) as unknown as [
    { rows: ClaimedRow[] | null; next: number | null },
  ];
  return { rows: answer.rows ?? [], nextDueMs: answer.next };
}

export type Due = {
  urgent: boolean;
  sleepers: boolean;
  others: boolean;
  /** Milliseconds until the first urgent one that is not yet due; null when there is none. */
  nextUrgentMs: number | null;
};

/** Which kinds of messages have one that is due: a few index probes. */
export async function dueClasses(db: Db): Promise<Due> {
  const due = (urgency: number) => sql`exists (select from outbox
    where class = ${sql.raw(String(urgency))} and due_at <= (select svc_now()))`;
  const next = (urgency: number) => sql`(select due_at from outbox
    where class = ${sql.raw(String(urgency))} and due_at > (select svc_now()) order by due_at limit 1)`;
  const [row] = (await db.execute(sql`
    select ${due(0)} or ${due(1)} as urgent, ${due(2)} as sleepers, ${due(3)} as others,
      ceil(extract(epoch from least(${next(0)}, ${next(1)}) - svc_now()) * 1000)::float8 as "nextUrgentMs"`)) as unknown as [
    Due,
  ];
  return row;
}

export async function deleteSent(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await db.execute(sql`delete from outbox where id = any(${`{${ids.join(",")}}`}::bigint[])`);
}

/** Put failed rows off, each by its own number of attempts; one that another relay has claimed since is left to it. */
export async function putOff(db: Db, rows: readonly ClaimedRow[]): Promise<void> {
  if (rows.length === 0) return;
  const delays = rows.map(({ id, attempts, message }) => {
    const full = backOffMs(attempts, Math.random());
    return { id, attempts, delay_ms: message.kind.startsWith("wake") ? Math.min(full, WAKE_BACK_OFF_MS) : full };
  });
  await db.execute(sql`
    update outbox o set due_at = svc_now() + f.delay_ms * interval '1 millisecond'
    from jsonb_to_recordset(${JSON.stringify(delays)}::jsonb) f (id bigint, attempts integer, delay_ms integer)
    where o.id = f.id and o.attempts = f.attempts`);
}

/** Doubled with each attempt and drawn from its upper half. */
export function backOffMs(attempts: number, random: number): number {
  return Math.round(spread(grown(BACK_OFF_MS, attempts), [0.5, 1], random));
}
