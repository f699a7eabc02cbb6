/** Which rows of a plan are shown, and how many there are of each kind. Pure. */
import { byDanger, type Row } from "./rows.ts";

export const VIEWS = ["all", "destroy", "replace", "change", "add", "drift", "output", "other"] as const;
export type View = (typeof VIEWS)[number];

/** Every row is of one view beside `all`. */
export function viewOf({ kind, action }: Pick<Row, "kind" | "action">): Exclude<View, "all"> {
  if (kind === "drift" || kind === "output") return kind;
  return action === "destroy" || action === "replace" || action === "change" || action === "add" ? action : "other";
}

export type Counts = Record<View, number>;

export function countsOf(rows: readonly Row[]): Counts {
  const counts = Object.fromEntries(VIEWS.map((view) => [view, 0])) as Counts;
  counts.all = rows.length;
  for (const row of rows) counts[viewOf(row)]++;
  return counts;
}

/** Each word has to occur; `-word` must not. */
export function filterRows(rows: readonly Row[], view: View, text: string): Row[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const without = words.filter((word) => word.length > 1 && word.startsWith("-")).map((word) => word.slice(1));
  const asked = words.filter((word) => !word.startsWith("-"));
  return rows
    .filter(
      (row) =>
        (view === "all" || viewOf(row) === view) &&
        asked.every((word) => row.searched.includes(word)) &&
        !without.some((word) => row.searched.includes(word)),
    )
    .sort(byDanger);
}

export function isView(text: unknown): text is View {
  return (VIEWS as readonly unknown[]).includes(text);
}
