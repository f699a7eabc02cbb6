/** Who deletes a row makes Postgres look for those that name it, for each deleted row anew: without an index that reads whole tables. */
import { expect, test } from "vitest";
import { freshDatabase } from "../support/database.ts";

/**
 * An index serves a key when it begins with the key's columns, in any order, and holds all rows that name something: it is
 * whole, or leaves out only those where the column is null.
 */
const WITHOUT_INDEX = `
  select k.conrelid::regclass || ' (' || array_to_string(named.columns, ', ') || ') -> ' || k.confrelid::regclass as key
  from pg_constraint k
  cross join lateral (
    select array_agg(quote_ident(a.attname)) as columns
    from unnest(k.conkey) c join pg_attribute a on a.attrelid = k.conrelid and a.attnum = c
  ) named
  where k.contype = 'f' and not exists (
    select from pg_index i
    cross join lateral (select array_agg(c) as with_columns from unnest(i.indkey::int2[]) with ordinality u (c, at)
      where at <= cardinality(k.conkey)) begins
    where i.indrelid = k.conrelid and i.indisvalid and begins.with_columns @> k.conkey and k.conkey @> begins.with_columns
      and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid, true) = any (
        select c || ' IS NOT NULL' from unnest(named.columns) c)))
  order by 1`;

test("every foreign key has an index by which the deletion of a row finds those that name it", async () => {
  await using database = await freshDatabase({ max: 1 });
  const rows = await database.sql.unsafe(WITHOUT_INDEX);
  expect(rows.map(({ key }) => key)).toEqual([]);
});

test("a key whose index is partial in another way, or begins with another column, is told", async () => {
  await using database = await freshDatabase({ max: 1 });
  await database.sql.unsafe(`
    drop index runs_by_group, local_sources_by_org;
    create index half on runs (assigned_group_id) where status = 'running';
    create index second on local_sources (id, org_id);`);
  const rows = await database.sql.unsafe(WITHOUT_INDEX);
  expect(rows.map(({ key }) => key)).toEqual([
    "local_sources (org_id) -> organizations",
    "runs (assigned_group_id) -> runner_groups",
  ]);
});
