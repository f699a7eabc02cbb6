/** What rules say of a plan. Pure. */
import type { PlanChange } from "../runs/planChange.ts";
import type { Input } from "./input.ts";
import { printable } from "./printable.ts";
import { failed, NOTHING, type Said } from "./result.ts";
import type { Attention, Rules } from "./rules.ts";
import { standingAt } from "./windows.ts";

/** As for automatic approval: something that is there now will not be, or not be managed any more. */
const DESTROYS: readonly string[] = ["destroy", "replace", "forget"];
/** What carrying out the plan does not change. */
const NO_CHANGE: readonly string[] = ["read", "other"];
/** Addresses that one sentence names, and as much of each: a configuration may call them anything. */
const NAMED = 5;
const LONGEST_NAME = 300;

export function judge(rules: Rules, { plan, changes, time }: Input): Said {
  if (!plan || plan.counts === null) return failed("The plan was not measured, so its changes are not known.");
  const resources = changes.filter(({ kind }) => kind === "resource");
  const destroyed = resources.filter(({ action }) => DESTROYS.includes(action));
  const window = rules.windows === null ? null : standingAt(rules.windows, new Date(time));
  return {
    ...NOTHING,
    deny: [
      ...protectedTypes(rules.protected_types, destroyed),
      ...tooMany(rules.max_destroys, destroyed.length),
      ...(window?.closed ? [window.closed] : []),
    ],
    warn:
      plan.gaps.length > 0
        ? [
            `The plan was not measured as a whole: ${plan.gaps
              .slice(0, NAMED)
              .map((gap) => printable(gap, LONGEST_NAME))
              .join("; ")}.`,
          ]
        : [],
    approvals: rules.attention
      .filter((rule) => costs(rule, resources))
      .map(({ count, from, reason }) => ({ count, from, reason })),
    until: window?.until?.toISOString() ?? null,
  };
}

function protectedTypes(patterns: readonly string[], destroyed: readonly PlanChange[]): string[] {
  const fits = typesFitting(patterns);
  const found = destroyed
    .filter(({ type }) => fits(type))
    .map(({ address, action }) => `${printable(address, LONGEST_NAME)} (${action})`);
  if (found.length === 0) return [];
  const more = found.length > NAMED ? ` and ${found.length - NAMED} more` : "";
  return [
    `Resources of a protected type would be destroyed, replaced or forgotten: ${found.slice(0, NAMED).join(", ")}${more}.`,
  ];
}

function tooMany(most: number | null, destroys: number): string[] {
  if (most === null || destroys <= most) return [];
  return [`The plan destroys, replaces or forgets ${destroys} resources; ${most} are allowed.`];
}

function costs({ types, min_changes, min_destroys }: Attention, resources: readonly PlanChange[]): boolean {
  const fits = types.length === 0 ? () => true : typesFitting(types);
  const counted = resources.filter(({ type, action }) => fits(type) && !NO_CHANGE.includes(action));
  const destroys = counted.filter(({ action }) => DESTROYS.includes(action)).length;
  if (min_destroys !== undefined && destroys >= min_destroys && destroys > 0) return true;
  if (min_changes === undefined) return min_destroys === undefined && counted.length > 0;
  return counted.length >= Math.max(min_changes, 1);
}

/** `*` stands for any text. */
function typesFitting(patterns: readonly string[]): (type: string) => boolean {
  const known = new Map<string, boolean>();
  const parts = patterns.map((pattern) => pattern.split("*"));
  return (type) => {
    const before = known.get(type);
    if (before !== undefined) return before;
    const fits = parts.some((pieces) => fitsPieces(pieces, type));
    known.set(type, fits);
    return fits;
  };
}

/** Piece after piece from the left, so that no pattern takes long. */
function fitsPieces(pieces: readonly string[], text: string): boolean {
  const [first = "", ...rest] = pieces;
  if (rest.length === 0) return text === first;
  if (!text.startsWith(first)) return false;
  const last = rest.at(-1) ?? "";
  let at = first.length;
  for (const piece of rest.slice(0, -1)) {
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
