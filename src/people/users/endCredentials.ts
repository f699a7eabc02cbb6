/**
 * What ends with a person's access: one transaction, so that no process accepts a part of it afterwards
 * (docs/rules/credentials.md#ending-access-is-one-transaction).
 */
import { sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/client.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import { recordAudit } from "../audit/record.ts";
import { ForbiddenError } from "../authorization/authorize.ts";
import type { SessionHolder } from "../authorization/requireSession.ts";
import { holdAsSuperAdmin } from "../authorization/superAdmin.ts";
import { withdrawInvitations } from "../members/withdrawInvitations.ts";

/** Disable: they cannot sign in again, and everything they held ends, with the invitations they gave. Idempotent. */
export async function disableUser(service: Service, caller: SessionHolder, userId: string): Promise<void> {
  if (caller.id === userId) throw new ForbiddenError("You cannot disable yourself.");
  await unitOfWork(service, async ({ tx }) => {
    await holdAsSuperAdmin(tx, caller, userId);
    await tx.execute(sql`update users set disabled_at = coalesce(disabled_at, svc_now()) where id = ${userId}`);
    await endCredentials(tx, userId);
    await withdrawInvitations(tx, userId, caller);
    await recordAudit(tx, { orgId: null, actor: caller, action: "user.disable", resourceId: userId });
  });
}

/** They may sign in again; what ended stays ended. Idempotent. */
export async function enableUser(service: Service, caller: SessionHolder, userId: string): Promise<void> {
  await unitOfWork(service, async ({ tx }) => {
    await holdAsSuperAdmin(tx, caller, userId);
    await tx.execute(sql`update users set disabled_at = null where id = ${userId}`);
    await recordAudit(tx, { orgId: null, actor: caller, action: "user.enable", resourceId: userId });
  });
}

/** End all that they hold now; they may sign in again at once. */
export async function forceLogout(service: Service, caller: SessionHolder, userId: string): Promise<void> {
  await unitOfWork(service, async ({ tx }) => {
    // Also makes a token that is being minted right now either visible below or refused (`holdMinter`).
    await holdAsSuperAdmin(tx, caller, userId);
    await endCredentials(tx, userId);
    await recordAudit(tx, { orgId: null, actor: caller, action: "user.logout", resourceId: userId });
  });
}

/** Sessions, personal tokens, and every service account token the person minted; those that others minted go on. */
async function endCredentials(tx: Tx, userId: string): Promise<void> {
  await tx.execute(sql`
    with s as (delete from sessions where user_id = ${userId}),
      p as (delete from personal_access_tokens where user_id = ${userId})
    delete from service_account_tokens where created_by = ${userId}`);
}
