import type { Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { idText } from "../../http/parameters.ts";
import { authorizeDeployment } from "../deployments/authorizeDeployment.ts";
import { type LogReading, logsRoute } from "./readLogs.ts";

const count = v.optional(
  v.pipe(
    v.string(),
    v.regex(/^\d{1,15}$/, "expected a whole number of bytes"),
    v.metadata({ type: "integer", minimum: 0, maximum: 999_999_999_999_999, pattern: undefined }),
  ),
);
const LogQuery = v.strictObject({
  stage: v.optional(idText("Id of one stage; all runs in order when absent")),
  offset: count,
  limit: count,
});

const LOGS = `Range, or offset and limit, pick bytes; X-Log-Complete says whether more is expected, X-Log-Gaps whether a part of it
never came and never will.
With Accept: text/event-stream the log is followed until the stage, or the deployment, is over. Events are
\`log\` with \`{"stage_id", "offset", "text"}\` (and \`base64\` where the bytes are no UTF-8), and last \`end\` with
\`{"status"}\`, and \`"gaps": true\` where a part never came. The id of an event is the offset after it: Last-Event-ID, or offset at first, goes on exactly there. A stream
that ends without \`end\` was interrupted, at the latest after 15 minutes, or its reader may not read any more, which is asked
every 15 seconds. 204 to a Last-Event-ID at the end of a log that is
over.`;

/** `GET .../deployments/{id}/logs`. Needs (stack, read). */
export function logsEndpoint(app: Hono<AppEnv>, reading: LogReading): void {
  const answer = logsRoute(reading);
  endpoint(
    app,
    "get",
    "/api/v1/orgs/:org_id/stacks/:stack_id/deployments/:id/logs",
    {
      id: "readDeploymentLog",
      tag: "deployments",
      summary: "The log as bytes, whole or by range, or as an event stream",
      description: LOGS,
      query: LogQuery,
      raw: ["text/plain", "text/event-stream"],
      problems: [404, 503],
    },
    async ({ principal, params, query, c }) => {
      const path = { orgId: params.org_id, stackId: params.stack_id, deploymentId: params.id };
      const { id } = await authorizeDeployment(reading.db, principal, path, "read");
      query();
      return answer(c, id, async () => authorizeDeployment(reading.db, await c.var.authenticate(c), path, "read"));
    },
  );
}
