/** A state as an engine sends it: from who holds the lock, and newer than the one that is kept. */
import { sql } from "drizzle-orm";
import { StateConflictError, StateLockedError } from "./errors.ts";
import type { LockDocument } from "./lockDocument.ts";
import { recordChange } from "./recordChange.ts";
import type { StateUser } from "./stateUser.ts";
import { type StateDeps, type StateRow, writeVersion } from "./writeVersion.ts";

export type Push = {
  /** The id of the lock under which it was made. */
  lockId: string | null;
  md5: Buffer | undefined;
  body: AsyncIterable<Uint8Array>;
};

/** @throws as `writeVersion`, and StateLockedError */
export async function pushState(deps: StateDeps, user: StateUser, { lockId, md5, body }: Push): Promise<void> {
  // Before 256 MiB are taken in for nothing.
  const [now] = await deps.db.execute<LockColumns>(sql`
    select lock_id, lock_info, lock_run_id from stack_states where stack_key = ${user.stackKey}`);
  assertHolder(now ?? { lock_id: null, lock_info: null, lock_run_id: null }, user, lockId);
  const origin = user.kind === "run" ? "run" : "push";
  await writeVersion(
    deps,
    user,
    { origin, body, md5 },
    (_tx, state) => assertHolder(state, user, lockId),
    async (work, number, { serial, size }) => {
      if (user.kind === "person") await recordChange(work, user, "push", { number, serial, size });
    },
  );
}

type LockColumns = Pick<StateRow, "lock_id" | "lock_info" | "lock_run_id">;

/** @throws StateConflictError when nobody holds the lock, StateLockedError when another one does */
export function assertHolder(state: LockColumns, user: StateUser, lockId: string | null): void {
  if (state.lock_id === null) {
    throw new StateConflictError("state_not_locked", "The state is not locked: take the lock, and send its id as ID.");
  }
  const own = user.kind === "run" ? state.lock_run_id === user.runId : state.lock_run_id === null;
  if (!own || state.lock_id !== lockId) throw new StateLockedError(state.lock_info as LockDocument);
}
