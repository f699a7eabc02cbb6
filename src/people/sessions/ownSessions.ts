/** A person's own sessions: where they are signed in, and signing out elsewhere. */
import { type SQL, sql } from "drizzle-orm";
import * as v from "valibot";
import { Id, pageOf, Time } from "../../http/answerFields.ts";
import { byCreation, type ListQuery, listPage } from "../../http/listQuery.ts";
import type { Principal } from "../../http/principal.ts";
import type { Db } from "../../platform/db/client.ts";
import { NotFoundError } from "../../platform/problems/problem.ts";
import { requireUuids } from "../../platform/problems/requireRow.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import { inTransaction } from "../../work/unitOfWork.ts";
import { recordAudit } from "../audit/record.ts";
import { ForbiddenError } from "../authorization/authorize.ts";
import type { SessionHolder } from "../authorization/requireSession.ts";

const OwnSession = v.pipe(
  v.object({
    id: Id,
    identity_id: v.pipe(v.nullable(Id), v.metadata({ description: "What it was begun with, see `listIdentities`" })),
    this_session: v.boolean(),
    expires_at: v.pipe(Time, v.metadata({ description: "Moves on with use, at most 7 days from the beginning" })),
    created_at: Time,
  }),
  v.metadata({ ref: "Session" }),
);
export const SessionPage = v.pipe(pageOf(OwnSession), v.metadata({ ref: "SessionPage" }));
type OwnSession = v.InferInput<typeof OwnSession>;

export const SESSION_LIST = byCreation("s");

/**
 * The caller's own that have not expired, with any token of theirs.
 * @throws ForbiddenError for service accounts, InvalidValueError
 */
export async function listSessions(
  db: Db,
  principal: Principal,
  query: ListQuery,
): Promise<{ items: OwnSession[]; next_cursor: string | null }> {
  if (principal.kind !== "user") throw new ForbiddenError("Only people have sessions.");
  const { credential } = principal;
  const own = credential.kind === "session" ? credential.sessionId : null;
  const list = listPage(query, SESSION_LIST);
  const rows = await db.execute<OwnSession & { sort_value: string }>(sql`
    select s.id, s.identity_id, coalesce(s.id = ${own}::uuid, false) as this_session, s.expires_at, s.created_at, ${list.sortValue}
    from sessions s where s.user_id = ${principal.id} and s.expires_at > svc_now() and ${list.after}
    order by ${list.orderBy} limit ${list.limit}`);
  const { items, next_cursor } = list.cut(rows, (row) => row.id);
  return {
    items: items.map(({ sort_value, ...row }) => ({
      ...row,
      expires_at: rfc3339(row.expires_at),
      created_at: rfc3339(row.created_at),
    })),
    next_cursor,
  };
}

/** Sign out everywhere, here too; tokens go on. Takes effect with the next request on every process. */
export async function endOwnSessions(db: Db, caller: SessionHolder): Promise<void> {
  await end(db, caller, sql`true`);
}

/**
 * Sign out in one place. @returns whether it was this one. @throws NotFoundError for a session that is not the caller's
 */
export async function endOwnSession(db: Db, caller: SessionHolder, sessionId: string): Promise<{ signedOut: boolean }> {
  requireUuids(sessionId);
  if ((await end(db, caller, sql`id = ${sessionId}::uuid`)) === 0) throw new NotFoundError();
  return { signedOut: sessionId.toLowerCase() === caller.sessionId };
}

async function end(db: Db, caller: SessionHolder, which: SQL): Promise<number> {
  return inTransaction(db, async (tx) => {
    // The person first, as a sign-in does: one that comes at the same time is either ended here or began afterwards.
    await tx.execute(sql`select from users where id = ${caller.id} for no key update`);
    const ended = await tx.execute(sql`delete from sessions where user_id = ${caller.id} and ${which} returning 1`);
    if (ended.length === 0) return 0;
    const details = { sessions: ended.length };
    await recordAudit(tx, { orgId: null, actor: caller, action: "user.logout", resourceId: caller.id, details });
    return ended.length;
  });
}
