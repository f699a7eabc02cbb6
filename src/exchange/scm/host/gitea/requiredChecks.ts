/** The checks that a branch's protection wants. They are named by patterns, as `ci/*`. */
import type { RequiredCheck } from "../checks.ts";
import type { RepositoryCalls } from "../client.ts";
import { HostError, type HostFailure } from "../errors.ts";

/** The host does not show its rules to these credentials, or has none. */
const NOT_SAID: ReadonlySet<HostFailure> = new Set(["not_found", "refused", "hidden"]);

/** Empty: the host requires none, or does not say. @throws HostError */
export async function requiredContexts(calls: RepositoryCalls, branch: string): Promise<string[]> {
  try {
    const { data } = await calls.call("GET", "/branches/{branch}", { branch });
    const { enable_status_check, status_check_contexts } = data as Record<string, unknown>;
    if (enable_status_check !== true || !Array.isArray(status_check_contexts)) return [];
    return status_check_contexts.filter((name) => typeof name === "string");
  } catch (error) {
    if (error instanceof HostError && NOT_SAID.has(error.failure)) return [];
    throw error;
  }
}

/** Those that were reported and fit the pattern; the pattern itself where none does, which then has not reported. */
export function matching(pattern: string, reported: readonly string[]): RequiredCheck[] {
  const names = [...new Set(reported.filter((name) => name === pattern || fits(pattern, name)))];
  return (names.length === 0 ? [pattern] : names).map((name) => ({ name, app: null }));
}

/** `*` is any text and `?` any character, in time that grows with the product of the two lengths at most. */
function fits(pattern: string, name: string): boolean {
  let [p, n, star, mark] = [0, 0, -1, 0];
  while (n < name.length) {
    if (pattern[p] === "*") [star, mark, p] = [p, n, p + 1];
    else if (p < pattern.length && (pattern[p] === "?" || pattern[p] === name[n])) [p, n] = [p + 1, n + 1];
    else if (star >= 0) [p, n, mark] = [star + 1, mark + 1, mark + 1];
    else return false;
  }
  while (pattern[p] === "*") p++;
  return p === pattern.length;
}
