/** Text of others on one line, as long as a message bears it. Pure. */

const LONGEST = 300;

/** Control characters, and those that are not seen or turn what is seen round. */
const UNSEEN = /[\p{Cc}\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;

/** Not escaped: each form does that in its own way. */
export function onOneLine(value: unknown): string {
  const text = String(value ?? "")
    .toWellFormed()
    .replace(/\s+/g, " ")
    .replace(UNSEEN, "");
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1).replace(/[\ud800-\udbff]$/, "")}…` : text;
}
