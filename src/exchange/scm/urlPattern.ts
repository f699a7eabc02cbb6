/**
 * Patterns over repository URLs, in an engine without backtracking: an organization's pattern cannot stall the
 * service (docs/rules/secrets.md#expressions-take-linear-time).
 */
import { RE2JS } from "re2js";

const compiled = new Map<string, RE2JS | null>();
const REMEMBERED = 1_000;
/** Steps of the largest expression: `(a?){500}` fifty times over is 100,000, milliseconds to match and megabytes to keep. */
const LARGEST = 2_000;

/** Null for text that is no expression of RE2: malformed, with look-around or back-references, or too large with its repetitions. */
export function compilePattern(pattern: string): RE2JS | null {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  let expression: RE2JS | null = null;
  try {
    const whole = RE2JS.compile(pattern);
    if (whole.programSize() <= LARGEST) expression = whole;
  } catch {
    // Refused at write; a stored one that an older engine took matches nothing.
  }
  if (compiled.size >= REMEMBERED) compiled.clear();
  compiled.set(pattern, expression);
  return expression;
}

type Candidate = { urlPattern: string };

/**
 * The integration of a repository: the first in order whose pattern is found in the URL. Null: the repository is public.
 * @param inOrder by ascending priority, then id
 */
export function firstMatch<T extends Candidate>(inOrder: readonly T[], repositoryUrl: string): T | null {
  return inOrder.find(({ urlPattern }) => compilePattern(urlPattern)?.matcher(repositoryUrl).find()) ?? null;
}
