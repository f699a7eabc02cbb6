/** Who calls with a browser's session cookie. */

import { type CredentialScheme, NotAuthenticatedError } from "../../http/authenticate.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { BrowserOrigin } from "./browserOrigin.ts";
import { readCookie } from "./cookies.ts";
import { assertNoForgery } from "./csrf.ts";
import { findSession } from "./sessions.ts";

/**
 * Every route authenticates before anything else, so the forgery check here holds on all of them, also on those that
 * are written tomorrow. Without a public address nobody can have signed in, and no cookie is looked at.
 */
export function browserSessions(db: Queryable, origin: BrowserOrigin | null): CredentialScheme {
  return async (c) => {
    const token = origin === null ? null : readCookie(c, origin, "session");
    if (origin === null || token === null) return null;
    const session = await findSession(db, token);
    if (session === null) throw new NotAuthenticatedError();
    assertNoForgery(c, origin.origin, session.csrfSha256);
    return { kind: "user", id: session.userId, credential: { kind: "session", sessionId: session.id } };
  };
}
