/** New keys in the place of old ones: by the clock, and by an operator who does not trust them any more. */
import { sql } from "drizzle-orm";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { Db, Tx } from "../../platform/db/client.ts";
import { inTransaction } from "../../work/unitOfWork.ts";
import { deleteKeys, insertKey, makeKey, readKeys } from "./keyRows.ts";
import { nextKeyFrom, outlived } from "./keySchedule.ts";

type Deps = { db: Db; keyring: Pick<Keyring, "seal"> };
export type Rotated = { created: string[]; removed: string[] };

const NOTHING: Rotated = { created: [], removed: [] };

/** Makes the key that is due and removes those that nobody needs any more. */
export async function rotateKeys({ db, keyring }: Deps, everyMs: number): Promise<Rotated> {
  const { nowMs, keys } = await readKeys(db);
  const isDue = nextKeyFrom(keys, nowMs, everyMs) !== null;
  if (!isDue && outlived(keys, nowMs).length === 0) return NOTHING;
  // Making one takes a while, and a key service may be asked: neither under the lock.
  const made = isDue ? await makeKey(keyring) : null;
  return inTransaction(db, async (tx) => {
    await takeTurn(tx);
    const now = await readKeys(tx);
    const fromMs = nextKeyFrom(now.keys, now.nowMs, everyMs);
    const created = made === null || fromMs === null ? [] : [made.id];
    if (made !== null && fromMs !== null) await insertKey(tx, made, fromMs);
    const removed = outlived(now.keys, now.nowMs).map(({ id }) => id);
    await deleteKeys(tx, removed);
    return { created, removed };
  });
}

/**
 * A new key that signs at once. With `revoke` the others are gone too: what they signed is refused as soon as a
 * verifier reads the keys again. @param record in the same transaction
 */
export async function replaceKeys(
  { db, keyring }: Deps,
  revoke: boolean,
  record: (tx: Tx, rotated: Rotated) => Promise<void>,
): Promise<Rotated> {
  const made = await makeKey(keyring);
  return inTransaction(db, async (tx) => {
    await takeTurn(tx);
    const { nowMs, keys } = await readKeys(tx);
    // One that was to sign later would sign in its place.
    const removed = keys.filter((key) => revoke || key.signsFromMs > nowMs).map(({ id }) => id);
    await deleteKeys(tx, removed);
    await insertKey(tx, made, nowMs);
    const rotated = { created: [made.id], removed };
    await record(tx, rotated);
    return rotated;
  });
}

async function takeTurn(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('identity_keys', 0))`);
}
