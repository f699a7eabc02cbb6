/** What gives somebody power from the command line, and takes it, with its entry in the audit trail. */
import { sql } from "drizzle-orm";
import { recordAudit } from "../../people/audit/record.ts";
import type { serviceAccounts } from "../../people/serviceAccounts/schema.ts";
import { type MintedToken, mintToken } from "../../people/serviceAccounts/tokens.ts";
import type { Db } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { inTransaction } from "../../work/unitOfWork.ts";
import { operator } from "./actor.ts";

/** The flag is read with every check, so it counts from the next request on. @returns whether there is such a person */
export function setSuperAdmin(db: Db, userId: string, superAdmin: boolean): Promise<boolean> {
  const action = superAdmin ? "user.promote" : "user.demote";
  return inTransaction(db, async (tx) => {
    const rows = await tx.execute(
      sql`update users set is_super_admin = ${superAdmin} where id = ${userId} returning 1`,
    );
    if (rows.length === 0) return false;
    await recordAudit(tx, { orgId: null, actor: operator(), action, resourceId: userId });
    return true;
  });
}

type TokenOf = { orgId: string; accountName: string; name: string; lifetime: number };

/**
 * A token of a service account, which the operator sees once. `lifetime` in milliseconds.
 * @returns null when there is no such account
 */
export function mintOperatorToken(
  db: Db,
  { orgId, accountName, name, lifetime }: TokenOf,
): Promise<MintedToken | null> {
  return inTransaction(db, async (tx) => {
    const [account] = await tx.execute<SqlRow<typeof serviceAccounts, "id" | "org_id">>(
      sql`select id, org_id from service_accounts where org_id::text = ${orgId} and name = ${accountName}`,
    );
    if (account === undefined) return null;
    const minted = await mintToken(tx, account.id, { name, lifetime, createdBy: null });
    await recordAudit(tx, {
      orgId: account.org_id,
      actor: operator(),
      action: "service_account_token.create",
      resourceId: minted.id,
      details: { service_account_id: account.id, name, expires_at: minted.expires_at },
    });
    return minted;
  });
}
