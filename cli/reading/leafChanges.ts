/** Which attributes of a resource change, by path. Pure. */
import { isRaw } from "./exactJson.ts";

export type LeafChange = { path: string; before: string | null; after: string | null };

/** @returns null stands for an attribute that is not there */
export function leafChanges(before: unknown, after: unknown): LeafChange[] {
  const [old, next] = [leavesOf(before), leavesOf(after)];
  return [...new Set([...old.keys(), ...next.keys()])]
    .map((path) => ({ path, before: old.get(path) ?? null, after: next.get(path) ?? null }))
    .filter((change) => change.before !== change.after);
}

function leavesOf(value: unknown): Map<string, string> {
  const leaves = new Map<string, string>();
  collect(value, "", leaves);
  return leaves;
}

function collect(value: unknown, path: string, leaves: Map<string, string>): void {
  const inner = isRaw(value) ? null : entriesOf(value, path);
  if (inner === null || inner.length === 0) {
    if (value !== undefined && !(value === null && path === "")) leaves.set(path, JSON.stringify(value));
    return;
  }
  for (const [at, each] of inner) collect(each, at, leaves);
}

function entriesOf(value: unknown, path: string): [string, unknown][] | null {
  if (Array.isArray(value)) return value.map((each, at) => [`${path}[${at}]`, each]);
  if (typeof value !== "object" || value === null) return null;
  return Object.entries(value).map(([name, each]) => [path === "" ? step(name) : join(path, name), each]);
}

function join(path: string, name: string): string {
  const named = step(name);
  return named.startsWith("[") ? `${path}${named}` : `${path}.${named}`;
}

function step(name: string): string {
  return /^[\w-]+$/.test(name) ? name : `[${JSON.stringify(name)}]`;
}
