import { InvalidValueError } from "../platform/problems/requestErrors.ts";

export const DEFAULT_LIMIT = 50;
export const MAX_LIMIT = 200;
export const MAX_CURSOR_CHARS = 2_000;

/**
 * Where a page ended: the sort column's exact text and the id that breaks ties. Text, because a `Date` would lose the
 * microseconds and skip or repeat rows.
 */
export interface KeysetPosition {
  sortValue: string | number | null;
  id: string;
}

/**
 * The opaque cursor of a position. It carries the sort it belongs to, so that one sort's cursor cannot serve another.
 */
export function encodeCursor(sort: string, position: KeysetPosition): string {
  return Buffer.from(JSON.stringify([sort, position.sortValue, position.id])).toString("base64url");
}

/**
 * Undefined for the first page. The values only ever become query parameters, so a forged cursor can start a page
 * elsewhere in the caller's own list and do nothing else.
 * @param sort the sort in force, for example `created_at:desc`
 * @throws InvalidValueError for text that is no cursor of this sort
 */
export function decodeCursor(sort: string, cursor: string | undefined): KeysetPosition | undefined {
  if (cursor === undefined) return undefined;
  const position = cursor.length <= MAX_CURSOR_CHARS ? parseCursor(cursor) : null;
  if (position === null || position.sort !== sort) {
    throw new InvalidValueError([
      {
        field: "cursor",
        message: "not a cursor of this list; pass next_cursor back unchanged, with the same sort and order",
      },
    ]);
  }
  return { sortValue: position.sortValue, id: position.id };
}

function parseCursor(cursor: string): (KeysetPosition & { sort: string }) | null {
  const bytes = Buffer.from(cursor, "base64url");
  // Node skips what is not base64url; only text that it would have written itself counts.
  if (bytes.toString("base64url") !== cursor) return null;
  let parts: unknown;
  try {
    parts = JSON.parse(bytes.toString());
  } catch {
    return null;
  }
  if (!Array.isArray(parts) || parts.length !== 3) return null;
  const [sort, sortValue, id] = parts as unknown[];
  const sortable = typeof sortValue === "string" || typeof sortValue === "number" || sortValue === null;
  if (typeof sort !== "string" || typeof id !== "string" || !sortable) return null;
  // Postgres text cannot hold NUL; letting it through would turn a forged cursor into a 500.
  if (id.includes("\0") || (typeof sortValue === "string" && sortValue.includes("\0"))) return null;
  return { sort, sortValue, id };
}

/** `?limit=`: 1 to 200, 50 when absent. @throws InvalidValueError */
export function parseLimit(limit: string | undefined): number {
  if (limit === undefined) return DEFAULT_LIMIT;
  const value = /^\d{1,3}$/.test(limit) ? Number(limit) : 0;
  if (value < 1 || value > MAX_LIMIT) {
    throw new InvalidValueError([{ field: "limit", message: `expected a whole number from 1 to ${MAX_LIMIT}` }]);
  }
  return value;
}

/**
 * One page out of `limit + 1` fetched rows: the extra row only says that there is more.
 * @param position of a row, exactly as the query sorts it
 */
export function page<Row>(
  rows: readonly Row[],
  limit: number,
  sort: string,
  position: (row: Row) => KeysetPosition,
): { items: Row[]; next_cursor: string | null } {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { items, next_cursor: more ? encodeCursor(sort, position(last)) : null };
}

/** Text as a literal inside a LIKE pattern with `ESCAPE '\'`. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}
