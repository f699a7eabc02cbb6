/**
 * What an apply did to the stacks that depend on it: a page of the snapshot's rows
 * (docs/dependencies.md#rows-and-what-they-say).
 */
import { sql } from "drizzle-orm";
import * as v from "valibot";
import { DEPLOYMENT_STATUSES } from "../../core/deployments/lifecycle.ts";
import { Time } from "../../http/answerFields.ts";
import { PAGE_FIELDS, words } from "../../http/listQuery.ts";
import { decodeCursor, page, parseLimit } from "../../http/pagination.ts";
import type { Subject } from "../../http/principal.ts";
import { permitted } from "../../people/authorization/grants.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { isUuid } from "../../platform/ids/uuid.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import { TRIGGERS } from "../analysis/trigger.ts";
import { DEMOTION_REASONS, DEPENDENT_SKIPPED_REASONS, EVIDENCE, type TriggeringPair } from "./schema.ts";
import { DEPENDENT_STATES, STATE } from "./state.ts";

const text = v.string();
const described = <const S extends v.GenericSchema>(schema: S, description: string) =>
  v.pipe(schema, v.metadata({ description }));

const Dependent = v.object({
  restricted: described(v.boolean(), "The caller may not read this stack: nothing else is told of it"),
  dependent_stack_id: v.nullable(text),
  dependent_stack_deleted: v.nullable(v.boolean()),
  state: described(
    v.nullable(v.picklist(DEPENDENT_STATES)),
    "open: still to be triggered; manual: waits for a person; failed: see error",
  ),
  trigger: described(v.nullable(v.picklist(TRIGGERS)), "What its dependencies on the applied stack come to"),
  demotion_reason: described(v.nullable(v.picklist(DEMOTION_REASONS)), "Why always became manual"),
  skipped_reason: described(v.nullable(v.picklist(DEPENDENT_SKIPPED_REASONS)), "Why it was not triggered by itself"),
  evidence: v.nullable(v.picklist(EVIDENCE)),
  triggering_resources: v.array(
    v.object({
      parent_resource: described(v.nullable(text), "Null: the whole stack"),
      dependent_resource: described(v.nullable(text), "Null: the whole stack"),
      provenance: v.picklist(EVIDENCE),
    }),
  ),
  triggering_resources_remainder: described(v.number(), "How many more there are than are shown"),
  triggered_deployment_id: v.nullable(text),
  triggered_deployment_status: v.nullable(v.picklist(DEPLOYMENT_STATUSES)),
  error: v.nullable(text),
  attempts: described(v.nullable(v.number()), "How often it was tried in vain"),
  next_attempt_at: described(v.nullable(Time), "While it is open, and was tried in vain"),
  last_failure: described(v.nullable(text), "While it is open: why it was put off"),
});
type Dependent = v.InferOutput<typeof Dependent>;

export const DependentPage = v.object({
  dependents_resolved_at: described(
    v.nullable(Time),
    "Null while dependents are still to be triggered, and for what applied nothing",
  ),
  items: v.array(Dependent),
  next_cursor: v.nullable(text),
});

export const DependentListQuery = v.strictObject({
  ...PAGE_FIELDS,
  state: words(DEPENDENT_STATES, "Only dependents in one of these states; those you may not read are left out"),
});

type Row = Omit<Dependent, "restricted" | "triggering_resources"> & {
  place: string;
  readable: boolean;
  triggering_resources: TriggeringPair[];
};

/**
 * An order, and cursors, that tell nothing of a stack the viewer may not read: its key holds when it was made, and
 * would be the same under each parent. By the index `dependent_triggers_listed`.
 */
const ORDER = "dependent";
const PLACE = sql`md5(t.parent_deployment_id::text || t.dependent_stack_key::text)::uuid`;

/** One statement; the caller has authorized the parent. */
export async function listDependents(
  db: Queryable,
  viewer: Subject,
  parent: { id: string; org_id: string },
  query: v.InferOutput<typeof DependentListQuery>,
): Promise<v.InferOutput<typeof DependentPage>> {
  const limit = parseLimit(query.limit);
  const after = decodeCursor(ORDER, query.cursor)?.id ?? null;
  if (after !== null && !isUuid(after)) {
    throw new InvalidValueError([{ field: "cursor", message: "not a cursor of this list" }]);
  }
  const on = { type: "stack", action: "read", name: sql`s.name`, groups: sql`s.authz_groups` } as const;
  const readable = permitted(viewer, parent.org_id, on);
  // Which state a hidden dependent is in would be told by whether a filter lets it through.
  const within =
    query.state === undefined ? sql`` : sql`and ${STATE} = any(${sql.param(query.state)}::text[]) and ${readable}`;
  const rows = await db.execute<Row & { dependents_resolved_at: string | null }>(sql`
    select d.dependents_resolved_at, t.* from deployments d left join lateral (
      select ${PLACE} as place, s.slug as dependent_stack_id, s.deleted_at is not null as dependent_stack_deleted,
        ${readable} as readable, ${STATE} as state, t.trigger, t.demotion_reason, t.skipped_reason, t.evidence,
        t.triggering_resources, t.triggering_remainder as triggering_resources_remainder, t.triggered_deployment_id,
        c.status as triggered_deployment_status, t.error, t.attempts,
        case when ${STATE} = 'open' and t.attempts > 0 then t.due_at end as next_attempt_at,
        case when ${STATE} = 'open' then t.last_failure end as last_failure
      from dependent_triggers t join stacks s on s.stack_key = t.dependent_stack_key
      left join deployments c on c.id = t.triggered_deployment_id
      where t.parent_deployment_id = d.id and (${after}::uuid is null or ${PLACE} > ${after}::uuid) ${within}
      order by ${PLACE} limit ${limit + 1}) t on true
    where d.id = ${parent.id}`);
  const found = rows.filter(({ place }) => place !== null);
  const { items, next_cursor } = page(found, limit, ORDER, ({ place }) => ({ sortValue: null, id: place }));
  return {
    dependents_resolved_at: rfc3339(rows[0]?.dependents_resolved_at ?? null),
    items: items.map(shown),
    next_cursor,
  };
}

function shown(row: Row & { dependents_resolved_at: string | null }): Dependent {
  const { place: _, readable, triggering_resources, dependents_resolved_at: __, ...rest } = row;
  if (!readable) return RESTRICTED;
  return {
    ...rest,
    restricted: false,
    next_attempt_at: rfc3339(rest.next_attempt_at),
    triggering_resources: triggering_resources.map(({ parent, dependent, provenance }) => ({
      parent_resource: parent,
      dependent_resource: dependent,
      provenance,
    })),
  };
}

const RESTRICTED: Dependent = {
  restricted: true,
  dependent_stack_id: null,
  dependent_stack_deleted: null,
  state: null,
  trigger: null,
  demotion_reason: null,
  skipped_reason: null,
  evidence: null,
  triggering_resources: [],
  triggering_resources_remainder: 0,
  triggered_deployment_id: null,
  triggered_deployment_status: null,
  error: null,
  attempts: null,
  next_attempt_at: null,
  last_failure: null,
};
