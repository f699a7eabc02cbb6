/** The inbox as operators of an organization see it: what waits, what failed and why, and trying again. */
import { sql } from "drizzle-orm";
import type { Hono } from "hono";
import * as v from "valibot";
import { pageOf } from "../../http/answerFields.ts";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { byCreation, listFields, listPage } from "../../http/listQuery.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { requireRow, requireUuids } from "../../platform/problems/requireRow.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import type { Service } from "../../work/service.ts";
import { retryEvent } from "./events.ts";
import { authorizeIntegration } from "./integrations.ts";
import { EVENT_KINDS, EVENT_STATUSES } from "./schema.ts";

const EVENTS = "/api/v1/orgs/:org_id/scm-integrations/:integration_id/scm-events";
const tag = "source control";
const text = v.string();
const time = v.pipe(text, v.metadata({ format: "date-time" }));

const ScmEvent = v.object({
  id: text,
  external_event_id: text,
  kind: v.picklist(EVENT_KINDS),
  status: v.picklist(EVENT_STATUSES),
  repository: v.pipe(text, v.metadata({ description: "host/owner/name" })),
  branch: text,
  pr_number: v.nullable(v.number()),
  attempts: v.number(),
  last_error: v.nullable(text),
  due_at: time,
  created_at: time,
  processed_at: v.nullable(time),
});
type ScmEvent = v.InferOutput<typeof ScmEvent>;

const LIST = byCreation("e");

class NotRetriableError extends ProblemError {
  constructor() {
    const detail = "The event is not dead and does not wait to be tried again.";
    super({ status: 409, code: "conflict", detail });
  }
}

const COLUMNS = sql`e.id, e.external_event_id, e.kind, e.status, e.repository_key as repository, e.branch, e.pr_number, e.attempts,
  e.last_error, e.due_at, e.created_at, e.processed_at`;

export function scmEventRoutes(app: Hono<AppEnv>, service: Service): void {
  endpoint(
    app,
    "get",
    EVENTS,
    {
      id: "listScmEvents",
      tag,
      summary: "The inbox of an integration",
      description: "Needs (scm_integration, read).",
      query: v.strictObject({ ...listFields(["created_at"]), status: v.optional(v.picklist(EVENT_STATUSES)) }),
      answer: pageOf(ScmEvent),
      problems: [404],
    },
    async ({ principal, params, query }) => {
      const { org_id, integration_id } = params;
      const { id } = await authorizeIntegration(service.db, principal, org_id, integration_id, "read");
      const { status, ...rest } = query();
      const list = listPage(rest, LIST);
      const rows = await service.db.execute<ScmEvent & { sort_value: string }>(sql`
        select ${COLUMNS}, ${list.sortValue} from scm_events e
        where e.org_id = ${org_id} and e.integration_id = ${id} and (${status ?? null}::text is null or e.status = ${status ?? null})
          and ${list.after}
        order by ${list.orderBy} limit ${list.limit}`);
      const { items, next_cursor } = list.cut(rows, (row) => row.id);
      return { items: items.map(answer), next_cursor };
    },
  );
  endpoint(
    app,
    "post",
    `${EVENTS}/:event_id/retry`,
    {
      id: "retryScmEvent",
      tag,
      summary: "Try an event that is dead, or waits for its next try, from the start",
      description: "Needs (scm_integration, update).",
      answer: ScmEvent,
      status: 202,
      problems: [404, 409],
    },
    async ({ principal, params }) => {
      const { org_id, integration_id, event_id } = params;
      const { id } = await authorizeIntegration(service.db, principal, org_id, integration_id, "update");
      requireUuids(event_id);
      const read = async () => {
        const rows = await service.db.execute(
          sql`select ${COLUMNS} from scm_events e where e.id = ${event_id} and e.integration_id = ${id}`,
        );
        return requireRow(rows as unknown as ScmEvent[]);
      };
      await read();
      if (!(await retryEvent(service, principal, event_id))) throw new NotRetriableError();
      return answer(await read());
    },
  );
}

function answer({ sort_value: _, ...row }: ScmEvent & { sort_value?: string }): ScmEvent {
  const { due_at, created_at, processed_at } = row;
  return {
    ...row,
    due_at: rfc3339(due_at),
    created_at: rfc3339(created_at),
    processed_at: processed_at === null ? null : rfc3339(processed_at),
  };
}
