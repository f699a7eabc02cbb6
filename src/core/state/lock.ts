/**
 * The lock of a state. An engine takes it before it changes anything and gives it back by its id. That of a run ends
 * with the run, in the transaction that ends it, so no dead runner leaves one (docs/state.md#locks).
 */
import { sql } from "drizzle-orm";
import type { Subject } from "../../http/principal.ts";
import { recordAudit } from "../../people/audit/record.ts";
import type { Db, Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import type { StackRow } from "../stacks/schema.ts";
import { StateConflictError, StateForbiddenError, StateLockedError } from "./errors.ts";
import type { LockDocument } from "./lockDocument.ts";
import type { stackStates } from "./schema.ts";
import { held, holderOf, type StateUser } from "./stateUser.ts";

export type LockRow = SqlRow<
  typeof stackStates,
  "lock_id" | "lock_info" | "locked_at" | "lock_run_id" | "locked_by" | "locked_by_kind"
>;

/** Over `stack_states`: nobody has the lock. */
const UNLOCKED = sql`lock_id = null, lock_info = null, locked_at = null, lock_run_id = null, locked_by = null, locked_by_kind = null`;

/**
 * Take the lock, or keep the one that this user has under the same id: its answer may have been lost.
 * @throws StateLockedError, StateForbiddenError when the run has ended meanwhile
 */
export async function takeLock(db: Db, user: StateUser, lock: LockDocument): Promise<void> {
  for (;;) {
    // A run's lock has no entry in the trail: one statement, which needs no transaction around it.
    const attempt = user.kind === "run" ? tryLock(db, user, lock) : db.transaction((tx) => tryLock(tx, user, lock));
    if (await attempt) return;
    const now = await readLock(db, user.stackKey);
    if (now !== null) throw new StateLockedError(now.lock_info as LockDocument);
    // Given back between the two statements, unless it is the run that is over.
    const [goesOn] = await db.execute(sql`select held from ${held(user)} u`);
    if (goesOn === undefined) throw new StateForbiddenError();
  }
}

async function tryLock(tx: Queryable, user: StateUser, lock: LockDocument): Promise<boolean> {
  const holder = holderOf(user);
  const taken = await tx.execute(sql`
      insert into stack_states as s (stack_key, org_id, lock_id, lock_info, locked_at, lock_run_id, locked_by, locked_by_kind)
      select ${user.stackKey}::uuid, ${user.orgId}::uuid, ${lock.ID}, ${JSON.stringify(lock)}::jsonb, svc_now(),
        ${holder.lock_run_id}::uuid, ${holder.locked_by}::text, ${holder.locked_by_kind}::text
      from ${held(user)} u
      on conflict (stack_key) do update set lock_id = excluded.lock_id, lock_info = excluded.lock_info,
        locked_at = excluded.locked_at, lock_run_id = excluded.lock_run_id, locked_by = excluded.locked_by,
        locked_by_kind = excluded.locked_by_kind
      where s.lock_id is null or (s.lock_id = excluded.lock_id
        and s.lock_run_id is not distinct from excluded.lock_run_id and s.locked_by is not distinct from excluded.locked_by)
      returning 1`);
  if (taken.length === 0) return false;
  await auditLock(tx, user, "state.lock", lock.ID);
  return true;
}

/** People's locks are in the trail; a run's are in what the run does. */
async function auditLock(
  tx: Queryable,
  user: StateUser,
  action: "state.lock" | "state.unlock",
  lockId: string,
): Promise<void> {
  if (user.kind === "run") return;
  const { orgId, stackSlug, subject } = user;
  const details = { stack_id: stackSlug, lock_id: lockId };
  await recordAudit(tx, { orgId, actor: subject, action, resourceId: stackSlug, details });
}

/**
 * Give the lock back: the one of this id, or whichever it is. One that is free already is what was asked for. A run
 * gives back its own; people any that a person holds, as an engine's `force-unlock` does. @throws StateLockedError
 */
export async function releaseLock(db: Db, user: StateUser, lockId: string | null): Promise<void> {
  const own = user.kind === "run" ? sql`lock_run_id = ${user.runId}` : sql`lock_run_id is null`;
  const release = async (tx: Queryable) => {
    const rows = await tx.execute<{ lock_id: string }>(sql`
      update stack_states set ${UNLOCKED} where stack_key = ${user.stackKey} and ${own}
        and lock_id = coalesce(${lockId}::text, lock_id)
      returning old.lock_id`);
    for (const { lock_id } of rows) await auditLock(tx, user, "state.unlock", lock_id);
    return rows.length > 0;
  };
  if (await (user.kind === "run" ? release(db) : db.transaction(release))) return;
  const now = await readLock(db, user.stackKey);
  if (now !== null) throw new StateLockedError(now.lock_info as LockDocument);
}

/** The lock as it is, or null. */
async function readLock(db: Queryable, stackKey: string): Promise<LockRow | null> {
  const [row] = await db.execute<LockRow>(sql`
    select lock_id, lock_info, locked_at, lock_run_id, locked_by, locked_by_kind
    from stack_states where stack_key = ${stackKey} and lock_id is not null`);
  return row ?? null;
}

/**
 * Take the lock away from whoever left it. One of a run that lives stays: its engine could not save what it does, and
 * cancelling the deployment ends both. @throws StateConflictError
 */
export async function forceUnlock(db: Db, subject: Subject, stack: StackRow, reason: string): Promise<void> {
  await db.transaction(async (tx) => {
    const [row] = await tx.execute<LockRow>(sql`
      select lock_id, lock_info, lock_run_id, locked_by from stack_states
      where stack_key = ${stack.stackKey} and lock_id is not null for update`);
    if (row === undefined) throw new StateConflictError("state_not_locked", "The state is not locked.");
    if (row.lock_run_id !== null) {
      const detail = `Run ${row.lock_run_id} holds the lock and goes on. Cancel its deployment: the lock ends with it.`;
      throw new StateConflictError("state_locked", detail);
    }
    await tx.execute(sql`update stack_states set ${UNLOCKED} where stack_key = ${stack.stackKey}`);
    const { Who: who, Operation: operation } = row.lock_info as LockDocument;
    const details = { stack_id: stack.slug, reason, lock_id: row.lock_id, who, operation, locked_by: row.locked_by };
    await recordAudit(tx, {
      orgId: stack.orgId,
      actor: subject,
      action: "state.force_unlock",
      resourceId: stack.slug,
      details,
    });
  });
}
