import type { Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { requireSession } from "../../people/authorization/requireSession.ts";
import type { Service } from "../../work/service.ts";
import { rebuildMetadata } from "./rebuildMetadata.ts";

const Enqueued = v.object({ status: v.literal("enqueued") });

/**
 * What operators do, by session only like everything of super-admins: a token is bound to one organization
 * (docs/rules/permissions.md#super-admins-act-by-session).
 */
export function operatorRoutes(app: Hono<AppEnv>, service: Service): void {
  endpoint(
    app,
    "post",
    "/api/operator/v1/orgs/:org_id/rebuild-metadata",
    {
      id: "rebuildMetadata",
      tag: "operator",
      summary: "Compute everything derived of an organization anew",
      description:
        "Enqueues three independent background tasks: dependency graph, resource index, findings. They may end in any order.",
      answer: Enqueued,
      status: 202,
      problems: [403, 404],
    },
    async ({ principal, params }) => {
      await rebuildMetadata(service, requireSession(principal), params.org_id);
      return { status: "enqueued" as const };
    },
  );
}
