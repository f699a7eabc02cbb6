/** `GET /api/v1/orgs/{org_id}/permissions`: what roles of an organization may be made of, and what the caller holds. */
import { sql } from "drizzle-orm";
import type { Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import type { Subject } from "../../http/principal.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { requireOrg } from "./authorize.ts";
import { likeToGlob } from "./glob.ts";
import { grants, standing } from "./grants.ts";
import { permissionTable } from "./matrix.ts";

const Permissions = v.pipe(
  v.object({
    items: v.array(
      v.object({
        type: v.string(),
        actions: v.array(v.string()),
        takes_pattern: v.pipe(v.boolean(), v.metadata({ description: "Whether a grant may carry a pattern on names" })),
        takes_group: v.pipe(
          v.boolean(),
          v.metadata({ description: "Whether a grant may carry an authorization group" }),
        ),
      }),
    ),
    grants: v.pipe(
      v.array(
        v.object({
          resource_type: v.string(),
          action: v.string(),
          resource_pattern: v.nullable(v.string()),
          authz_group: v.nullable(v.string()),
        }),
      ),
      v.metadata({ description: "What the caller holds in the organization, by whatever role; of a super-admin all" }),
    ),
  }),
  v.metadata({ ref: "Permissions" }),
);

type GrantRow = {
  resource_type: string;
  action: string;
  resource_pattern: string | null;
  authz_group: string | null;
};
const EVERYTHING: GrantRow = { resource_type: "*", action: "*", resource_pattern: null, authz_group: null };

/** What the subject holds, each once, patterns as people write them. */
async function heldBy(db: Queryable, subject: Subject, orgId: string): Promise<GrantRow[]> {
  const [own] = await db.execute<{ super_admin: boolean }>(
    sql`select s.super_admin from ${standing(subject, orgId)} s`,
  );
  if (own?.super_admin) return [EVERYTHING];
  const rows = await db.execute<GrantRow>(sql`
    select distinct p.resource_type, p.action, p.resource_pattern, p.authz_group from ${grants(subject, orgId)} p
    order by 1, 2, 3, 4`);
  return rows.map((row) => ({
    ...row,
    resource_pattern: row.resource_pattern === null ? null : likeToGlob(row.resource_pattern),
  }));
}

export function permissionRoutes(app: Hono<AppEnv>, db: Queryable): void {
  endpoint(
    app,
    "get",
    "/api/v1/orgs/:org_id/permissions",
    {
      id: "listPermissions",
      tag: "roles",
      summary:
        "Every type of resource with its actions, which grants take patterns or groups, and what the caller holds",
      description: "Needs (org, read).",
      answer: Permissions,
      problems: [403],
    },
    async ({ principal, params }) => {
      await requireOrg(db, principal, params.org_id, { type: "org", action: "read" });
      return { items: permissionTable(), grants: await heldBy(db, principal, params.org_id) };
    },
  );
}
