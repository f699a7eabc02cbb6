/**
 * `Authorization: Bearer svc_sa_...`: the account's flag and the token's expiry are checked, and
 * that its minter has not left for good (docs/rules/credentials.md#a-token-does-not-outgrow-its-minting).
 */
import { sql } from "drizzle-orm";
import { bearerToken, type CredentialScheme, NotAuthenticatedError } from "../../http/authenticate.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { tokenHash, tokenKind } from "../credentials/format.ts";
import { MINTER_GONE_FOR } from "../credentials/minterGone.ts";
import type { serviceAccounts } from "./schema.ts";

/** A text that is no well-formed token is refused without a query. */
export function serviceAccountTokens(db: Queryable): CredentialScheme {
  return async (c) => {
    const token = bearerToken(c);
    if (token === null || !token.startsWith("svc_sa_")) return null;
    if (tokenKind(token) !== "service_account") throw new NotAuthenticatedError();
    const [row] = await db.execute<
      SqlRow<typeof serviceAccounts, "id" | "org_id"> & { token_id: string; token_name: string }
    >(sql`
      select a.id, a.org_id, t.id as token_id, t.name as token_name
      from service_account_tokens t join service_accounts a on a.id = t.service_account_id
      where t.token_sha256 = ${tokenHash(token)} and t.expires_at > svc_now() and a.disabled_at is null
        and (t.minter_left_at is null or t.minter_left_at > svc_now() - ${MINTER_GONE_FOR})`);
    if (row === undefined) throw new NotAuthenticatedError();
    const credential = { kind: "service_account_token", tokenId: row.token_id, tokenName: row.token_name } as const;
    return { kind: "service_account", id: row.id, orgId: row.org_id, tokenId: row.token_id, credential };
  };
}
