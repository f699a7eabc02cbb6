/** How long an entry of each btree index may become, from the catalog: what a column's checks admit bounds it. */
import type { Sql } from "postgres";

type Part = { index: string; table: string; column: string | null; expression: string; type: string; checks: string[] };
export type IndexKey = { index: string; bytes: number; unbounded: string[] };

/** Of other types nobody writes a long value. */
const FIXED: Readonly<Record<string, number>> = {
  uuid: 16,
  bigint: 8,
  integer: 4,
  smallint: 2,
  boolean: 1,
  "timestamp with time zone": 8,
};
/** The header of the entry, and what each part may add for its own length and alignment. */
const HEADER = 16;
const PART = 8;

/**
 * Expressions of text, by what their result may be long: a letter in lower case has at most half as many bytes again.
 */
const EXPRESSIONS: readonly [RegExp, (bytes: number) => number][] = [[/^lower\((?<column>\w+)\)$/, (n) => n * 1.5]];

/**
 * Each part of each btree index, but for the list of our own migrations, with the checks of its column or of the column
 * that it refers to.
 */
const PARTS = `
  select i.indexrelid::regclass::text as index, i.indrelid::regclass::text as "table", a.attname as column,
    pg_get_indexdef(i.indexrelid, k.n::int, true) as expression, format_type(x.atttypid, null) as type,
    array(
      select pg_get_constraintdef(c.oid, true) from pg_constraint c
      where c.contype = 'c' and c.conrelid = i.indrelid and c.conkey = array[a.attnum]
      union all
      select pg_get_constraintdef(c.oid, true) from pg_constraint f join pg_constraint c on c.conrelid = f.confrelid and c.conkey = f.confkey
      where f.contype = 'f' and c.contype = 'c' and f.conrelid = i.indrelid and f.conkey = array[a.attnum]
    ) as checks
  from pg_index i join pg_class r on r.oid = i.indexrelid join pg_am m on m.oid = r.relam and m.amname = 'btree'
  join pg_namespace s on s.oid = r.relnamespace and s.nspname in ('public', 'explore')
  cross join lateral unnest(i.indkey::int2[]) with ordinality k (attnum, n)
  join pg_attribute x on x.attrelid = i.indexrelid and x.attnum = k.n
  left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum and k.attnum > 0
  where i.indrelid::regclass::text not in ('schema_migrations', 'explore.schema_migrations')
  order by 1, k.n`;

export async function indexKeys(sql: Sql): Promise<IndexKey[]> {
  const parts = await sql.unsafe<Part[]>(PARTS);
  const columns = await boundsByColumn(sql);
  const keys = new Map<string, IndexKey>();
  for (const part of parts) {
    const key = keys.get(part.index) ?? { index: part.index, bytes: HEADER, unbounded: [] };
    const bytes = bytesOf(part, columns);
    if (bytes === null) key.unbounded.push(part.expression);
    else key.bytes += Math.ceil(bytes) + PART;
    keys.set(part.index, key);
  }
  return [...keys.values()];
}

function bytesOf({ table, column, expression, type, checks }: Part, columns: Map<string, number>): number | null {
  const fixed = FIXED[type];
  if (fixed !== undefined) return fixed;
  if (column !== null) return smallest(checks);
  if (/^\(?sha256_of\(.*\)\)?$/.test(expression)) return 32;
  for (const [form, grown] of EXPRESSIONS) {
    const of = form.exec(expression.replace(/ COLLATE \S+$/, ""))?.groups?.column;
    const bytes = of === undefined ? undefined : columns.get(`${table}.${of}`);
    if (bytes !== undefined) return grown(bytes);
  }
  return null;
}

async function boundsByColumn(sql: Sql): Promise<Map<string, number>> {
  const rows = await sql<{ column: string; checks: string[] }[]>`
    select c.conrelid::regclass || '.' || a.attname as column, array_agg(pg_get_constraintdef(c.oid, true)) as checks
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    where c.contype = 'c' and cardinality(c.conkey) = 1 group by 1`;
  return new Map(rows.flatMap(({ column, checks }) => [[column, smallest(checks)] as const]).filter(isBounded));
}

function isBounded(entry: readonly [string, number | null]): entry is [string, number] {
  return entry[1] !== null;
}

function smallest(checks: readonly string[]): number | null {
  const bounds = checks.map(boundOf).filter((bound) => bound !== null);
  return bounds.length === 0 ? null : Math.min(...bounds);
}

/** The most bytes that a check admits, when it is of a form that bounds them; a character may have four. */
export function boundOf(check: string): number | null {
  const bytes = /\b(?:octet_length\(\w+\)|length\(\w+_(?:sha256|hash)\)) (?:<=|=) (\d+)/.exec(check);
  if (bytes) return Number(bytes[1]);
  const characters = /\blength\(\w+\) <= (\d+)/.exec(check);
  if (characters) return 4 * Number(characters[1]);
  const pattern = /~ '\^(.*)\$'/.exec(check);
  if (pattern) return longestMatch(pattern[1] ?? "");
  const listed = /= ANY \(ARRAY\[(.*)\]\)/.exec(check);
  if (!listed) return null;
  return Math.max(...[...(listed[1] ?? "").matchAll(/'([^']*)'/g)].map(([, value]) => Buffer.byteLength(value ?? "")));
}

/** Of patterns made of ASCII classes, letters and counts; null where a count has no end. */
function longestMatch(pattern: string): number | null {
  let [length, rest] = [0, pattern];
  while (rest !== "") {
    const part = /^(?:\[[^\]]+\]|[A-Za-z0-9_.-])(?:\{\d+,(\d+)\}|\{(\d+)\}|\?)?/.exec(rest);
    if (!part) return null;
    length += Number(part[1] ?? part[2] ?? 1);
    rest = rest.slice(part[0].length);
  }
  return length;
}
