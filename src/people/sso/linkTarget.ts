/** Where a signed-in person may get a further identity from, and who has to sign in afresh before they do. */
import { sql } from "drizzle-orm";
import type { Queryable } from "../../platform/db/client.ts";
import { NotFoundError, ProblemError } from "../../platform/problems/problem.ts";
import { UNEXPIRED } from "../authorization/membership.ts";
import type { SessionHolder } from "../authorization/requireSession.ts";
import type { Provider } from "./provider.ts";
import type { Providers } from "./providers.ts";

/** For how long a sign-in counts as fresh. */
const FRESH = sql`interval '10 minutes'`;

class FreshSignInRequiredError extends ProblemError {
  constructor() {
    const detail = "A super-admin links an identity within ten minutes of signing in. Sign in again first.";
    super({ status: 403, code: "fresh_sign_in_required", detail });
  }
}

/** What a super-admin's identity opens is the whole installation. @throws FreshSignInRequiredError */
export async function requireFreshSuperAdmin(db: Queryable, { id, sessionId }: SessionHolder): Promise<void> {
  const stale = await db.execute(sql`
    select from sessions s join users u on u.id = s.user_id
    where s.id = ${sessionId} and u.id = ${id} and u.is_super_admin and s.created_at < svc_now() - ${FRESH}`);
  if (stale.length > 0) throw new FreshSignInRequiredError();
}

/**
 * A provider of the platform, or a source of an organization that the person is in: anybody may run a provider, and who
 * runs it could sign in as whoever linked it. @throws NotFoundError
 */
export async function linkTarget(
  { db, providers }: { db: Queryable; providers: Providers },
  { id: userId }: SessionHolder,
  key: string,
  { org = "", source = "" }: { org?: string | undefined; source?: string | undefined },
): Promise<{ id: string | null; provider: Provider }> {
  if (key !== "oidc") {
    const provider = providers.ofPlatform(key);
    if (provider === undefined) throw new NotFoundError();
    return { id: null, provider };
  }
  const found = await providers.sourceBySlug(org, source);
  if (found === undefined) throw new NotFoundError();
  await requireOwnSource(db, userId, found.id);
  return found;
}

/** @throws NotFoundError unless the source is of an organization that the person is in */
export async function requireOwnSource(db: Queryable, userId: string, sourceId: string): Promise<void> {
  const rows = await db.execute(sql`
    select from identity_sources s join memberships m on m.org_id = s.org_id
    where s.id = ${sourceId} and m.user_id = ${userId} and ${UNEXPIRED}`);
  if (rows.length === 0) throw new NotFoundError();
}
