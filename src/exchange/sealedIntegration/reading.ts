/** Finding and listing integrations of any kind. */
import { and, eq, getTableColumns, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { type ListQuery, type ListRules, listPage } from "../../http/listQuery.ts";
import type { Subject } from "../../http/principal.ts";
import { requireOrg, requireResource } from "../../people/authorization/authorize.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { isUuid } from "../../platform/ids/uuid.ts";
import { requireRow } from "../../platform/problems/requireRow.ts";
import type { CommonRow, IntegrationKind } from "./kind.ts";

export function reading<Row extends CommonRow>({
  type,
  table,
}: Pick<IntegrationKind<Row, never, never>, "type" | "table">) {
  const listRules = {
    fields: {
      created_at: { value: sql`${table.createdAt}`, type: "timestamptz" },
      name: { value: sql`${table.name}`, type: "text" },
    },
    byDefault: "created_at",
    id: sql`${table.id}`,
    idType: "uuid",
  } as const satisfies ListRules<string>;

  return {
    listRules,

    /** The integration, if the subject may do that with it. @throws NotFoundError, the uniform 404 */
    async authorize(
      db: Queryable,
      subject: Subject,
      orgId: string,
      id: string,
      action: "read" | "update" | "delete",
    ): Promise<Row> {
      const its = and(eq(table.id, id), eq(table.orgId, orgId));
      const read = async () =>
        (await db
          .select()
          .from(table as PgTable)
          .where(its)) as unknown as Row[];
      const rows = isUuid(orgId) && isUuid(id) ? await read() : [];
      await requireResource(db, subject, orgId, { type, action, resourceId: rows[0]?.name ?? "" });
      return requireRow(rows);
    },

    /** Needs `read` of the whole family. @throws ForbiddenError, InvalidValueError */
    async list(db: Queryable, subject: Subject, orgId: string, query: ListQuery) {
      const page = listPage(query, listRules);
      await requireOrg(db, subject, orgId, { type, action: "read" });
      const rows = await db
        .select({ ...getTableColumns(table as PgTable), sort_value: page.sortValue })
        .from(table as PgTable)
        .where(sql`${table.orgId} = ${orgId} and ${page.after}`)
        .orderBy(page.orderBy)
        .limit(page.limit);
      return page.cut(rows as unknown as (Row & { sort_value: string })[], (row) => row.id);
    },
  };
}
