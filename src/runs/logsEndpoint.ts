import type { Hono } from "hono";
import * as v from "valibot";
import { authorizeDeployment } from "../deployments/authorizeDeployment.ts";
import { type AppEnv, endpoint } from "../http/endpoint.ts";
import type { LogStore } from "./logs.ts";
import { logsRoute } from "./logsRoute.ts";

const count = v.optional(v.pipe(v.string(), v.regex(/^\d{1,15}$/, "expected a whole number of bytes")));
const LogQuery = v.strictObject({
  stage: v.optional(v.pipe(v.string(), v.metadata({ description: "Id of one stage; all runs in order when absent" }))),
  offset: count,
  limit: count,
});

/** `GET .../deployments/{id}/logs` (design 6.4). Needs (stack, read). */
export function logsEndpoint(app: Hono<AppEnv>, store: LogStore): void {
  const answer = logsRoute(store);
  endpoint(
    app,
    "get",
    "/api/v1/orgs/:org_id/stacks/:stack_id/deployments/:id/logs",
    {
      id: "readDeploymentLog",
      tag: "deployments",
      summary: "The log as bytes, whole or by range; X-Log-Complete says whether more can come",
      query: LogQuery,
      raw: "text/plain",
      problems: [400, 404, 422],
    },
    async ({ principal, params, query, c }) => {
      const path = { orgId: params.org_id, stackId: params.stack_id, deploymentId: params.id };
      const { id } = await authorizeDeployment(store.db, principal, path, "read");
      query();
      return answer(c, id);
    },
  );
}
