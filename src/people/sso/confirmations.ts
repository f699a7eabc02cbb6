/**
 * What a provider answered, kept until the person agrees (docs/rules/sign-in.md#what-asks-first). Another site can send
 * a browser through a provider that approves silently; it cannot press a button here.
 */
import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { requireRow, requireUuids } from "../../platform/problems/requireRow.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import type { SignedIn } from "./provider.ts";
import { signInConfirmations } from "./schema.ts";

const LIFETIME = sql`interval '10 minutes'`;

/** A provider's answer and what would come of it. */
export type Waiting = {
  /** True: link it to the session's person. False: sign in as somebody else. */
  links: boolean;
  sourceId: string | null;
  signedIn: SignedIn;
  returnTo: string;
};

/** @returns its id, which is of use in this session alone */
export async function storeConfirmation(
  db: Queryable,
  keyring: Keyring,
  sessionId: string,
  { links, sourceId, signedIn, returnTo }: Waiting,
): Promise<string> {
  const id = randomUUID();
  await db.insert(signInConfirmations).values({
    id,
    sessionId,
    links,
    identitySourceId: sourceId,
    answer: await keyring.seal(Buffer.from(JSON.stringify(signedIn)), place(id)),
    returnTo,
    expiresAt: sql`svc_now() + ${LIFETIME}`,
  });
  return id;
}

type Row = SqlRow<typeof signInConfirmations, "links" | "identity_source_id" | "answer" | "return_to" | "expires_at">;

/** @throws NotFoundError for one of another session, one that was used, and one that is over ten minutes old */
export async function readConfirmation(
  db: Queryable,
  keyring: Keyring,
  { id, sessionId }: { id: string; sessionId: string },
): Promise<Waiting & { expiresAt: string }> {
  requireUuids(id);
  const row = requireRow(
    await db.execute<Row>(sql`
      select links, identity_source_id, answer, return_to, expires_at from sign_in_confirmations
      where id = ${id} and session_id = ${sessionId} and expires_at > svc_now()`),
  );
  const answer = await keyring.open(row.answer, place(id));
  return {
    links: row.links,
    sourceId: row.identity_source_id,
    signedIn: JSON.parse(answer.toString("utf8")) as SignedIn,
    returnTo: row.return_to,
    expiresAt: rfc3339(row.expires_at),
  };
}

/** Use it up, or throw it away: of two who do, one does. @throws NotFoundError */
export async function takeConfirmation(
  db: Queryable,
  { id, sessionId }: { id: string; sessionId: string },
): Promise<void> {
  requireUuids(id);
  const rows = await db.execute(sql`
    delete from sign_in_confirmations where id = ${id} and session_id = ${sessionId} and expires_at > svc_now() returning 1`);
  requireRow(rows);
}

function place(id: string) {
  return { table: "sign_in_confirmations", column: "answer", rowId: id };
}
