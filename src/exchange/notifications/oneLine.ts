/** Text of others on one line, as long as a message bears it. Pure. */

const LONGEST = 300;

/** Those that are not seen, or turn what is seen round: fillers, joiners, selectors, tags, marks of annotations. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/gu;

/** Not escaped: each form does that in its own way. */
export function onOneLine(value: unknown): string {
  const text = String(value ?? "")
    .toWellFormed()
    .replace(UNSEEN, "")
    .replace(/\s+/g, " ")
    .replace(/\p{Cc}/gu, "");
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1).replace(/[\ud800-\udbff]$/, "")}…` : text;
}
