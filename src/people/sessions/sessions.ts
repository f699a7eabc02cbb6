/**
 * Browser sessions: 12 hours sliding, 7 days at most; the database holds hashes only
 * (docs/rules/credentials.md#sessions).
 */
import { randomBytes } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import type { Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { tokenHash } from "../credentials/format.ts";
import { csrfToken } from "./csrf.ts";
import { sessions } from "./schema.ts";

const SLIDING = sql`interval '12 hours'`;
const ABSOLUTE = sql`interval '7 days'`;
export const ABSOLUTE_SECONDS = 7 * 86_400;
/** A session is moved on at most this often, so that a busy page does not write a row per request. */
const SLIDE_EVERY = sql`interval '5 minutes'`;

export type FoundSession = Pick<typeof sessions.$inferSelect, "id" | "userId" | "csrfSha256">;

/**
 * @param identityId what the person signed in with; the session ends when that is unlinked
 * @returns the session's token, for its cookie and nowhere else
 */
export async function createSession(db: Queryable, userId: string, identityId: string | null = null): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  await db.insert(sessions).values({
    userId,
    identityId,
    tokenSha256: tokenHash(token),
    csrfSha256: tokenHash(csrfToken(token)),
    expiresAt: sql`svc_now() + ${SLIDING}`,
  });
  return token;
}

/** The live session of an enabled user, moved on when it is due; one statement. */
export async function findSession(db: Queryable, token: string): Promise<FoundSession | null> {
  const [row] = await db.execute<SqlRow<typeof sessions, "id" | "user_id" | "csrf_sha256">>(sql`
    with found as (
      select s.id, s.user_id, s.csrf_sha256, s.expires_at, least(svc_now() + ${SLIDING}, s.created_at + ${ABSOLUTE}) as next
      from sessions s join users u on u.id = s.user_id
      where s.token_sha256 = ${tokenHash(token)} and s.expires_at > svc_now()
        and s.created_at + ${ABSOLUTE} > svc_now() and u.disabled_at is null
    ), moved as (
      update sessions s set expires_at = f.next from found f where s.id = f.id and f.next > f.expires_at + ${SLIDE_EVERY}
    )
    select id, user_id, csrf_sha256 from found`);
  return row === undefined ? null : { id: row.id, userId: row.user_id, csrfSha256: row.csrf_sha256 };
}

export async function endSession(db: Queryable, sessionId: string): Promise<void> {
  await db.delete(sessions).where(eq(sessions.id, sessionId));
}

/** The same for the session that this token is of, if there is one. */
export async function endSessionOf(db: Queryable, token: string): Promise<void> {
  await db.delete(sessions).where(eq(sessions.tokenSha256, tokenHash(token)));
}
