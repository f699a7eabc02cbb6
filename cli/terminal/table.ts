/** Rows in columns, for people. Pure. */
import { cleaned } from "./clean.ts";

export type Column<Row> = { title: string; value: (row: Row) => string | number | null | undefined };

/** Nothing for no rows; the last column is not filled up. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  if (rows.length === 0) return "";
  const cells = rows.map((row) => columns.map(({ value }) => cleaned(String(value(row) ?? "-")).replaceAll("\n", " ")));
  const lines = [columns.map(({ title }) => title.toUpperCase()), ...cells];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]!.length)));
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, at) => cell.padEnd(widths[at]!))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}

/** What is known of one thing, a line each; what is null or empty is left out. */
export function facts(pairs: readonly (readonly [string, string | number | null | undefined])[]): string {
  const shown = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown
    .map(
      ([name, value]) =>
        `${name.padEnd(width)}  ${cleaned(String(value)).replaceAll("\n", `\n${" ".repeat(width + 2)}`)}\n`,
    )
    .join("");
}
