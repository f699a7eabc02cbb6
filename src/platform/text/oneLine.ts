/** Texts of others, as people read them: in mails, chats, comments, tables and terminals. Pure. */

/** Those that are not seen, or turn what is seen round: fillers, joiners, selectors, tags, marks of annotations. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]/gu;

/** One line without what is not seen, or what a terminal would take for a command. Escaped for no form. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(UNSEEN, "")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
}
