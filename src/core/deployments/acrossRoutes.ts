/** `/api/v1/orgs/{org_id}/...`: what is read of the deployments of all stacks together. */
import type { Hono } from "hono";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import type { Service } from "../../work/service.ts";
import { AcrossQuery, listAcross } from "./listAcross.ts";
import { Overview, readOverview } from "./overview.ts";
import { DeploymentPage } from "./resourceSchema.ts";
import { tag } from "./route.ts";

export function acrossRoutes(app: Hono<AppEnv>, { db, lists }: Pick<Service, "db" | "lists">): void {
  endpoint(
    app,
    "get",
    "/api/v1/orgs/:org_id/deployments",
    {
      id: "listAllDeployments",
      tag,
      summary: "The deployments of all stacks that the caller may read, newest first",
      query: AcrossQuery,
      answer: DeploymentPage,
    },
    async ({ principal, params, query }) => listAcross(db, principal, params.org_id, query(), lists),
  );
  endpoint(
    app,
    "get",
    "/api/v1/orgs/:org_id/overview",
    {
      id: "getOverview",
      tag,
      summary: "What runs, waits, is held and has failed, of the stacks that the caller may read",
      answer: Overview,
    },
    async ({ principal, params }) => readOverview(db, principal, params.org_id),
  );
}
