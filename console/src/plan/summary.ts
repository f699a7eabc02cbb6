/** What a row says of its change without being opened. Pure. */

import { pathText } from "../../../clients/plan/address.ts";
import { type Attribute, attributesOf, isChanged } from "../../../clients/plan/attributes.ts";
import { type PlanChange, veilOf } from "../../../clients/plan/change.ts";
import { digitsOf, exactText } from "../../../clients/plan/exactJson.ts";
import { reasonText } from "../../../clients/plan/reasons.ts";
import { type DiffLine, diffOf } from "./textDiff.ts";

export type Summary = {
  /** A sentence before the values: what forces it, where it comes from. */
  note: string | null;
  /** The first values that change. */
  values: { path: string; before: string | null; after: string | null }[];
  /** Values beyond those. */
  more: number;
};

const SHOWN = 2;
const LONGEST = 44;
/** What people know a resource by. */
const NAMES = ["name", "id", "bucket", "key", "identifier", "display_name", "title", "input"];

export function summaryOf(change: PlanChange): Summary {
  const changed = attributesOf(change).filter(isChanged);
  const note = noteOf(change);
  if (
    change.action === "add" ||
    change.action === "destroy" ||
    change.action === "forget" ||
    change.action === "read"
  ) {
    const side = change.action === "add" || change.action === "read" ? "after" : "before";
    const named = changed.filter((each) => NAMES.includes(each.path) && veilOf(each[side]) === null).slice(0, 1);
    const values = change.kind === "output" ? changed.slice(0, SHOWN) : named;
    return { note, values: values.map(shown), more: 0 };
  }
  const sorted = [...changed.filter(({ forces }) => forces), ...changed.filter(({ forces }) => !forces)];
  // Of what is replaced the values that are new by themselves say nothing.
  const telling = sorted.filter(({ after, forces }) => forces || veilOf(after) !== "unknown");
  const listed = telling.length > 0 ? telling : sorted;
  const shortest = listed.toSorted((a, b) => Number(b.forces) - Number(a.forces) || bulk(a) - bulk(b));
  return {
    note,
    values: shortest.slice(0, SHOWN).map(shown),
    more: Math.max(0, changed.length - Math.min(SHOWN, listed.length)),
  };
}

function noteOf(change: PlanChange): string | null {
  const { action, previous_address, triggered_by, replace_paths = [] } = change;
  const notes = [
    previous_address === undefined ? null : `moved from ${previous_address}`,
    triggered_by === undefined ? null : `invoked by ${triggered_by}`,
    action === "replace" && replace_paths.length > 0
      ? `forces replacement: ${[...new Set(replace_paths.map(pathText))].slice(0, 5).join(", ")}`
      : reasonText(change.reason),
  ];
  return notes.filter((note) => note !== null).join("; ") || null;
}

function shown({ path, sign, before, after, hidden }: Attribute): Summary["values"][number] {
  const lines = sign === "~" ? diffOf(before, after) : null;
  if (lines !== null) return { path, before: null, after: linesText(lines) };
  const [from, to] = pairOf(before, after);
  return {
    path,
    before: sign === "+" ? null : shortText(from),
    after: sign === "-" ? null : hidden ? "(sensitive value, another one)" : shortText(to),
  };
}

/** Long texts come last: others say more in the same room. */
function bulk({ before, after }: Attribute): number {
  return exactText(before).length + exactText(after).length > 2 * LONGEST ? 1 : 0;
}

function linesText(lines: readonly DiffLine[]): string {
  const count = (sign: string) => lines.filter((line) => line.sign === sign).length;
  return `+${count("+")} -${count("-")} lines`;
}

/** Of two lists of one item each, the items. */
function pairOf(before: unknown, after: unknown): [unknown, unknown] {
  const single = (side: unknown) => Array.isArray(side) && side.length === 1;
  return single(before) && single(after) ? [(before as unknown[])[0], (after as unknown[])[0]] : [before, after];
}

/** On one line, shortened in its middle: beginnings and ends of names differ. */
export function shortText(value: unknown, longest = LONGEST): string {
  const text = veilOf(value) !== null && typeof value === "string" ? value : exactText(value);
  const kept = digitsOf(value) === null ? text.replace(/\s+/g, " ") : text;
  if (kept.length <= longest) return kept;
  const half = Math.floor((longest - 1) / 2);
  return `${kept.slice(0, half)}…${kept.slice(-half)}`;
}
