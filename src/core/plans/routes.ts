/** `.../deployments/{id}/plan`: what a deployment's plan would do, as people read it. Needs (stack, read). */
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { Context, Hono } from "hono";
import * as v from "valibot";
import { Id, pageOf, Time } from "../../http/answerFields.ts";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { PAGE_FIELDS, words } from "../../http/listQuery.ts";
import { parseLimit } from "../../http/pagination.ts";
import { idText } from "../../http/parameters.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { SealedObjects } from "../../platform/objects/sealed.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import { authorizeDeployment } from "../deployments/authorizeDeployment.ts";
import { RUN_STATUSES } from "../runs/lifecycle.ts";
import { CHANGE_ACTIONS, CHANGE_KINDS, PlanChange } from "../runs/planChange.ts";
import { PlanSummary } from "../runs/protocol.ts";
import { changeLines, changesPage, changesPosition } from "./changesPage.ts";
import { openPlanData } from "./planData.ts";
import { findPlanRun } from "./planRun.ts";

const PLAN = "/api/v1/orgs/:org_id/stacks/:stack_id/deployments/:id/plan";
const tag = "deployments";

const runId = {
  run_id: v.optional(idText("One plan run; the newest when absent")),
};
const StoredData = v.nullable(v.object({ size: v.number() }));
const PlanAnswer = v.object({
  run_id: Id,
  stage_id: Id,
  kind: v.picklist(["plan_run", "destroy_run", "refresh_run"]),
  status: v.picklist(RUN_STATUSES),
  targets: v.array(v.string()),
  excludes: v.array(v.string()),
  replaces: v.array(v.string()),
  created_at: Time,
  started_at: v.nullable(Time),
  completed_at: v.nullable(Time),
  error: v.nullable(v.string()),
  summary: v.nullable(PlanSummary),
  newest: v.boolean(),
  apply_run_id: v.nullable(Id),
  changes: StoredData,
  text: StoredData,
});
const ChangesAnswer = v.object({ run_id: Id, ...pageOf(PlanChange).entries });

const CHANGES = `In the engine's order. A page may be shorter than its limit, since its size in bytes is limited too.
With Accept: application/x-ndjson all of them follow one another, a line of JSON each, without limit and cursor.`;
const ChangesQuery = v.strictObject({
  ...runId,
  ...PAGE_FIELDS,
  kind: words(CHANGE_KINDS),
  action: words(CHANGE_ACTIONS),
});
type ChangesQuery = v.InferOutput<typeof ChangesQuery>;

export function planRoutes(app: Hono<AppEnv>, db: Queryable, objects: Pick<SealedObjects, "getSealed">): void {
  endpoint(
    app,
    "get",
    PLAN,
    {
      id: "getPlan",
      tag,
      summary: "A plan and its summary: the newest of the deployment, or the one named",
      query: v.strictObject(runId),
      answer: PlanAnswer,
      problems: [404],
    },
    async ({ principal, params, query }) => {
      const { id } = await authorizeDeployment(db, principal, pathOf(params), "read");
      const { artifacts, ...plan } = await findPlanRun(db, id, query().run_id);
      const stored = (kind: "changes" | "plan-text") => {
        const artifact = artifacts[kind];
        return artifact === undefined ? null : { size: artifact.size };
      };
      const kind = plan.kind as v.InferInput<typeof PlanAnswer>["kind"];
      return { ...plan, kind, changes: stored("changes"), text: stored("plan-text") };
    },
  );
  endpoint(
    app,
    "get",
    `${PLAN}/changes`,
    {
      id: "listPlanChanges",
      tag,
      summary: "What a plan changes, with sensitive values taken out",
      description: CHANGES,
      query: ChangesQuery,
      answer: ChangesAnswer,
      raw: "application/x-ndjson",
      problems: [404, 502, 503],
    },
    async ({ principal, params, query, c }) => {
      const { id } = await authorizeDeployment(db, principal, pathOf(params), "read");
      const filters = query();
      if (/\bapplication\/x-ndjson\b/i.test(c.req.header("accept") ?? "")) return allChanges(c, id, filters);
      const limit = parseLimit(filters.limit);
      const position = changesPosition(filters.cursor);
      if (position !== undefined && filters.run_id !== undefined && position.runId !== filters.run_id) {
        throw new InvalidValueError([{ field: "cursor", message: "is of another run" }]);
      }
      // The pages that follow stay with the plan of the first, whatever was planned meanwhile.
      const run = await findPlanRun(db, id, position?.runId ?? filters.run_id);
      const { body } = await openPlanData(objects, run, "changes");
      c.header("vary", "accept");
      const page = await changesPage(body, position ?? { runId: run.run_id, offset: 0 }, { ...filters, limit });
      c.header("etag", `"${run.run_id}.${tagOf([position, filters, limit])}"`);
      return { run_id: run.run_id, ...page };
    },
  );
  endpoint(
    app,
    "get",
    `${PLAN}/text`,
    {
      id: "readPlanText",
      tag,
      summary: "The plan in the engine's own words, with sensitive values taken out",
      query: v.strictObject(runId),
      raw: "text/plain",
      problems: [404, 503],
    },
    async ({ principal, params, query, c }) => {
      const { id } = await authorizeDeployment(db, principal, pathOf(params), "read");
      const run = await findPlanRun(db, id, query().run_id);
      const { size, body } = await openPlanData(objects, run, "plan-text");
      // Nobody will read the body of an answer to HEAD.
      if (c.req.method === "HEAD") body.destroy();
      return c.body(Readable.toWeb(body) as unknown as ReadableStream, 200, {
        "content-type": "text/plain; charset=utf-8",
        "content-length": String(size),
        etag: `"${run.run_id}.text"`,
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
      });
    },
  );

  async function allChanges(c: Context, deploymentId: string, query: ChangesQuery): Promise<Response> {
    for (const field of ["limit", "cursor"] as const) {
      if (query[field] !== undefined) {
        throw new InvalidValueError([{ field, message: "a stream goes on to the end of the list" }]);
      }
    }
    const run = await findPlanRun(db, deploymentId, query.run_id);
    const { body } = await openPlanData(objects, run, "changes");
    const headers = {
      "content-type": "application/x-ndjson",
      etag: `"${run.run_id}.${tagOf(query)}.lines"`,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-plan-run": run.run_id,
      vary: "accept",
    };
    if (c.req.method === "HEAD") {
      body.destroy();
      return c.body(null, 200, headers);
    }
    const lines = Readable.from(changeLines(body, query), { objectMode: false });
    return c.body(Readable.toWeb(lines) as unknown as ReadableStream, 200, headers);
  }
}

/** A plan's changes are stored once and stay, so the same question has the same answer. */
function tagOf(asked: unknown): string {
  return createHash("sha256").update(JSON.stringify(asked)).digest("base64url").slice(0, 16);
}

function pathOf(params: { org_id: string; stack_id: string; id: string }) {
  return { orgId: params.org_id, stackId: params.stack_id, deploymentId: params.id };
}
