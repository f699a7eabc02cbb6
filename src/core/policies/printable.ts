/** Texts of policies, of plans they name and of their compiler. Pure. */
import { oneLine } from "../../platform/text/oneLine.ts";

/** One line, at most so long; looked at no further than that. */
export function printable(text: string, longest: number): string {
  return oneLine(text.slice(0, longest));
}
