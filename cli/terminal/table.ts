/** Rows in columns, for people. Pure. */
import { cleaned } from "./clean.ts";

export type Column<Row> = {
  title: string;
  value: (row: Row) => string | number | null | undefined;
  /** May be cut where the terminal is too narrow: what nobody types again. */
  cut?: boolean;
};

const GAP = 2;
const LEAST = 8;

/**
 * Nothing for no rows; the last column is not filled up.
 * @param width of the terminal; null where nobody sees one: then nothing is cut, and a row is a line
 */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], width: number | null = null): string {
  if (rows.length === 0) return "";
  const cells = rows.map((row) => columns.map(({ value }) => cleaned(String(value(row) ?? "-")).replaceAll("\n", " ")));
  const titles = columns.map(({ title }) => title.toUpperCase());
  const widths = titles.map((title, at) => Math.max(title.length, ...cells.map((line) => line[at]!.length)));
  const room = width === null ? widths : fitted(widths, columns, width);
  if (room === null) return blocks(titles, cells);
  return [titles, ...cells]
    .map(
      (line) =>
        `${line
          .map((cell, at) => filled(cell, room[at]!))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}

/** Widths that fit, the last of what may be cut first; null where nothing helps. */
function fitted(
  widths: number[],
  columns: readonly { title: string; cut?: boolean }[],
  width: number,
): number[] | null {
  let over = widths.reduce((sum, each) => sum + each + GAP, -GAP) - width;
  const room = widths.toReversed().map((each, backwards) => {
    const { title, cut = false } = columns[widths.length - 1 - backwards]!;
    if (!cut || over <= 0) return each;
    const least = Math.min(each, Math.max(LEAST, title.length));
    const less = Math.min(over, each - least);
    over -= less;
    return each - less;
  });
  return over > 0 ? null : room.reverse();
}

/** Each row by itself, where there is no room beside each other. */
function blocks(titles: string[], cells: string[][]): string {
  return cells.map((line) => facts(line.map((cell, at) => [titles[at]!.toLowerCase(), cell] as const))).join("\n");
}

function filled(cell: string, width: number): string {
  return cell.length > width ? `${cell.slice(0, width - 1)}…` : cell.padEnd(width);
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
