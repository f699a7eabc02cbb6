/**
 * A table's columns for a statement that is sent as it is, without drizzle's mapping of each value, which is half of a
 * long page's time.
 */
import { getTableColumns, getTableName, type SQL, sql, type Table } from "drizzle-orm";

/**
 * The select list that makes the driver itself answer the table's `$inferSelect`: each column under its property's
 * name, and a `bigint` of mode "number" as a number, which the driver would give as text.
 */
export function rowColumns(table: Table): SQL {
  const columns = Object.entries(getTableColumns(table)).map(([property, column]) => {
    const number = column.getSQLType() === "bigint" && column.dataType === "number";
    return `"${getTableName(table)}"."${column.name}"${number ? "::float8" : ""} as "${property}"`;
  });
  return sql.raw(columns.join(", "));
}
