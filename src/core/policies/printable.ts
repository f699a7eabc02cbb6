/** Texts of policies and their compiler, which people read in terminals. Pure. */

/** One line, at most so long, without what a terminal would take for a command. */
export function printable(text: string, longest: number): string {
  return text
    .slice(0, longest)
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ")
    .trim()
    .toWellFormed();
}
