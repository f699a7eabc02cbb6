/**
 * The changes of a plan as rows. A row keeps its line of JSON as text and reads it when it is looked at, so that many
 * thousands of them are there at once. Pure.
 */
import { moduleOf } from "../../../clients/plan/address.ts";
import type { ChangeAction, PlanChange } from "../../../clients/plan/change.ts";
import { parseExact } from "../../../clients/plan/exactJson.ts";

export type Row = Pick<PlanChange, "kind" | "address" | "action" | "actions" | "type"> & {
  /** Place in the engine's order; the row's identity within its plan. */
  index: number;
  module: string;
  /** What a text filter looks at. */
  searched: string;
  /** Reads the whole change, again each time. */
  change(): PlanChange;
};

/** @throws SyntaxError for a line that is no JSON */
export function rowOf(line: string, index: number): Row {
  const read = JSON.parse(line) as PlanChange;
  const { kind, address, action, actions, type, previous_address } = read;
  return {
    index,
    kind,
    address,
    action,
    actions,
    type,
    module: kind === "output" ? "" : moduleOf(address),
    searched: `${address} ${previous_address ?? ""} ${type}`.toLowerCase(),
    change: () => parseExact(line) as PlanChange,
  };
}

/** The sign and the word of what happens; both are shown, since colours alone say nothing to some. */
export type Deed = { sign: string; word: string; tone: Tone };
export type Tone = "destroy" | "replace" | "change" | "add" | "drift" | "quiet";

const DEEDS: Record<ChangeAction, Deed> = {
  destroy: { sign: "-", word: "destroy", tone: "destroy" },
  replace: { sign: "-/+", word: "replace", tone: "replace" },
  forget: { sign: ".", word: "forget", tone: "destroy" },
  other: { sign: "?", word: "unknown action", tone: "replace" },
  change: { sign: "~", word: "change", tone: "change" },
  add: { sign: "+", word: "add", tone: "add" },
  import: { sign: "←", word: "import", tone: "change" },
  move: { sign: "→", word: "move", tone: "change" },
  invoke: { sign: "!", word: "invoke", tone: "change" },
  read: { sign: "≤", word: "read", tone: "quiet" },
};

/** Drift has happened already, whatever was done. */
export function deedOf({ kind, action, actions }: Pick<Row, "kind" | "action" | "actions">): Deed {
  const deed = DEEDS[action] ?? DEEDS.other;
  if (kind === "drift") return { sign: "≈", word: `drift: ${DRIFTED[action] ?? deed.word}`, tone: "drift" };
  if (kind === "output")
    return { ...deed, word: `${deed.word} output`, tone: deed.tone === "destroy" ? "quiet" : deed.tone };
  if (action === "replace" && actions[0] === "create") return { ...deed, sign: "+/-" };
  return deed;
}

const DRIFTED: Partial<Record<ChangeAction, string>> = {
  add: "appeared",
  change: "changed",
  destroy: "is gone",
  move: "moved",
};

const RANKS: Record<ChangeAction, number> = {
  destroy: 0,
  replace: 1,
  forget: 2,
  other: 3,
  change: 4,
  invoke: 5,
  import: 6,
  move: 7,
  add: 8,
  read: 9,
};
const KINDS = { resource: 0, action: 1, drift: 2, output: 3 };

/** What destroys comes first, then what replaces; within the same, the engine's order. */
export function byDanger(a: Row, b: Row): number {
  return rankOf(a) - rankOf(b) || a.index - b.index;
}

export function rankOf({ kind, action }: Pick<Row, "kind" | "action">): number {
  return (KINDS[kind] ?? 0) * 100 + (RANKS[action] ?? RANKS.other);
}
