/** Rows under the modules they stand in: what a list shows, one entry a line. Pure. */
import { deedOf, rankOf, type Tone } from "../../../clients/plan/deeds.ts";
import type { Row } from "./rows.ts";

export type Group = { module: string; rows: readonly Row[]; tally: Tally };
/** Signs and how many rows have each, in the order of danger. */
export type Tally = readonly { sign: string; word: string; tone: Tone; count: number }[];
export type Entry = { type: "group"; group: Group; open: boolean } | { type: "row"; row: Row };

/** The module with the most dangerous change comes first, then by name. Rows come sorted. */
export function groupsOf(rows: readonly Row[]): Group[] {
  const groups = [...Map.groupBy(rows, ({ module }) => module)].map(([module, members]) => ({
    module,
    rows: members,
    tally: tallyOf(members),
  }));
  const danger = ({ rows: [first] }: Group) => (first === undefined ? 0 : rankOf(first));
  return groups.sort((a, b) => danger(a) - danger(b) || (a.module < b.module ? -1 : 1));
}

function tallyOf(rows: readonly Row[]): Tally {
  const counted = new Map<string, Tally[number]>();
  for (const row of rows) {
    const { sign, word, tone } = deedOf(row);
    counted.set(word, { sign, word, tone, count: (counted.get(word)?.count ?? 0) + 1 });
  }
  return [...counted.values()];
}

export function entriesOf(rows: readonly Row[], grouped: boolean, closed: ReadonlySet<string>): Entry[] {
  if (!grouped) return rows.map((row) => ({ type: "row", row }));
  return groupsOf(rows).flatMap((group): Entry[] => {
    const open = !closed.has(group.module);
    return [{ type: "group", group, open }, ...(open ? group.rows.map((row): Entry => ({ type: "row", row })) : [])];
  });
}
