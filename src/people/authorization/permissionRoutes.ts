/** `GET /api/v1/orgs/{org_id}/permissions`: what roles of an organization may be made of. */
import type { Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { requireOrg } from "./authorize.ts";
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
  }),
  v.metadata({ ref: "Permissions" }),
);

export function permissionRoutes(app: Hono<AppEnv>, db: Queryable): void {
  endpoint(
    app,
    "get",
    "/api/v1/orgs/:org_id/permissions",
    {
      id: "listPermissions",
      tag: "roles",
      summary: "Every type of resource with its actions, and which grants take patterns or groups",
      description: "Needs (org, read).",
      answer: Permissions,
      problems: [403],
    },
    async ({ principal, params }) => {
      await requireOrg(db, principal, params.org_id, { type: "org", action: "read" });
      return { items: permissionTable() };
    },
  );
}
