/** What a change does, as every client says it: its sign, its word, and how grave it is. Pure. */
import type { ChangeAction, PlanChange } from "./change.ts";

/** The sign and the word are both shown, since colours alone say nothing to some. */
export type Deed = { sign: string; word: string; tone: Tone };
export type Tone = "destroy" | "replace" | "change" | "add" | "drift" | "quiet";

/** In the order in which they are shown: what destroys first. The signs are the engine's own where it has one. */
const DEEDS: Record<ChangeAction, Deed> = {
  destroy: { sign: "-", word: "destroy", tone: "destroy" },
  replace: { sign: "-/+", word: "replace", tone: "replace" },
  forget: { sign: ".", word: "forget", tone: "destroy" },
  other: { sign: "?", word: "unknown action", tone: "replace" },
  change: { sign: "~", word: "change", tone: "change" },
  invoke: { sign: "!", word: "invoke", tone: "change" },
  import: { sign: "←", word: "import", tone: "change" },
  move: { sign: "→", word: "move", tone: "change" },
  add: { sign: "+", word: "add", tone: "add" },
  read: { sign: "<=", word: "read", tone: "quiet" },
};
const DRIFTED: Partial<Record<ChangeAction, string>> = {
  add: "appeared",
  change: "changed",
  destroy: "is gone",
  move: "moved",
};

const ORDER = Object.keys(DEEDS) as ChangeAction[];
const KINDS = { resource: 0, action: 1, drift: 2, output: 3 };

type Done = Pick<PlanChange, "kind" | "action">;

export function deedOf({ kind, action, actions }: Done & Pick<PlanChange, "actions">): Deed {
  const deed = DEEDS[action] ?? DEEDS.other;
  // Drift has happened already, whatever was done.
  if (kind === "drift") return { sign: "≈", word: `drift: ${DRIFTED[action] ?? deed.word}`, tone: "drift" };
  if (kind === "output") {
    return { ...deed, word: `${deed.word} output`, tone: deed.tone === "destroy" ? "quiet" : deed.tone };
  }
  if (action === "replace" && actions[0] === "create") return { ...deed, sign: "+/-" };
  return deed;
}

/** What a change of its kind is shown after: what destroys, then what replaces. */
export function rankOf({ kind, action }: Done): number {
  const place = ORDER.indexOf(action);
  return (KINDS[kind] ?? 0) * 100 + (place === -1 ? ORDER.indexOf("other") : place);
}

export type Counted<Name extends ChangeAction> = Deed & { name: Name; count: number };

/** A plan's counts in the order of danger; what there is none of is left out. */
export function countedDeeds<Name extends ChangeAction>(counts: Readonly<Record<Name, number>>): Counted<Name>[] {
  const names = ORDER.filter((action): action is Name => Object.hasOwn(counts, action));
  return names.map((name) => ({ ...DEEDS[name], name, count: counts[name] })).filter(({ count }) => count > 0);
}
