/**
 * What housekeeping removes of people: memberships, entitlements, invitations, sessions, unfinished sign-ins and logins
 * of devices that have expired. They have counted as absent since that moment; this only keeps the tables small. Direct
 * roles and tokens stay for whoever signs in again.
 */
import { sql } from "drizzle-orm";
import type { Db } from "../../platform/db/client.ts";

const BATCH = 500;

export type RemovedExpired = {
  memberships: number;
  entitlements: number;
  invitations: number;
  sessions: number;
  signIns: number;
  confirmations: number;
  signInCodes: number;
  offers: number;
  deviceLogins: number;
};

/** Each statement takes one indexed batch; safe to run at once in several processes. @returns rows removed */
export async function removeExpired(db: Db): Promise<RemovedExpired> {
  return {
    memberships: await inBatches(db, "memberships"),
    entitlements: await inBatches(db, "external_entitlements"),
    invitations: await inBatches(db, "invitations"),
    sessions: await inBatches(db, "sessions"),
    signIns: await inBatches(db, "auth_states"),
    confirmations: await inBatches(db, "sign_in_confirmations"),
    signInCodes: await inBatches(db, "used_sign_in_codes"),
    offers: await inBatches(db, "membership_offers"),
    deviceLogins: await inBatches(db, "device_logins"),
  };
}

type Table =
  | "memberships"
  | "external_entitlements"
  | "invitations"
  | "sessions"
  | "auth_states"
  | "sign_in_confirmations"
  | "used_sign_in_codes"
  | "membership_offers"
  | "device_logins";

/**
 * The time is read once, which lets the index end the search at the first row that has not expired. A row that a
 * sign-in renews at this moment is locked, and skipped.
 */
async function inBatches(db: Db, table: Table): Promise<number> {
  const name = sql.identifier(table);
  for (let total = 0; ; ) {
    const removed = await db.execute(sql`
      delete from ${name} where ctid = any(array(
        select ctid from ${name} where expires_at <= (select svc_now()) order by expires_at limit ${BATCH}::int for update skip locked))
      returning 1`);
    total += removed.length;
    if (removed.length < BATCH) return total;
  }
}
