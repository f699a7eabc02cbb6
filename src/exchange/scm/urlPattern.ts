/**
 * Patterns over repository URLs, in an engine without backtracking: an organization's pattern cannot stall the
 * service (docs/rules/secrets.md#expressions-take-linear-time).
 */
import { LRUCache } from "lru-cache";
import { RE2JS } from "re2js";

/**
 * Steps of the largest expression: `(a?){500}` fifty times over is 100,000, milliseconds to match and megabytes to
 * keep.
 */
const LARGEST = 2_000;

/**
 * Null for text that is no expression of RE2: malformed, with look-around or back-references, or too large with its
 * repetitions.
 */
export function compilePattern(pattern: string): RE2JS | null {
  return compiled.memo(pattern).expression;
}

const compiled = new LRUCache<string, { expression: RE2JS | null }>({
  max: 1_000,
  memoMethod: (pattern) => ({ expression: compile(pattern) }),
});

function compile(pattern: string): RE2JS | null {
  try {
    const expression = RE2JS.compile(pattern);
    return expression.programSize() <= LARGEST ? expression : null;
  } catch {
    // Refused at write; a stored one that an older engine took matches nothing.
    return null;
  }
}

type Candidate = { urlPattern: string };

/**
 * The integration of a repository: the first in order whose pattern is found in the URL. Null: the repository is
 * public.
 * @param inOrder by ascending priority, then id
 */
export function firstMatch<T extends Candidate>(inOrder: readonly T[], repositoryUrl: string): T | null {
  return inOrder.find(({ urlPattern }) => compilePattern(urlPattern)?.matcher(repositoryUrl).find()) ?? null;
}
