/**
 * What an engine's JSON marks sensitive: marks have the shape of the value, with `true` wherever everything below is.
 */
import { digitsOf, parseLossless } from "../../src/platform/json/losslessJson.ts";

/** Shorter texts (a region, a yes) are common words that a sensitive map happens to hold too. */
export const MIN_SENSITIVE_LENGTH = 6;
/** Documents inside texts inside documents: nobody nests them deeper. */
const MAX_DEPTH = 100;

/** The mark of one member. */
export function markAt(marks: unknown, key: string | number): unknown {
  if (marks === true) return true;
  if (Array.isArray(marks)) return typeof key === "number" ? marks[key] : undefined;
  return isObject(marks) && Object.hasOwn(marks, key) ? marks[key] : undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}

/** Adds the texts of a value that its marks say are sensitive. */
export function collectSensitive(value: unknown, marks: unknown, into: Set<string>): void {
  if (marks === undefined || marks === false) return;
  if (marks === true) collectAll(value, into, 0);
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) collectSensitive(item, markAt(marks, index), into);
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) collectSensitive(item, markAt(marks, key), into);
  }
}

function collectAll(value: unknown, into: Set<string>, depth: number): void {
  if (depth > MAX_DEPTH) return;
  const digits = digitsOf(value);
  if (digits !== null) add(digits.replace(/^-/, ""), into);
  else if (typeof value === "string") {
    add(value, into);
    collectAll(documentIn(value), into, depth + 1);
  } else if (typeof value === "object" && value !== null) {
    for (const item of Object.values(value)) collectAll(item, into, depth + 1);
  }
}

function add(text: string, into: Set<string>): void {
  if (text.length >= MIN_SENSITIVE_LENGTH) into.add(text);
}

/**
 * Engines show a text that is a JSON document as `jsonencode({...})`, laid out anew: only its parts can be found there.
 */
function documentIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    return parseLossless(text);
  } catch {
    return null;
  }
}
