/** A plan's changes for people: what destroys stands first, and nothing is told by colour alone. Pure. */
import { type Attribute, attributesOf, isChanged } from "../../clients/plan/attributes.ts";
import type { PlanChange } from "../../clients/plan/change.ts";
import { exactText } from "../../clients/plan/exactJson.ts";
import { reasonText } from "../../clients/plan/reasons.ts";
import type { Change, PlanSummary } from "../service/types.ts";
import { cleaned } from "../terminal/clean.ts";
import type { Colors } from "../terminal/colors.ts";

type Action = Change["action"];
/** In the order in which they are shown. */
const ACTIONS: Record<Action, { sign: string; word: string; color: "red" | "magenta" | "green" | "yellow" | "cyan" }> =
  {
    destroy: { sign: "-", word: "destroy", color: "red" },
    replace: { sign: "-/+", word: "replace", color: "magenta" },
    forget: { sign: "x", word: "forget", color: "red" },
    change: { sign: "~", word: "change", color: "yellow" },
    add: { sign: "+", word: "add", color: "green" },
    import: { sign: "<-", word: "import", color: "cyan" },
    move: { sign: "->", word: "move", color: "cyan" },
    invoke: { sign: "!", word: "invoke", color: "yellow" },
    read: { sign: "<=", word: "read", color: "cyan" },
    other: { sign: "?", word: "other", color: "yellow" },
  };
const ORDER = Object.keys(ACTIONS);
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
  const known = counts === null ? [] : ORDER.filter((action) => (counts as Record<string, number>)[action]);
  const text = known.map((action) => `${(counts as Record<string, number>)[action]} to ${action}`).join(", ");
  const plain = text || (has_changes ? "There are changes, and they could not be counted" : "No changes");
  return gaps.length === 0 ? plain : `${plain}; not everything could be measured`;
}

function sorted(changes: readonly Change[]): Change[] {
  return changes.toSorted((a, b) => ORDER.indexOf(a.action) - ORDER.indexOf(b.action));
}

function list(changes: readonly Change[], colors: Colors, shown: Shown): string {
  const more = changes.length - shown.resources;
  const lines = changes.slice(0, shown.resources).map((change) => one(change, colors, shown));
  const all = shown.all === undefined ? "" : `: ${shown.all}`;
  return `${lines.join("")}${more > 0 ? `  ... and ${more} more${all}\n` : ""}`;
}

function one(change: Change, colors: Colors, shown: Shown): string {
  const { sign, word, color } = ACTIONS[change.action];
  const moved = change.previous_address === undefined ? "" : `, was ${cleaned(change.previous_address)}`;
  const reason = reasonText(change.reason);
  const why = reason === null ? "" : ` (${cleaned(reason)})`;
  const head = `${colors[color](`${sign.padStart(3)} ${word.padEnd(7)}`)} ${cleaned(change.address)}${moved}${why}\n`;
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
