/** Which outputs are other than they were. Pure. */
import type { ReportedOutput } from "../runs/outputs.ts";

type Values = readonly Pick<ReportedOutput, "name" | "value">[];

/** Names of those with another value, and of those that came or went; null where either side is unknown. */
export function changedOutputs(before: Values | null, after: Values | null): string[] | null {
  if (before === null || after === null) return null;
  const values = new Map(before.map(({ name, value }) => [name, value]));
  const still = new Set(after.map(({ name }) => name));
  const gone = before.filter(({ name }) => !still.has(name));
  return [...after.filter(({ name, value }) => values.get(name) !== value), ...gone].map(({ name }) => name);
}
