/**
 * Text of others on its way to a terminal. A plan may print what a pull request wrote, and a terminal obeys more than
 * colours: titles, clipboards, moved lines. Only line ends, tabs and colours pass.
 */
const ESC = "\u001b";
/** Longer ones are nobody's colours. */
const LONGEST_SEQUENCE = 64;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/** Turns what is read round: a line could read as another one. */
const DIRECTIONS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with one
const COLOR = /^\u001b\[[0-9;:]*m/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same
const OTHER = /^\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -/]*[0-Z\\^-~])/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: what may still become a sequence
const BEGUN = /^\u001b(?:$|\[[0-?]*[ -/]*$|[\]PX^_][^\u0007\u001b]*\u001b?$|[ -/]+$)/;

/** For text that comes in pieces: a sequence may lie across two of them. */
export class Cleaner {
  readonly #colors: boolean;
  #rest = "";

  constructor(colors: boolean) {
    this.#colors = colors;
  }

  take(piece: string): string {
    let text = this.#rest + piece;
    this.#rest = "";
    let clean = "";
    while (text !== "") {
      const at = text.indexOf(ESC);
      clean += withoutControls(at === -1 ? text : text.slice(0, at));
      if (at === -1) break;
      text = text.slice(at);
      const color = COLOR.exec(text)?.[0];
      const sequence = color ?? OTHER.exec(text)?.[0];
      if (sequence === undefined && BEGUN.test(text) && text.length < LONGEST_SEQUENCE) {
        this.#rest = text;
        break;
      }
      if (color !== undefined && this.#colors) clean += color;
      text = text.slice(sequence?.length ?? 1);
    }
    return clean;
  }
}

/** A short text by itself: a name, a message, a value. */
export function cleaned(text: string): string {
  return new Cleaner(false).take(text);
}

function withoutControls(text: string): string {
  return text.replace(CONTROLS, "").replace(DIRECTIONS, "");
}
