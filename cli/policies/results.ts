/** What policies said, for people to read. Pure. */
import type { PolicyResult } from "../service/types.ts";
import { cleaned } from "../terminal/clean.ts";

/** A line for each thing that each policy said. */
export function resultText(results: readonly PolicyResult[]): string {
  return results
    .flatMap((result) => [headOf(result), ...linesOf(result).map((line) => `  ${line}`)])
    .map((line) => `${cleaned(line)}\n`)
    .join("");
}

function headOf({ name, version, enforcement, exemption }: PolicyResult): string {
  const exempt = exemption === null ? "" : `, exempt until ${exemption.ends_at} (${exemption.reason})`;
  return `${name} version ${version}, ${enforcement}${exempt}`;
}

function linesOf({ deny, warn, approvals, error, until }: PolicyResult): string[] {
  const lines = [
    ...(error === null ? [] : [`not evaluated  ${error}`]),
    ...deny.map((text) => `deny  ${text}`),
    ...warn.map((text) => `warn  ${text}`),
    ...approvals.map(({ count, from, reason }) => `${count} approvals  ${from.join(", ") || "of anybody"}  ${reason}`),
    ...(until === null ? [] : [`looks again  ${until}`]),
  ];
  return lines.length === 0 ? ["nothing against it"] : lines;
}
