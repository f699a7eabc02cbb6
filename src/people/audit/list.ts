/** Reading the audit trail: newest first, page by page, or all of it as a stream. */
import { type SQL, sql } from "drizzle-orm";
import * as v from "valibot";
import { Id, pageOf, Time } from "../../http/answerFields.ts";
import { type ListQuery, type ListRules, listFields, listPage } from "../../http/listQuery.ts";
import type { Subject } from "../../http/principal.ts";
import type { Db, Reader } from "../../platform/db/client.ts";
import { mapOf } from "../../platform/json/mapOf.ts";
import { Instant } from "../../platform/time/instant.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import { ACTOR_KINDS } from "../../work/domainEvent.ts";
import { inTransaction } from "../../work/unitOfWork.ts";
import { ActorAnswer, actorColumn } from "../actors/actor.ts";
import { requireOrg } from "../authorization/authorize.ts";
import type { SessionHolder } from "../authorization/requireSession.ts";
import { requireSuperAdmin } from "../authorization/superAdmin.ts";

export const AuditEntryAnswer = v.pipe(
  v.object({
    id: Id,
    occurred_at: Time,
    actor_id: v.nullable(v.string()),
    actor_kind: v.nullable(v.picklist(ACTOR_KINDS)),
    actor: v.nullable(ActorAnswer),
    action: v.pipe(v.string(), v.metadata({ description: "`noun.verb`", examples: ["role.create"] })),
    resource_type: v.string(),
    resource_id: v.nullable(v.string()),
    details: mapOf(v.string(), v.unknown()),
  }),
  v.metadata({ ref: "AuditEntry" }),
);
export const AuditPage = v.pipe(pageOf(AuditEntryAnswer), v.metadata({ ref: "AuditPage" }));
export type AuditEntryAnswer = v.InferInput<typeof AuditEntryAnswer>;

const AUDIT_LIST = {
  fields: { occurred_at: { value: sql`a.occurred_at`, type: "timestamptz" } },
  byDefault: "occurred_at",
  id: sql`a.id`,
  idType: "uuid",
} as const satisfies ListRules<string>;

const text = (max: number) => v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(max)));

/** `action` and `resource_type` take several values, separated by commas. */
export const AuditQuery = v.strictObject({
  ...listFields(Object.keys(AUDIT_LIST.fields)),
  actor_id: text(1_000),
  action: text(1_000),
  resource_type: text(1_000),
  resource_id: text(1_000),
  since: v.optional(Instant),
  until: v.optional(Instant),
  format: v.optional(
    v.pipe(
      v.picklist(["json", "jsonl"]),
      v.metadata({ description: "`jsonl` streams every matching entry, one JSON object a line, without pages" }),
    ),
  ),
});
/** Of a list that is read page by page only. */
export const AuditPageQuery = v.omit(AuditQuery, ["format"]);
export type AuditFilter = Omit<v.InferOutput<typeof AuditQuery>, keyof ListQuery | "format">;

const COLUMNS = sql`a.id, a.occurred_at, a.actor_id, a.actor_kind,
  ${actorColumn(sql`a.actor_id`, sql`a.actor_kind`)} as actor, a.action, a.resource_type, a.resource_id, a.details`;

function answer(row: AuditEntryAnswer): AuditEntryAnswer {
  return { ...row, occurred_at: rfc3339(row.occurred_at) };
}

/** Needs (org, update). @throws ForbiddenError, InvalidValueError */
export async function listAudit(
  db: Db,
  subject: Subject,
  orgId: string,
  { limit, cursor, sort, order, ...filter }: ListQuery & AuditFilter,
  lists: Reader = db,
): Promise<{ items: AuditEntryAnswer[]; next_cursor: string | null }> {
  await requireOrg(db, subject, orgId, { type: "org", action: "update" });
  return page(lists, orgId, { limit, cursor, sort, order }, filter);
}

/** What concerns no organization, for super-admins. @throws ForbiddenError, InvalidValueError */
export async function listInstallationAudit(
  db: Db,
  caller: SessionHolder,
  { limit, cursor, sort, order, ...filter }: ListQuery & AuditFilter,
): Promise<{ items: AuditEntryAnswer[]; next_cursor: string | null }> {
  return inTransaction(db, async (tx) => {
    await requireSuperAdmin(tx, caller);
    return page(tx, null, { limit, cursor, sort, order }, filter);
  });
}

const EXPORT_BATCH = 200;

/**
 * All entries that match, in batches that each are a page read on its own: no transaction is held and no memory grows
 * with the trail. The checks are done, and the first batch is there, when this returns: what is wrong can still be a
 * proper answer.
 * @throws ForbiddenError, InvalidValueError
 */
export async function exportAudit(
  db: Db,
  subject: Subject,
  orgId: string,
  { order, ...filter }: Pick<ListQuery, "order"> & AuditFilter,
  lists: Reader = db,
): Promise<AsyncGenerator<AuditEntryAnswer[]>> {
  await requireOrg(db, subject, orgId, { type: "org", action: "update" });
  const read = (cursor?: string) => page(lists, orgId, { limit: String(EXPORT_BATCH), cursor, order }, filter);
  const first = await read();
  return (async function* batches() {
    for (let batch = first; ; batch = await read(batch.next_cursor)) {
      yield batch.items;
      if (batch.next_cursor === null) return;
    }
  })();
}

async function page(lists: Reader, orgId: string | null, query: ListQuery, filter: AuditFilter) {
  const list = listPage(query, AUDIT_LIST);
  const rows = await lists.execute<AuditEntryAnswer & { sort_value: string }>(sql`
    select ${COLUMNS}, ${list.sortValue} from audit_log a
    where ${orgId === null ? sql`a.org_id is null` : sql`a.org_id = ${orgId}`} and ${matching(filter)} and ${list.after}
    order by ${list.orderBy} limit ${list.limit}`);
  const { items, next_cursor } = list.cut(rows, (row) => row.id);
  return { items: items.map(({ sort_value, ...row }) => answer(row)), next_cursor };
}

function matching({ actor_id, action, resource_type, resource_id, since, until }: AuditFilter): SQL {
  const any = (column: SQL, values: string | undefined) =>
    values === undefined ? [] : [sql`${column} = any(${sql.param(values.split(","))}::text[])`];
  const conditions = [
    ...(actor_id === undefined ? [] : [sql`a.actor_id = ${actor_id}`]),
    ...any(sql`a.action`, action),
    ...any(sql`a.resource_type`, resource_type),
    ...(resource_id === undefined ? [] : [sql`a.resource_id = ${resource_id}`]),
    ...(since === undefined ? [] : [sql`a.occurred_at >= ${since}::timestamptz`]),
    ...(until === undefined ? [] : [sql`a.occurred_at < ${until}::timestamptz`]),
  ];
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}
