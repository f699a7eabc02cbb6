/** Lines as a terminal shows them: colours across lines, what was overwritten, and nothing that moves the cursor. */
import { ansiToJson } from "anser";

export type Span = { text: string; look: Look };
/** Names of the classes that show it; empty for plain text. */
export type Look = string;

const ESCAPE = 0x1b;
const decoder = new TextDecoder();
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what terminals are told by
const COLOURS = /\u001b\[([0-9;:]*)m/g;
const NO_COLOURS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all sequences but those of colours, and control characters
  /\u001b(?:\[[0-?]*[ -/]*[@-ln-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[PX^_][^\u001b]*\u001b\\|[ -/]*[0-Z\\^-~])|[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f]/g;
const RESET = /(?:^|;)0*$/;
/** Programs that never reset would make it longer with each line. */
const LONGEST_STATE = 64;

/** The sequences in force after a line that began with `state`. */
export function stateAfter(state: string, line: Uint8Array): string {
  const last = line.lastIndexOf(ESCAPE);
  if (isReset(line, last)) return "";
  let now = state;
  for (const [, parameters = ""] of decoder.decode(line).matchAll(COLOURS)) {
    now = RESET.test(parameters) ? "" : now === "" ? parameters : `${now};${parameters}`;
    if (now.length > LONGEST_STATE) now = parameters;
  }
  return now;
}

/** `ESC [ m` or `ESC [ 0 m`, which is how nearly every coloured line ends. */
function isReset(line: Uint8Array, at: number): boolean {
  if (at === -1 || line[at + 1] !== 0x5b) return false;
  return line[at + 2] === 0x6d || (line[at + 2] === 0x30 && line[at + 3] === 0x6d);
}

/** The text of a line without anything a terminal acts on. */
export function plainText(bytes: Uint8Array): string {
  return shownPart(decoder.decode(bytes)).replace(NO_COLOURS, "").replace(COLOURS, "");
}

/** The same of many lines at once; their ends stay. */
export function plainLines(text: string): string {
  return text.replace(NO_COLOURS, "").replace(COLOURS, "");
}

export function spansOf(bytes: Uint8Array, state: string): Span[] {
  const text = shownPart(decoder.decode(bytes)).replace(NO_COLOURS, "");
  if (state === "" && !text.includes("\u001b")) return text === "" ? [] : [{ text, look: "" }];
  const coloured = state === "" ? text : `\u001b[${state}m${text}`;
  return ansiToJson(coloured, { use_classes: true, remove_empty: true })
    .map(({ content, fg, bg, decorations }) => ({
      text: content,
      look: [fg, bg && `${bg}-bg`, ...decorations].filter(Boolean).join(" "),
    }))
    .filter((span) => span.text !== "");
}

/** A carriage return begins the line anew: of a progress bar the last state is what one sees. */
function shownPart(text: string): string {
  if (!text.includes("\r")) return text;
  return text.split("\r").findLast((part) => part !== "") ?? "";
}
