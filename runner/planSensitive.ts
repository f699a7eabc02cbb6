import type { Change, PlanDocument } from "./planDocument.ts";

/** Shorter texts (a region, a yes) are common words that a sensitive map happens to hold too. */
const MIN_LENGTH = 6;
/** Each form costs time on every text shown; a plan with more secrets than this is not read by people anyway. */
const MAX_TEXTS = 1_000;

/**
 * The texts a plan marks sensitive. An engine forgets the mark when a provider copies the value into a
 * computed attribute, so what is sensitive in one place must be hidden in all of them.
 */
function sensitiveTexts(plan: PlanDocument): Set<string> {
  const texts = new Set<string>();
  const visit = (change: Change) => {
    collectSensitive(change.before, change.before_sensitive, texts);
    collectSensitive(change.after, change.after_sensitive, texts);
  };
  for (const entry of [...plan.resource_changes, ...plan.resource_drift]) visit(entry.change);
  for (const change of Object.values(plan.output_changes)) visit(change);
  return texts;
}

/** The forms such a text takes in a plan shown to people: as it is, and escaped inside a quoted string. */
export function sensitiveForms(plan: PlanDocument): Buffer[] {
  return formsOf(sensitiveTexts(plan));
}

/** The forms of these texts, longest first. */
export function formsOf(texts: ReadonlySet<string>): Buffer[] {
  return [...texts]
    .sort((a, b) => b.length - a.length)
    .slice(0, MAX_TEXTS)
    .flatMap((text) => [...new Set([text, JSON.stringify(text).slice(1, -1)])])
    .map((text) => Buffer.from(text, "utf8"));
}

/** The mark of one member: `marks` has the shape of the value, with `true` wherever everything below is sensitive. */
export function markAt(marks: unknown, key: string | number): unknown {
  if (marks === true) return true;
  if (Array.isArray(marks)) return typeof key === "number" ? marks[key] : undefined;
  return isObject(marks) && Object.hasOwn(marks, key) ? marks[key] : undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Adds the texts of a value that its marks say are sensitive. */
export function collectSensitive(value: unknown, marks: unknown, into: Set<string>): void {
  if (marks === undefined || marks === false) return;
  if (typeof value === "string") {
    if (marks === true && value.length >= MIN_LENGTH) into.add(value);
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) collectSensitive(item, markAt(marks, index), into);
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) collectSensitive(item, markAt(marks, key), into);
  }
}
