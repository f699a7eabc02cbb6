/**
 * `?sort= &order= &limit= &cursor=` of every list, turned into the end of a SQL statement (docs/rules/api.md#lists).
 */
import { type SQL, sql } from "drizzle-orm";
import * as v from "valibot";
import { isUuid } from "../platform/ids/uuid.ts";
import { InvalidValueError } from "../platform/problems/requestErrors.ts";
import { isInstant } from "../platform/time/time.ts";
import {
  DEFAULT_LIMIT,
  decodeCursor,
  type KeysetPosition,
  MAX_CURSOR_CHARS,
  MAX_LIMIT,
  page,
  parseLimit,
} from "./pagination.ts";
import { numberText } from "./parameters.ts";

/** A field a list can be sorted by. `value` is never null (coalesce it), so that pages neither skip nor repeat rows. */
export type SortField = { value: SQL; type: "text" | "timestamptz" };

export type ListRules<F extends string> = {
  fields: Record<F, SortField>;
  /** Sorted by when the request does not say. Text sorts ascending and times descending when it names no order. */
  byDefault: NoInfer<F>;
  /** The column that breaks ties; unique in the list. */
  id: SQL;
  idType: "uuid" | "text";
};

/** Rows of `alias` by when they were made, and by nothing else. */
export function byCreation(alias: string): ListRules<"created_at"> {
  const of = sql.identifier(alias);
  const created_at = { value: sql`${of}.created_at`, type: "timestamptz" } as const;
  return { fields: { created_at }, byDefault: "created_at", id: sql`${of}.id`, idType: "uuid" };
}

/** The query fields of whatever is read page by page. */
export const PAGE_FIELDS = {
  limit: v.optional(
    numberText({
      minimum: 1,
      maximum: MAX_LIMIT,
      description: `Rows at most, 1 to ${MAX_LIMIT}; ${DEFAULT_LIMIT} when absent`,
    }),
  ),
  cursor: v.optional(
    v.pipe(
      v.string(),
      v.metadata({ minLength: 1, maxLength: MAX_CURSOR_CHARS, description: "`next_cursor` of the page before" }),
    ),
  ),
};

/** The query fields of a list, for its schema; filters are added by the list. */
export function listFields(fields: readonly string[]) {
  return {
    ...PAGE_FIELDS,
    sort: v.optional(v.picklist(fields)),
    order: v.optional(v.picklist(["asc", "desc"])),
  };
}

/** A filter: a comma-separated list of allowed words. */
export function words<const T extends readonly string[]>(allowed: T, description?: string) {
  return v.optional(
    v.pipe(
      v.string(),
      v.metadata({
        type: "array",
        items: { type: "string", enum: allowed },
        ...(description === undefined ? {} : { description }),
      }),
      v.transform((text) => text.split(",")),
      v.array(v.picklist(allowed)),
    ),
  );
}

/** A filter: a commit by its first digits. */
export const CommitDigits = v.optional(
  v.pipe(v.string(), v.regex(/^[0-9a-f]{4,64}$/, "expected 4 to 64 lower-case hexadecimal digits")),
);

export type ListQuery = {
  limit?: string | undefined;
  cursor?: string | undefined;
  sort?: string | undefined;
  order?: "asc" | "desc" | undefined;
};

export type Page = {
  /** To be selected; comes back as `sort_value`, the sort field's exact text. */
  sortValue: SQL<string>;
  /** Belongs into the `where`. */
  after: SQL;
  orderBy: SQL;
  /** One row more than the page holds, which only says that there is more. */
  limit: number;
  /**
   * The same as text of the statement. Of a parameter the planner knows nothing and expects a tenth of all rows, so it
   * plans a statement of many joins anew each time; with the number it keeps the plan. For statements that are costly
   * to plan, since each number is a statement of its own.
   */
  limitText: SQL;
  /** The answer out of the fetched rows. */
  cut<Row extends { sort_value: string }>(
    rows: readonly Row[],
    id: (row: Row) => string,
  ): { items: Row[]; next_cursor: string | null };
};

/** @throws InvalidValueError for a limit out of range or a cursor that is not of this list and sort. */
export function listPage<F extends string>(query: ListQuery, { fields, byDefault, id, idType }: ListRules<F>): Page {
  const name = (query.sort ?? byDefault) as F;
  const { value, type } = fields[name];
  const order = query.order ?? (type === "text" ? "asc" : "desc");
  const limit = parseLimit(query.limit);
  const sort = `${name}:${order}`;
  const position = decodeCursor(sort, query.cursor);
  const direction = order === "asc" ? sql`asc` : sql`desc`;
  return {
    sortValue: sql`(${value})::text as sort_value`,
    after: position === undefined ? sql`true` : comparison(position, value, type, id, idType, order),
    orderBy: sql`${value} ${direction}, ${id} ${direction}`,
    limit: limit + 1,
    limitText: sql.raw(String(limit + 1)),
    cut: (rows, idOf) => page(rows, limit, sort, (row) => ({ sortValue: row.sort_value, id: idOf(row) })),
  };
}

function comparison(position: KeysetPosition, value: SQL, type: string, id: SQL, idType: string, order: string): SQL {
  const { sortValue } = position;
  const sortable = typeof sortValue === "string" && (type === "text" || isTimestamp(sortValue));
  // A forged cursor must not reach a cast in Postgres: that would be a 500.
  if (!sortable || (idType === "uuid" && !isUuid(position.id))) {
    throw new InvalidValueError([{ field: "cursor", message: "not a cursor of this list" }]);
  }
  const [typeName, idTypeName] = [sql.raw(type), sql.raw(idType)];
  return sql`(${value}, ${id}) ${order === "asc" ? sql`>` : sql`<`} (${sortValue}::${typeName}, ${position.id}::${idTypeName})`;
}

/** Text that Postgres writes for a timestamptz in UTC, or the sentinel for "never". */
function isTimestamp(text: string): boolean {
  return isInstant(text) || text === "-infinity";
}
