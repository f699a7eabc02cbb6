import { eq } from "drizzle-orm";
import type { Hono } from "hono";
import * as v from "valibot";
import type { Principal } from "../authorization/subject.ts";
import type { Queryable } from "../db/client.ts";
import { NotAuthenticatedError } from "../http/authenticate.ts";
import { type AppEnv, endpoint } from "../http/endpoint.ts";
import type { Service } from "../service.ts";
import { serviceAccounts } from "../serviceAccounts/schema.ts";
import { users } from "./schema.ts";

const Me = v.pipe(
  v.object({
    id: v.string(),
    kind: v.picklist(["user", "service_account"]),
    name: v.string(),
    is_super_admin: v.boolean(),
    pat_id: v.optional(v.string()),
    pat_name: v.optional(v.string()),
    pat_org_id: v.optional(v.string()),
    pat_org_login_start_handle: v.optional(v.nullable(v.string())),
  }),
  v.metadata({ ref: "Me", description: "The four pat_ fields are there for token callers only" }),
);

/** Whoami (spec 4.1); works with any credential. */
export function meRoute(app: Hono<AppEnv>, { db }: Service): void {
  endpoint(
    app,
    "get",
    "/api/v1/auth/me",
    { id: "whoAmI", tag: "sign-in", summary: "Who the caller is", answer: Me, problems: [] },
    async ({ principal }) => ({ ...(await describe(db, principal)), ...tokenFields(principal) }),
  );
}

async function describe(db: Queryable, { kind, id }: Principal) {
  if (kind === "service_account") {
    const [account] = await db
      .select({ name: serviceAccounts.name })
      .from(serviceAccounts)
      .where(eq(serviceAccounts.id, id));
    if (account === undefined) throw new NotAuthenticatedError();
    return { id, kind, name: account.name, is_super_admin: false };
  }
  const [user] = await db.select().from(users).where(eq(users.id, id));
  if (user === undefined) throw new NotAuthenticatedError();
  return { id, kind, name: user.displayName ?? user.login, is_super_admin: user.isSuperAdmin };
}

function tokenFields(principal: Principal) {
  const { credential } = principal;
  if (credential.kind !== "service_account_token" || principal.kind !== "service_account") return {};
  return {
    pat_id: credential.tokenId,
    pat_name: credential.tokenName,
    pat_org_id: principal.orgId,
    // Sign-in handles belong to organizations with identity sources; none exist yet.
    pat_org_login_start_handle: null,
  };
}
