import type { PlanChange } from "../../src/core/runs/planChange.ts";
import { digitsOf } from "../../src/platform/json/losslessJson.ts";
import { ownMember } from "../../src/platform/json/mapOf.ts";
import { isObject, markAt } from "../output/sensitiveValues.ts";
import type { Change } from "./planDocument.ts";

type Path = (string | number)[];

/** More are no help to a reader, and a line has its limit. */
const MOST_PATHS = 100;
const MOST_CHARACTERS = 65_536;

/**
 * Which values force a replacement, and which sensitive ones become others: both sides of those show the same words, as
 * the engine's own text does, which marks them too.
 */
export function changedPaths(
  change: Change,
  mask: (text: string) => string,
): Pick<PlanChange, "replace_paths" | "hidden_changes"> {
  const forcing = (change.replace_paths ?? []).flatMap((path) => readable(path) ?? []);
  // What comes into being or goes has nothing on its other side.
  const oneSided = (change.before ?? null) === null || (change.after ?? null) === null;
  const hidden = oneSided ? [] : [...hiddenChanges(change, [])];
  const shown = (paths: Path[]) =>
    bounded(paths.map((path) => path.map((part) => (typeof part === "string" ? mask(part) : part))));
  return {
    ...(forcing.length === 0 ? {} : { replace_paths: shown(forcing) }),
    ...(hidden.length === 0 ? {} : { hidden_changes: shown(hidden) }),
  };
}

function readable(path: readonly unknown[]): [Path] | null {
  const parts = path.map((part) => (typeof part === "string" ? part : Number(digitsOf(part) ?? Number.NaN)));
  return parts.every((part) => typeof part === "string" || Number.isSafeInteger(part)) ? [parts] : null;
}

type Sides = Pick<Change, "before" | "after" | "before_sensitive" | "after_sensitive" | "after_unknown">;

/** Where both sides are hidden and what is hidden differs. What is only known later may differ. */
function* hiddenChanges(sides: Sides, path: Path): Generator<Path, void> {
  const { before = null, after = null, before_sensitive, after_sensitive, after_unknown } = sides;
  const hides = before_sensitive === true || after_sensitive === true;
  if (hides) {
    if (before === null && after === null && after_unknown !== true) return;
    if (after_unknown === true || textOf(before) !== textOf(after)) yield path;
    return;
  }
  for (const key of keysOf(before, after)) {
    const inside = {
      before: memberOf(before, key),
      after: memberOf(after, key),
      before_sensitive: markAt(before_sensitive, key),
      after_sensitive: markAt(after_sensitive, key),
      after_unknown: markAt(after_unknown, key),
    };
    yield* hiddenChanges(inside, [...path, key]);
  }
}

function keysOf(before: unknown, after: unknown): Path {
  if (Array.isArray(before) || Array.isArray(after)) {
    const length = (side: unknown) => (Array.isArray(side) ? side.length : 0);
    return [...Array(Math.max(length(before), length(after))).keys()];
  }
  const names = (side: unknown) => (isObject(side) ? Object.keys(side) : []);
  return [...new Set([...names(before), ...names(after)])];
}

function memberOf(side: unknown, key: string | number): unknown {
  if (Array.isArray(side)) return typeof key === "number" ? side[key] : undefined;
  return isObject(side) && typeof key === "string" ? ownMember(side, key) : undefined;
}

/** Numbers of any length compare by their digits. */
function textOf(value: unknown): string {
  return JSON.stringify(value ?? null);
}

function bounded(paths: Path[]): Path[] {
  const some = paths.slice(0, MOST_PATHS);
  return JSON.stringify(some).length <= MOST_CHARACTERS ? some : [];
}
