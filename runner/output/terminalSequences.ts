/**
 * What a terminal carries out instead of showing it, one character for one byte: sequences that begin with an escape
 * or with its single sign (two bytes in UTF-8), and control characters. One grammar for whoever looks through them
 * and for whoever takes them out, so that both see the same text in between.
 */

/** Colors and weights of letters: the one kind of sequence that moves, sets and asks nothing. */
const STYLE = String.raw`\x1b\[[0-9;:]{0,64}m`;
const CONTROL_BEGIN = String.raw`(?:\x1b\[|\xc2\x9b)[0-?]{0,64}[ -/]{0,8}`;
/** Titles, links, images, the clipboard: text for the terminal itself, of one line and with an end. */
const STRING_BEGIN = String.raw`(?:\x1b[\]PX^_k]|\xc2[\x90\x98\x9d-\x9f])(?:(?!\xc2\x9c)[^\x07\x1b\n\r\x18\x1a]){0,1024}`;
const ESCAPE_BEGIN = String.raw`\x1b[ -/]{0,8}`;
/** Half of such a single sign goes too: with what follows a sequence that is taken out it could become a whole one. */
const CONTROL = String.raw`[\x00-\x08\x0b-\x1f\x7f]|\xc2(?:[\x80-\x9f]|(?![\x80-\xbf]))`;

const FIRSTS = String.raw`[\x00-\x08\x0b-\x1f\x7f\xc2]`;

/** What is cut off in the middle counts as far as it goes. The first that fits is the right one. */
const SEQUENCES = [
  STYLE,
  `${CONTROL_BEGIN}[@-~]?`,
  String.raw`${STRING_BEGIN}(?:\x07|\x1b\\|\xc2\x9c|[\x18\x1a])?`,
  `${ESCAPE_BEGIN}[0-~]?`,
  CONTROL,
].join("|");

/** Everything but text, line feeds and tabs. */
export const SEQUENCE = new RegExp(SEQUENCES, "g");
/** A text without any of these is nothing else. */
export const ANY_SEQUENCE = new RegExp(FIRSTS);
/** The same for text that was decoded: every control character but line feed and tab. */
export const ANY_CONTROL = /[^\P{Cc}\n\t]/u;

const HERE = new RegExp(SEQUENCES, "y");
const UNFINISHED = new RegExp(String.raw`(?:${CONTROL_BEGIN}|${STRING_BEGIN}|${ESCAPE_BEGIN}|\xc2)$`, "y");
const EXTENDED = new Set([38, 48, 58]);
/** Slow and rapid blinking, and what is concealed. */
const HIDING = new Set([5, 6, 8]);
const MOST_STYLE = 107;
const ONLY_STYLE = new RegExp(`^${STYLE}$`);
const STYLES = new RegExp(STYLE, "g");

/** How many bytes of a sequence are at this place; 0: none is. */
export function sequenceLength(text: string, at: number): number {
  HERE.lastIndex = at;
  return HERE.exec(text)?.[0].length ?? 0;
}

/** Whether more text could make something longer of the sequence at this place. */
export function isUnfinished(text: string, at: number): boolean {
  UNFINISHED.lastIndex = at;
  return UNFINISHED.test(text);
}

/** Whether it colors or weighs letters; one that hides them, or lets them blink, does something else. */
export function isStyle(sequence: string): boolean {
  if (!ONLY_STYLE.test(sequence)) return false;
  const parameters = sequence.slice(2, -1).split(";");
  for (let i = 0; i < parameters.length; i++) {
    const [first = "", ...parts] = (parameters[i] as string).split(":");
    const parameter = Number(first);
    // A color of many: 5 and its number, or 2 and three parts; behind colons they are within the parameter.
    if (EXTENDED.has(parameter)) i += parts.length > 0 ? 0 : parameters[i + 1] === "5" ? 2 : 4;
    else if (parameter > MOST_STYLE || HIDING.has(parameter)) return false;
  }
  return true;
}

export function withoutStyles(text: string): string {
  return text.replace(STYLES, "");
}
