/** `Authorization: Bearer svc_pat_...`: a person's own token. */
import { sql } from "drizzle-orm";
import type { Context } from "hono";
import { bearerToken, type CredentialScheme, NotAuthenticatedError } from "../../http/authenticate.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { NotFoundError } from "../../platform/problems/problem.ts";
import { ForbiddenError } from "../authorization/authorize.ts";
import { tokenHash, tokenKind } from "../credentials/format.ts";
import type { organizations } from "../orgs/schema.ts";
import type { personalAccessTokens as t } from "./schema.ts";

type TokenRow = SqlRow<typeof t, "id" | "name" | "user_id" | "org_id"> & SqlRow<typeof organizations, "login_handle">;

/**
 * Format, hash, expiry, disabled user, then the gate of its organization (super-admin, or a membership that has not
 * expired), read again at every request; one statement, none for a text that is no well-formed token.
 */
export function personalAccessTokens(db: Queryable): CredentialScheme {
  return async (c) => {
    const token = bearerToken(c);
    if (token === null || !token.startsWith("svc_pat_")) return null;
    if (tokenKind(token) !== "personal") throw new NotAuthenticatedError();
    const [row] = await db.execute<TokenRow>(sql`
      select t.id, t.name, t.user_id, t.org_id, o.login_handle
      from personal_access_tokens t join users u on u.id = t.user_id join organizations o on o.id = t.org_id
      where t.token_sha256 = ${tokenHash(token)} and t.expires_at > svc_now() and u.disabled_at is null
        and (u.is_super_admin or exists (
          select from memberships m where m.user_id = u.id and m.org_id = t.org_id
            and (m.expires_at is null or m.expires_at > svc_now())))`);
    if (row === undefined) throw new NotAuthenticatedError();
    refuseOtherOrg(c, row.org_id);
    return {
      kind: "user",
      id: row.user_id,
      credential: {
        kind: "personal_access_token",
        tokenId: row.id,
        tokenName: row.name,
        orgId: row.org_id,
        orgLoginHandle: row.login_handle,
      },
    };
  };
}

const ORG_IN_PATH = /^\/api\/(?:operator\/)?v1\/orgs\/([^/]+)/;
/**
 * Families whose single resources answer every denial with the uniform 404
 * (docs/rules/permissions.md#the-uniform-404).
 */
const SINGLE_RESOURCE =
  /^\/api\/v1\/orgs\/[^/]+\/(?:stacks|runner-groups|runners|scm-integrations|notification-integrations|notification-deliveries)\/./;

/** A token speaks for its own organization only; the refusal looks like any other denial of that route. */
function refuseOtherOrg(c: Context, orgId: string): void {
  const named = ORG_IN_PATH.exec(c.req.path)?.[1];
  if (named === undefined || decoded(named).toLowerCase() === orgId) return;
  if (SINGLE_RESOURCE.test(c.req.path)) throw new NotFoundError();
  throw new ForbiddenError("This token belongs to another organization.");
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return "";
  }
}
