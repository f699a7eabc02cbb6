/**
 * A task's row from a worker's side: take its lease, renew it, store how far it is, give it back. Every write is
 * fenced.
 */
import { type SQL, sql } from "drizzle-orm";
import type { TaskName } from "../../../workflows/ids.ts";
import type { TaskView } from "../../../workflows/views.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { NamedRow } from "../../platform/db/sqlRow.ts";
import type { orgTasks } from "../../work/tasks/schema.ts";

/** Renewed every few seconds while a slice goes on; a killed worker's task is free after this. */
const LEASE = "30 seconds";
/** A task that only newer workers can do is offered again this often. */
const NEWER_MS = 30_000;

export type Lease = NamedRow<
  typeof orgTasks,
  "id" | "orgId" | "kind" | "stackKey" | "cursor" | "attempts" | "claimSeq"
>;

/** Another worker has the task now: nothing may be written for this slice any more. */
export class LeaseLostError extends Error {
  constructor() {
    super("the task's lease was lost");
    this.name = "LeaseLostError";
  }
}

/**
 * Take the task if it is due and nobody has it. At the beginning of a round it notes which requests the round will
 * answer.
 * @param cursorVersion the newest that this worker knows of the kind
 */
export async function takeLease(db: Queryable, name: TaskName, cursorVersion: number): Promise<Lease | null> {
  const rows = await db.execute<Lease>(sql`
    update org_tasks set claim_seq = claim_seq + 1, claimed_until = svc_now() + ${LEASE}::interval,
      answering = case when cursor is null then requested else answering end
    where kind = ${name.kind} and subject_key = ${name.subjectKey} and status = 'pending' and due_at <= svc_now()
      and (claimed_until is null or claimed_until <= svc_now()) and cursor_version <= ${cursorVersion}
    returning id, org_id as "orgId", kind, stack_key as "stackKey", cursor, attempts, claim_seq as "claimSeq"`);
  return rows[0] ?? null;
}

/** @throws LeaseLostError */
export const renewLease = (db: Queryable, lease: Lease) =>
  write(db, lease, sql`claimed_until = svc_now() + ${LEASE}::interval`);

/** Store how far the round is and go on. @throws LeaseLostError */
export const keepCursor = (db: Queryable, lease: Lease, cursor: unknown, version: number) =>
  write(db, lease, sql`${cursorIs(cursor, version)}, claimed_until = svc_now() + ${LEASE}::interval`);

/** The slice's time is over. @throws LeaseLostError */
export const pauseTask = (db: Queryable, lease: Lease, cursor: unknown, version: number) =>
  write(db, lease, sql`${cursorIs(cursor, version)}, claimed_until = null, attempts = 0, last_error = null`);

/** The round is over: done, unless it was asked for again since its beginning. @throws LeaseLostError */
export const endRound = (db: Queryable, lease: Lease) =>
  write(
    db,
    lease,
    sql`cursor = null, cursor_version = 0, claimed_until = null, attempts = 0, last_error = null,
      status = case when requested = answering then 'done' else 'pending' end,
      completed_at = case when requested = answering then svc_now() end`,
  );

/** The slice failed: its cursor stays where it last was. @throws LeaseLostError */
export const putOff = (db: Queryable, lease: Lease, pauseMs: number, problem: string) =>
  write(
    db,
    lease,
    sql`claimed_until = null, attempts = attempts + 1, last_error = ${problem},
      due_at = svc_now() + ${pauseMs}::float8 * interval '1 millisecond'`,
  );

/** Only the cursor, so that what is stored is the newest of them. */
function cursorIs(cursor: unknown, version: number): SQL {
  return sql`cursor = ${cursor === null ? null : JSON.stringify(cursor)}::jsonb, cursor_version = ${version}`;
}

async function write(db: Queryable, { id, claimSeq }: Lease, set: SQL): Promise<void> {
  const rows = await db.execute(
    sql`update org_tasks set ${set} where id = ${id} and claim_seq = ${claimSeq}::bigint and claimed_until is not null returning 1`,
  );
  if (rows.length === 0) throw new LeaseLostError();
}

/** The row as it is now; a task that is not there is done. */
export async function taskView(db: Queryable, name: TaskName, cursorVersion: number): Promise<TaskView> {
  const [row] = await db.execute<{
    newer: boolean;
    attempts: number;
    ms: number;
  }>(sql`
    select cursor_version > ${cursorVersion} as newer, attempts,
      ceil(extract(epoch from greatest(due_at, claimed_until) - svc_now()) * 1000)::float8 as ms
    from org_tasks where kind = ${name.kind} and subject_key = ${name.subjectKey} and status = 'pending'`);
  if (row === undefined) return { status: "done", nextMs: null };
  const nextMs = Math.max(row.ms, 0);
  const failures = row.attempts > 0 && { failures: row.attempts };
  if (row.newer) return { status: "newer", nextMs: Math.max(nextMs, NEWER_MS), ...failures };
  return { status: "pending", nextMs, ...failures };
}
