/**
 * A sign-in under way: the row decides which provider answers, for whom and in which browser; nothing in the
 * callback's address does, beside the state that finds the row (docs/rules/sign-in.md#the-stored-row-decides).
 */
import { randomBytes } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import * as v from "valibot";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { tokenHash } from "../credentials/format.ts";
import { SignInRefusedError } from "./errors.ts";
import type { ProviderKey } from "./provider.ts";
import { authStates } from "./schema.ts";

const LIFETIME = sql`interval '10 minutes'`;
export const LIFETIME_SECONDS = 600;

/** Kept encrypted: who reads the table must not be able to finish somebody's sign-in. */
const Secrets = v.object({ nonce: v.string(), codeVerifier: v.string(), issuer: v.string() });
type Secrets = v.InferOutput<typeof Secrets>;

export type Begun = {
  providerKey: ProviderKey;
  sourceId: string | null;
  /** Set when a signed-in person links a further identity. */
  link: { userId: string; sessionId: string } | null;
  returnTo: string;
};

/** @returns the state for the provider's address; only its hash is kept */
export async function storeSignIn(
  db: Queryable,
  keyring: Keyring,
  begun: Begun & { browser: string; secrets: Secrets },
): Promise<string> {
  const state = randomBytes(32).toString("base64url");
  const stateSha256 = tokenHash(state);
  await db.insert(authStates).values({
    stateSha256,
    browserSha256: tokenHash(begun.browser),
    providerKey: begun.providerKey,
    identitySourceId: begun.sourceId,
    linkUserId: begun.link?.userId ?? null,
    linkSessionId: begun.link?.sessionId ?? null,
    secrets: await keyring.seal(Buffer.from(JSON.stringify(begun.secrets)), place(stateSha256)),
    returnTo: begun.returnTo,
    expiresAt: sql`svc_now() + ${LIFETIME}`,
  });
  return state;
}

type Row = SqlRow<
  typeof authStates,
  "provider_key" | "identity_source_id" | "link_user_id" | "link_session_id" | "secrets" | "return_to"
> & { usable: boolean };

/**
 * The row of this state, deleted in the statement that reads it: whatever comes of it, it never works again.
 * @throws SignInRefusedError when it was not issued here, was used, is over ten minutes old or was begun in another
 * browser
 */
export async function takeSignIn(
  db: Queryable,
  keyring: Keyring,
  { state, browser }: { state: string; browser: string | null },
): Promise<Begun & { secrets: Secrets }> {
  const stateSha256 = tokenHash(state);
  const inThisBrowser: SQL =
    browser === null ? sql`false` : sql`browser_sha256 = ${tokenHash(browser)} and expires_at > svc_now()`;
  const [row] = await db.execute<Row>(sql`
    delete from auth_states where state_sha256 = ${stateSha256}
    returning provider_key, identity_source_id, link_user_id, link_session_id, secrets, return_to, ${inThisBrowser} as usable
  `);
  if (!row?.usable) {
    throw new SignInRefusedError("This sign-in is over, was used, or was begun in another browser. Begin again.");
  }
  const secrets = await keyring.open(row.secrets, place(stateSha256));
  return {
    providerKey: row.provider_key,
    sourceId: row.identity_source_id,
    link:
      row.link_user_id === null || row.link_session_id === null
        ? null
        : { userId: row.link_user_id, sessionId: row.link_session_id },
    returnTo: row.return_to,
    secrets: v.parse(Secrets, JSON.parse(secrets.toString("utf8"))),
  };
}

function place(stateSha256: Buffer) {
  return { table: "auth_states", column: "secrets", rowId: stateSha256.toString("hex") };
}
