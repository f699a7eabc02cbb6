import { eq, sql } from "drizzle-orm";
import type { Context, Hono } from "hono";
import * as v from "valibot";
import { Id, Time } from "../../http/answerFields.ts";
import { NotAuthenticatedError } from "../../http/authenticate.ts";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import type { Principal } from "../../http/principal.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import type { Service } from "../../work/service.ts";
import { organizations } from "../orgs/schema.ts";
import { serviceAccounts } from "../serviceAccounts/schema.ts";
import type { BrowserOrigin } from "../sessions/browserOrigin.ts";
import { readCookie } from "../sessions/cookies.ts";
import { csrfToken } from "../sessions/csrf.ts";

const Me = v.pipe(
  v.object({
    id: v.string(),
    kind: v.picklist(["user", "service_account"]),
    name: v.string(),
    is_super_admin: v.boolean(),
    csrf_token: v.optional(v.string()),
    pat_id: v.optional(v.string()),
    pat_name: v.optional(v.string()),
    pat_org_id: v.optional(v.string()),
    pat_org_login_start_handle: v.optional(v.nullable(v.string())),
    new_identities: v.pipe(
      v.optional(v.array(v.object({ id: Id, issuer: v.string(), login: v.nullable(v.string()), linked_at: Time }))),
      v.metadata({
        description: "Of a person: what was linked to them in the last 30 days. Unlink what you do not know",
      }),
    ),
  }),
  v.metadata({
    ref: "Me",
    description: "The four pat_ fields are there for token callers only, csrf_token for sessions only",
  }),
);

/** Whoami; works with any credential. */
export function meRoute(app: Hono<AppEnv>, { db }: Service, origin: BrowserOrigin | null): void {
  endpoint(
    app,
    "get",
    "/api/v1/auth/me",
    { id: "whoAmI", tag: "sign-in", summary: "Who the caller is", answer: Me },
    async ({ principal, c }) => {
      const { loginHandle, ...me } = await describe(db, principal);
      return { ...me, ...tokenFields(principal, loginHandle), ...csrfFields(c, origin, principal) };
    },
  );
}

async function describe(db: Queryable, { kind, id }: Principal) {
  if (kind === "service_account") {
    const [account] = await db
      .select({ name: serviceAccounts.name, loginHandle: organizations.loginHandle })
      .from(serviceAccounts)
      .innerJoin(organizations, eq(organizations.id, serviceAccounts.orgId))
      .where(eq(serviceAccounts.id, id));
    if (account === undefined) throw new NotAuthenticatedError();
    return { id, kind, name: account.name, is_super_admin: false, loginHandle: account.loginHandle };
  }
  const [user] = await db.execute<Person>(sql`
    select coalesce(u.display_name, u.login) as name, u.is_super_admin, ${NEW_IDENTITIES} as new_identities
    from users u where u.id = ${id}`);
  if (user === undefined) throw new NotAuthenticatedError();
  const new_identities = user.new_identities.map((row) => ({ ...row, linked_at: rfc3339(row.linked_at) }));
  return { ...user, id, kind, loginHandle: null, new_identities };
}

type NewIdentity = { id: string; issuer: string; login: string | null; linked_at: string };
type Person = { name: string; is_super_admin: boolean; new_identities: NewIdentity[] };

/** Over `users u`. Not the one that the person came with, which their id is named after. */
const NEW_IDENTITIES = sql`coalesce((
  select jsonb_agg(jsonb_build_object('id', i.id, 'issuer', i.issuer, 'login', i.login, 'linked_at', i.created_at) order by i.created_at desc)
  from user_identities i
  where i.user_id = u.id and i.created_at > svc_now() - interval '30 days'
    and (i.provider_key, i.issuer, i.subject) <> (u.provider_key, u.issuer, u.subject)), '[]')`;

/** What a session's page sends back with each change; shown to the session itself and to no other page. */
function csrfFields(c: Context, origin: BrowserOrigin | null, { credential }: Principal) {
  const token = origin === null || credential.kind !== "session" ? null : readCookie(c, origin, "session");
  return token === null ? {} : { csrf_token: csrfToken(token) };
}

function tokenFields(principal: Principal, accountHandle: string | null) {
  const { credential } = principal;
  if (credential.kind === "session") return {};
  const { tokenId, tokenName } = credential;
  const org =
    credential.kind === "personal_access_token"
      ? { id: credential.orgId, handle: credential.orgLoginHandle }
      : { id: principal.kind === "service_account" ? principal.orgId : "", handle: accountHandle };
  return { pat_id: tokenId, pat_name: tokenName, pat_org_id: org.id, pat_org_login_start_handle: org.handle };
}
