/**
 * Row types of statements that are sent as SQL, taken from the tables' declarations: a column is named and typed in one
 * place.
 */
import type { Column, Table } from "drizzle-orm";

type Columns<T extends Table> = T["_"]["columns"];

/**
 * The driver itself answers a `bigint` as text; drizzle's mapping, which would make a number of it, is not asked here.
 */
type Answered<C extends Column> = {
  value:
    | (C["_"]["columnType"] extends "PgBigInt53" ? string : C["_"]["data"])
    | (C["_"]["notNull"] extends true ? never : null);
};

type SqlName<T extends Table> = Columns<T>[keyof Columns<T>]["_"]["name"];

/**
 * Columns of a table under their names in the database: `SqlRow<typeof runs, "id" | "plan_run_id">`; all of them by
 * default.
 */
export type SqlRow<T extends Table, Name extends SqlName<T> = SqlName<T>> = {
  [P in keyof Columns<T> as Extract<Columns<T>[P]["_"]["name"], Name>]: Answered<Columns<T>[P]>["value"];
};

/** Columns under their properties' names, for statements that say `stack_key as "stackKey"`. */
export type NamedRow<T extends Table, Property extends keyof Columns<T>> = {
  [P in Property]: Answered<Columns<T>[P]>["value"];
};

/** Columns of an outer join: there together, or null together. */
export type Joined<Row> = Row | { [Name in keyof Row]: null };
