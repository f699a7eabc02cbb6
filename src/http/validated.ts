import * as v from "valibot";
import type { FieldProblem } from "../platform/problems/problem.ts";
import { InvalidValueError } from "../platform/problems/requestErrors.ts";

/** A body of ten thousand bad items needs no answer of ten thousand lines. */
const MAX_PROBLEMS = 50;
const MAX_FIELD_CHARS = 200;

/**
 * The value as its schema gives it back. People's bodies use `v.strictObject`, so that a misspelt field is an error
 * rather than a default (docs/rules/api.md#bodies).
 * @throws InvalidValueError naming each refused field, never repeating a value
 */
export function validated<S extends v.GenericSchema>(schema: S, value: unknown): v.InferOutput<S> {
  const unstorable = unstorableText(value, "");
  if (unstorable !== null) {
    throw new InvalidValueError([{ field: unstorable, message: "must not contain NUL or half of a surrogate pair" }]);
  }
  const parsed = v.safeParse(schema, value);
  if (parsed.success) return parsed.output;
  throw new InvalidValueError(parsed.issues.slice(0, MAX_PROBLEMS).map(fieldProblem));
}

/** Top-level fields that a runner sent and the schema does not know: ignored there, but counted. */
export function unknownFields(schema: { entries: Record<string, unknown> }, value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.keys(value).filter((key) => !Object.hasOwn(schema.entries, key));
}

function fieldProblem(issue: v.BaseIssue<unknown>): FieldProblem {
  const field = (v.getDotPath(issue) ?? "").slice(0, MAX_FIELD_CHARS) || "body";
  const last = issue.path?.at(-1);
  if (last !== undefined && issue.expected === "never") return { field, message: "is not a known field" };
  if (issue.received === "undefined") return { field, message: "is required" };
  const allowed = allowedValues(issue);
  if (allowed !== null) return { field, message: "is not one of the allowed values", allowed };
  return { field, message: withoutValue(issue.message) };
}

/** Valibot's own messages end with what was received; what comes before is ours to show. */
function withoutValue(message: string): string {
  return message.replace(/(?: but received|: Received) .*$/s, "");
}

/** The list inside `("plan" | "destroy")` or `"plan"`, or null when the expectation is no list of words. */
function allowedValues(issue: v.BaseIssue<unknown>): string[] | null {
  const listed = /^\(?("[^"]*"(?: \| "[^"]*")*)\)?$/.exec(issue.expected ?? "")?.[1];
  return listed === undefined ? null : listed.split(" | ").map((word) => word.slice(1, -1));
}

/**
 * The path of the first text that Postgres cannot store, in a value or as a key. Caught here, since the database would
 * refuse it as an error of ours.
 */
function unstorableText(value: unknown, path: string): string | null {
  if (typeof value === "string") return isStorable(value) ? null : path || "body";
  if (typeof value !== "object" || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    if (!isStorable(key)) return path || "body";
    const found = unstorableText(inner, path === "" ? key.slice(0, MAX_FIELD_CHARS) : `${path}.${key}`);
    if (found !== null) return found.slice(0, MAX_FIELD_CHARS);
  }
  return null;
}

function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}
