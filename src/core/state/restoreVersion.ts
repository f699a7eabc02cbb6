/**
 * An older state made the newest one. No run may be at work on it, nor any engine: what either believes of the state
 * would be wrong at once.
 */

import { sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/client.ts";
import { StorageUnavailableError } from "../../platform/objects/store.ts";
import { takesLane } from "../deployments/laneModes.ts";
import { StateConflictError } from "./errors.ts";
import { statePlace } from "./place.ts";
import { recordChange } from "./recordChange.ts";
import type { StateUser } from "./stateUser.ts";
import { findVersion } from "./versions.ts";
import { type StateDeps, writeVersion } from "./writeVersion.ts";

type Person = Extract<StateUser, { kind: "person" }>;

/**
 * @returns the id of the new version
 * @throws NotFoundError, StateConflictError, StorageUnavailableError
 */
export async function restoreVersion(deps: StateDeps, user: Person, id: string, reason: string): Promise<string> {
  const { stackKey } = user;
  const older = await findVersion(deps.db, stackKey, id);
  const body = await deps.objects.getSealed(older.object_key, statePlace(older.id), Number(older.size));
  if (body === null) throw new StorageUnavailableError(new Error(`state version ${older.id} has no object`));
  let restored = id;
  const restores = Number(older.number);
  await writeVersion(
    deps,
    user,
    { origin: "rollback", body, restores, anyOrder: true },
    async (tx, state) => {
      if (state.lock_id !== null)
        throw new StateConflictError("state_locked", "The state is locked: an engine is at work on it.");
      await assertLaneFree(tx, stackKey);
    },
    async (work, number, sent) => {
      restored = sent.id;
      await recordChange(work, user, "restore", { number, restores, serial: sent.serial, reason });
    },
  );
  return restored;
}

/** @throws StateConflictError */
async function assertLaneFree(tx: Tx, stackKey: string): Promise<void> {
  const [holder] = await tx.execute<{ id: string }>(sql`
    select id from deployments where stack_key = ${stackKey} and ${takesLane()}
      and status not in ('queued', 'finished', 'failed', 'cancelled', 'skipped') limit 1`);
  if (holder === undefined) return;
  throw new StateConflictError("state_in_use", `Deployment ${holder.id} has the lane of the stack: let it end first.`);
}
