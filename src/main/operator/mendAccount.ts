/**
 * A local installation's own account is put right again at its start: whoever has the data folder has everything
 * anyway, and the token that `npm start` prints must work, also after somebody took its rights away by mistake.
 */
import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import { systemRoleId } from "../../people/orgs/orgs.ts";
import type { Tx } from "../../platform/db/client.ts";

/** What was wrong, in words for whoever starts it. */
export type Mended = string[];

/**
 * @param token the one that is printed; undefined at the first start
 * @returns whether another token is needed, and what was mended
 */
export async function mendAccount(
  tx: Tx,
  { orgId, accountId, token }: { orgId: string; accountId: string; token: string | undefined },
): Promise<{ needsToken: boolean; mended: Mended }> {
  const mended: Mended = [];
  const enabled = await tx.execute(sql`
    update service_accounts set disabled_at = null where id = ${accountId} and disabled_at is not null returning 1`);
  if (enabled.length > 0) mended.push("its account was disabled");
  const roleId = await systemRoleId(tx, "admin");
  const assigned = await tx.execute(sql`
    insert into role_assignments (org_id, role_id, service_account_id) values (${orgId}, ${roleId}, ${accountId})
    on conflict do nothing returning 1`);
  if (assigned.length > 0) mended.push("its account had lost the role admin");
  if (token === undefined) return { needsToken: true, mended };
  const digest = createHash("sha256").update(token).digest();
  const valid = await tx.execute(sql`
    select from service_account_tokens where token_sha256 = ${digest} and service_account_id = ${accountId} and expires_at > svc_now()`);
  if (valid.length === 0) mended.push("the token was deleted or had expired, and another one takes its place");
  return { needsToken: valid.length === 0, mended };
}
