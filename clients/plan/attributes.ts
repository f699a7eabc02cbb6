/** What a change does to the values of a resource, one after another. Pure. */
import { diffArrays } from "diff";
import { pathText } from "./address.ts";
import type { Path, PlanChange } from "./change.ts";
import { digitsOf, exactText, isMap } from "./exactJson.ts";

/** `=` is what stays; the others are the engine's own signs. */
export type AttributeSign = "+" | "-" | "~" | "=";

export type Attribute = {
  sign: AttributeSign;
  path: string;
  before: unknown;
  after: unknown;
  /** It cannot be changed in place. */
  forces: boolean;
  /** Both sides show the same words, and what they hide differs. */
  hidden: boolean;
};

/** Lists longer than this are compared by place. */
const LONGEST_ALIGNED = 2_000;

type Marks = { replace: readonly Path[]; hidden: readonly Path[] };

/** In the order of their names; on a resource that comes into being, what stays empty is left out. */
export function attributesOf({ before, after, replace_paths = [], hidden_changes = [] }: PlanChange): Attribute[] {
  return [...walk(before ?? undefined, after ?? undefined, [], { replace: replace_paths, hidden: hidden_changes })];
}

export function isChanged({ sign }: Attribute): boolean {
  return sign !== "=";
}

function* walk(before: unknown, after: unknown, path: Path, marks: Marks): Generator<Attribute, void> {
  const hidden = marks.hidden.some((each) => samePath(each, path));
  const inside = marks.hidden.some((each) => isBelow(each, path));
  if (!hidden && !inside && path.length > 0 && sameValue(before, after)) {
    if (before !== undefined) yield leaf("=", before, after, path, marks);
    return;
  }
  if (!hidden && isParted(before, after)) {
    yield* Array.isArray(before ?? after)
      ? walkList((before ?? []) as unknown[], (after ?? []) as unknown[], path, marks)
      : walkMap((before ?? {}) as Record<string, unknown>, (after ?? {}) as Record<string, unknown>, path, marks);
    return;
  }
  if (isNothing(before) && isNothing(after) && !hidden) return;
  const sign = isNothing(before) ? "+" : isNothing(after) ? "-" : "~";
  yield { ...leaf(sign, before, after, path, marks), hidden };
}

function leaf(sign: AttributeSign, before: unknown, after: unknown, path: Path, { replace }: Marks): Attribute {
  const forces =
    sign !== "=" && replace.some((each) => samePath(each, path) || isBelow(each, path) || isBelow(path, each));
  return { sign, path: pathText(path), before, after, forces, hidden: false };
}

/** Whether the two are looked into: maps, and lists of something that is looked into itself. */
function isParted(before: unknown, after: unknown): boolean {
  const sides = [before, after].filter((side) => !isNothing(side));
  if (sides.length === 0) return false;
  if (sides.every(isMap)) return sides.some((side) => Object.keys(side as object).length > 0);
  return sides.every(Array.isArray) && sides.some((side) => (side as unknown[]).some(isStructured));
}

function* walkMap(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
  path: Path,
  marks: Marks,
): Generator<Attribute, void> {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  for (const name of names) yield* walk(own(before, name), own(after, name), [...path, name], marks);
}

/** Items that stay are found again wherever they have moved; of those between, the first becomes the first. */
function* walkList(before: unknown[], after: unknown[], path: Path, marks: Marks): Generator<Attribute, void> {
  for (const [from, to] of paired(before, after)) {
    const place = to ?? from ?? 0;
    yield* walk(from === null ? undefined : before[from], to === null ? undefined : after[to], [...path, place], marks);
  }
}

type Pair = [from: number | null, to: number | null];

function paired(before: readonly unknown[], after: readonly unknown[]): Pair[] {
  const longest = Math.max(before.length, after.length);
  const place = (list: readonly unknown[], at: number) => (at < list.length ? at : null);
  const byPlace = () => Array.from({ length: longest }, (_, at): Pair => [place(before, at), place(after, at)]);
  if (longest > LONGEST_ALIGNED || before.length === after.length) return byPlace();
  const pairs: Pair[] = [];
  let [from, to] = [0, 0];
  let gone: number[] = [];
  const flush = () => {
    pairs.push(...gone.map((each): Pair => [each, null]));
    gone = [];
  };
  const texts = (list: readonly unknown[]) => list.map((item) => exactText(item));
  for (const part of diffArrays(texts(before), texts(after))) {
    if (!part.added) flush();
    for (let each = 0; each < part.value.length; each++) {
      if (part.removed) gone.push(from++);
      else if (part.added) pairs.push([gone.shift() ?? null, to++]);
      else pairs.push([from++, to++]);
    }
  }
  flush();
  return pairs;
}

function own(map: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}

function isStructured(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isNothing(a) && isNothing(b)) return true;
  if (!isStructured(a) || !isStructured(b)) return digitsOf(a) !== null && digitsOf(a) === digitsOf(b);
  return exactText(a) === exactText(b);
}

function samePath(a: Path, b: Path): boolean {
  return a.length === b.length && a.every((part, at) => part === b[at]);
}

/** Whether `path` is somewhere inside of `outer`. */
function isBelow(path: Path, outer: Path): boolean {
  return path.length > outer.length && outer.every((part, at) => part === path[at]);
}
