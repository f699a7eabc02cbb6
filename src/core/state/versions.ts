/** The versions of a stack's state, newest first. */
import { type SQL, sql } from "drizzle-orm";
import * as v from "valibot";
import { type ListRules, listFields, listPage } from "../../http/listQuery.ts";
import { type ActorAnswer, actorColumn } from "../../people/actors/actor.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { requireRow, requireUuids } from "../../platform/problems/requireRow.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import type { StateVersion } from "./answer.ts";
import type { stateVersions } from "./schema.ts";

const RULES = {
  fields: { created_at: { value: sql`v.created_at`, type: "timestamptz" } },
  byDefault: "created_at",
  id: sql`v.id`,
  idType: "uuid",
} as const satisfies ListRules<"created_at">;

export const VersionListQuery = v.strictObject(listFields(Object.keys(RULES.fields)));

export type VersionRow = Omit<SqlRow<typeof stateVersions>, "beyond_last" | "removed_at" | "key_id" | "stack_key"> & {
  is_newest: boolean;
  deployment_id: string | null;
  actor: ActorAnswer | null;
};

/** Whole versions that are not being removed, over `state_versions v`. */
const WHOLE = sql`v.number is not null and v.removed_at is null`;

function selected(stackKey: string, where: SQL): SQL {
  return sql`select v.id, v.object_key, v.origin, v.run_id, v.restores, v.created_at, v.number, v.serial, v.lineage,
      v.engine_version, v.resources, v.size, v.sha256, v.id is not distinct from s.version_id as is_newest,
      r.deployment_id, ${actorColumn(sql`v.created_by`, sql`v.created_by_kind`)} as actor, v.created_at::text as sort_value
    from state_versions v join stack_states s on s.stack_key = v.stack_key left join runs r on r.id = v.run_id
    where v.stack_key = ${stackKey} and ${WHOLE} and ${where}`;
}

export async function listVersions(db: Queryable, stackKey: string, query: v.InferOutput<typeof VersionListQuery>) {
  const page = listPage(query, RULES);
  const rows = await db.execute<VersionRow & { sort_value: string }>(sql`
    ${selected(stackKey, page.after)} order by ${page.orderBy} limit ${page.limit}::int`);
  const { items, next_cursor } = page.cut(rows, (row) => row.id);
  return { items: items.map(versionAnswer), next_cursor };
}

/** @throws NotFoundError */
export async function findVersion(db: Queryable, stackKey: string, id: string): Promise<VersionRow> {
  requireUuids(id);
  return requireRow(await db.execute<VersionRow>(selected(stackKey, sql`v.id = ${id}`)));
}

/** The version before another one, or null. */
export async function versionBefore(db: Queryable, stackKey: string, number: number): Promise<VersionRow | null> {
  const [row] = await db.execute<VersionRow>(sql`
    ${selected(stackKey, sql`v.number < ${number}::bigint`)} order by v.number desc limit 1`);
  return row ?? null;
}

export function versionAnswer(row: VersionRow): v.InferInput<typeof StateVersion> {
  return {
    id: row.id,
    number: Number(row.number),
    is_newest: row.is_newest,
    serial: Number(row.serial),
    lineage: row.lineage as string,
    engine_version: row.engine_version,
    resources: row.resources === null ? null : Number(row.resources),
    size: Number(row.size),
    sha256: row.sha256 as string,
    origin: row.origin,
    restores: row.restores === null ? null : Number(row.restores),
    run_id: row.run_id,
    deployment_id: row.deployment_id,
    created_by: row.actor,
    created_at: rfc3339(row.created_at),
  };
}
