import { sql } from "drizzle-orm";
import { NotAuthenticatedError } from "../../http/authenticate.ts";
import type { Principal } from "../../http/principal.ts";
import type { Tx } from "../../platform/db/client.ts";

/**
 * First statement of a transaction that makes a lasting credential: the caller's own must still be there, and stays
 * until the end. Without it a request that was authenticated just before a disable or force-logout would leave a token
 * behind that nobody deletes.
 * @returns the person to whom the new credential is traced: the caller, or who minted the service account's token, so
 *   that a stolen one cannot outlive its minter by minting another; null when nobody did
 * @throws NotAuthenticatedError
 */
export async function holdMinter(tx: Tx, principal: Principal): Promise<string | null> {
  const { credential } = principal;
  if (credential.kind === "service_account_token") {
    const [token] = await tx.execute<{ created_by: string | null }>(
      sql`select created_by from service_account_tokens where id = ${credential.tokenId}::uuid for share`,
    );
    if (token === undefined) throw new NotAuthenticatedError();
    return token.created_by;
  }
  // The user's row first, as who ends their credentials takes it first.
  const person = await tx.execute(sql`select from users where id = ${principal.id} and disabled_at is null for share`);
  const own =
    credential.kind === "session"
      ? sql`select from sessions where id = ${credential.sessionId}::uuid for share`
      : sql`select from personal_access_tokens where id = ${credential.tokenId}::uuid for share`;
  if (person.length === 0 || (await tx.execute(own)).length === 0) throw new NotAuthenticatedError();
  return principal.id;
}
