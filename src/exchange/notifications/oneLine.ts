/** Texts of others in a message: a line each, and never a long one. Pure. */
import { oneLine } from "../../platform/text/oneLine.ts";

const LONGEST = 300;

/** Not escaped: each form does that in its own way. */
export function onOneLine(value: unknown): string {
  const text = oneLine(String(value ?? ""));
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1).replace(/[\ud800-\udbff]$/, "")}…` : text;
}
