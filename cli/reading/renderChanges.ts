/** A plan's changes for people: what destroys stands first, and nothing is told by colour alone. Pure. */
import { type Attribute, attributesOf, isChanged } from "../../clients/plan/attributes.ts";
import type { PlanChange } from "../../clients/plan/change.ts";
import { countedDeeds, deedOf, rankOf, type Tone } from "../../clients/plan/deeds.ts";
import { exactText } from "../../clients/plan/exactJson.ts";
import { reasonText } from "../../clients/plan/reasons.ts";
import type { Change, PlanSummary } from "../service/types.ts";
import { cleaned } from "../terminal/clean.ts";
import type { Colors } from "../terminal/colors.ts";

const COLORS = {
  destroy: "red",
  replace: "magenta",
  change: "yellow",
  add: "green",
  drift: "yellow",
  quiet: "cyan",
} as const satisfies Record<Tone, keyof Colors>;
const MOST_VALUE = 120;

export type Shown = {
  resources: number;
  attributes: number;
  /** The command that shows all of them. */
  all?: string;
};
export const BRIEF: Shown = { resources: 60, attributes: 12 };
export const WHOLE: Shown = { resources: Number.POSITIVE_INFINITY, attributes: Number.POSITIVE_INFINITY };

export function renderChanges(changes: readonly Change[], colors: Colors, shown: Shown): string {
  const resources = sorted(changes.filter(({ kind }) => kind === "resource" || kind === "action"));
  const drift = sorted(changes.filter(({ kind }) => kind === "drift"));
  const outputs = changes.filter(({ kind }) => kind === "output");
  const parts = [
    list(resources, colors, shown),
    drift.length === 0 ? "" : `\nChanged outside of this stack:\n${list(drift, colors, shown)}`,
    outputs.length === 0 ? "" : `\nOutputs:\n${list(outputs, colors, shown)}`,
  ];
  return parts.join("");
}

/** `1 to destroy, 1 to replace, 3 to add`, or what is known instead. */
export function summaryText({ counts, has_changes, gaps }: PlanSummary): string {
  const known = counts === null ? [] : countedDeeds(counts);
  const text = known.map(({ count, word }) => `${count} to ${word}`).join(", ");
  const uncounted = counts === null ? "There are changes, and they could not be counted" : "Only outputs change";
  const plain = text || (has_changes ? uncounted : "No changes");
  return gaps.length === 0 ? plain : `${plain}; not everything could be measured`;
}

function sorted(changes: readonly Change[]): Change[] {
  return changes.toSorted((a, b) => rankOf(a) - rankOf(b));
}

function list(changes: readonly Change[], colors: Colors, shown: Shown): string {
  const more = changes.length - shown.resources;
  const listed = changes.slice(0, shown.resources);
  const width = listed.reduce((widest, change) => Math.max(widest, wordOf(change).length), 0);
  const lines = listed.map((change) => one(change, colors, shown, width));
  const all = shown.all === undefined ? "" : `: ${shown.all}`;
  return `${lines.join("")}${more > 0 ? `  ... and ${more} more${all}\n` : ""}`;
}

/** Outputs stand below a line of their own that says what they are. */
function wordOf(change: Change): string {
  const { word } = deedOf(change);
  return change.kind === "output" ? word.replace(/ output$/, "") : word;
}

function one(change: Change, colors: Colors, shown: Shown, width: number): string {
  const { sign, tone } = deedOf(change);
  const word = wordOf(change);
  const moved = change.previous_address === undefined ? "" : `, was ${cleaned(change.previous_address)}`;
  const reason = reasonText(change.reason);
  const why = reason === null ? "" : ` (${cleaned(reason)})`;
  const deed = colors[COLORS[tone]](`${sign.padStart(3)} ${word.padEnd(width)}`);
  const head = `${deed} ${cleaned(change.address)}${moved}${why}\n`;
  const detailed = change.action === "change" || change.action === "replace" || change.kind === "output";
  if (!detailed) return head;
  const changed = [...attributesOf(change as PlanChange)].filter(isChanged);
  // What forces a replacement is never among those that are left out.
  const lines = changed.toSorted((a, b) => Number(b.forces) - Number(a.forces)).slice(0, shown.attributes);
  const more = changed.length - lines.length;
  const text = lines.map((attribute) => attributeLine(attribute, shown)).join("");
  return `${head}${text}${more > 0 ? `              ... and ${more} more attributes\n` : ""}`;
}

function attributeLine({ sign, path, before, after, forces, hidden }: Attribute, shown: Shown): string {
  const name = path === "" ? "" : `${cleaned(path)}: `;
  const [old, next] = [sign === "+" ? undefined : before, sign === "-" ? undefined : after];
  const notes = `${hidden ? "  # another one" : ""}${forces ? "  # forces replacement" : ""}`;
  return `              ${name}${value(old, shown)} -> ${value(next, shown)}${notes}\n`;
}

function value(of: unknown, { attributes }: Shown): string {
  if (of === undefined) return "(none)";
  const text = cleaned(exactText(of));
  return Number.isFinite(attributes) && text.length > MOST_VALUE ? `${text.slice(0, MOST_VALUE)}...` : text;
}
