/** Taking a service account out of use, and back: the same rules as for people. */
import { sql } from "drizzle-orm";
import type { Subject } from "../../http/principal.ts";
import type { Db } from "../../platform/db/client.ts";
import { requireRow, requireUuids } from "../../platform/problems/requireRow.ts";
import { inTransaction } from "../../work/unitOfWork.ts";
import { recordAudit } from "../audit/record.ts";
import { requireOrg } from "../authorization/authorize.ts";
import { withdrawInvitations } from "../members/withdrawInvitations.ts";
import { keepingAnAdmin } from "../roles/lastAdmin.ts";
import { readAccount } from "./accounts.ts";
import type { ServiceAccount } from "./answer.ts";

const UPDATE = { type: "service_account", action: "update" } as const;

/**
 * It can do nothing from the next request on, and its tokens and the invitations it gave are deleted in the same
 * transaction, so that enabling it brings none of them back. Idempotent. Needs (service_account, update).
 * @throws ForbiddenError, NotFoundError, LastAdminError
 */
export async function disableAccount(db: Db, subject: Subject, orgId: string, id: string): Promise<ServiceAccount> {
  const { superAdmin } = await requireOrg(db, subject, orgId, UPDATE);
  requireUuids(id);
  return inTransaction(db, (tx) =>
    keepingAnAdmin(tx, { orgId, superAdmin }, async () => {
      // The row first: a token that is being minted holds it, and is either seen by the next statement or refused.
      const rows = await tx.execute(sql`
        update service_accounts set disabled_at = coalesce(disabled_at, svc_now()) where id = ${id} and org_id = ${orgId} returning 1`);
      requireRow(rows);
      const tokens = await tx.execute(
        sql`delete from service_account_tokens where service_account_id = ${id} returning 1`,
      );
      const invitations = await withdrawInvitations(tx, id, subject);
      const account = await readAccount(tx, orgId, id);
      const details = { name: account.name, tokens: tokens.length, invitations };
      await recordAudit(tx, { orgId, actor: subject, action: "service_account.disable", resourceId: id, details });
      return account;
    }),
  );
}

/**
 * It may get tokens and act again; what ended stays ended. Idempotent. Needs (service_account, update).
 * @throws ForbiddenError, NotFoundError
 */
export async function enableAccount(db: Db, subject: Subject, orgId: string, id: string): Promise<ServiceAccount> {
  await requireOrg(db, subject, orgId, UPDATE);
  requireUuids(id);
  return inTransaction(db, async (tx) => {
    const rows = await tx.execute(
      sql`update service_accounts set disabled_at = null where id = ${id} and org_id = ${orgId} returning 1`,
    );
    requireRow(rows);
    const account = await readAccount(tx, orgId, id);
    const details = { name: account.name };
    await recordAudit(tx, { orgId, actor: subject, action: "service_account.enable", resourceId: id, details });
    return account;
  });
}
