/** One line of a configuration file, told apart into what the engine reads and a line comment behind it. */
export interface SourceLine {
  /** What stands outside comments; whitespace alone for a blank line and for one that is all comment. */
  code: string;
  /** The text behind `#` or `//`, without the marker; null when the line has no such comment. */
  comment: string | null;
}

const HEREDOC = /<<-?([\p{ID_Start}_][\p{ID_Continue}-]*)\s*$/uy;

/**
 * Follows the engine's language from line to line, as far as it takes to know a comment from a `#` inside a string, a
 * heredoc or a block comment. Every character is looked at a bounded number of times, whatever the text is.
 */
export class SourceLines {
  /** What is open: a quoted string, or an interpolation with the number of braces open inside it. */
  readonly #open: Array<"string" | number> = [];
  #heredoc: string | null = null;
  #inBlockComment = false;

  /** @param line without its line end */
  next(line: string): SourceLine {
    if (this.#heredoc !== null) {
      if (line.trim() === this.#heredoc) this.#heredoc = null;
      // Never blank: what follows a directive is this line, and it is no block.
      return { code: "<<", comment: null };
    }
    let code = "";
    let from = 0;
    let at = 0;
    while (at < line.length) {
      if (this.#inBlockComment) {
        const end = line.indexOf("*/", at);
        if (end === -1) return this.#endOfLine({ code, comment: null });
        this.#inBlockComment = false;
        at = from = end + 2;
      } else if (this.#open.at(-1) === "string") {
        at += this.#insideString(line, at);
      } else if (line[at] === "#" || line.startsWith("//", at)) {
        const marker = line[at] === "#" ? 1 : 2;
        return this.#endOfLine({ code: code + line.slice(from, at), comment: line.slice(at + marker) });
      } else if (line.startsWith("/*", at)) {
        code += `${line.slice(from, at)} `;
        this.#inBlockComment = true;
        at = from = at + 2;
      } else {
        this.#insideCode(line, at);
        at += 1;
      }
    }
    return this.#endOfLine({ code: code + line.slice(from), comment: null });
  }

  /** @returns how many characters were taken */
  #insideString(line: string, at: number): number {
    const character = line[at];
    const escaped = line.startsWith("$${", at) || line.startsWith("%%{", at);
    if (escaped) return 3;
    if (character === "\\") return 2;
    if (character === '"') this.#open.pop();
    else if ((character === "$" || character === "%") && line[at + 1] === "{") {
      this.#open.push(0);
      return 2;
    }
    return 1;
  }

  #insideCode(line: string, at: number): void {
    const character = line[at];
    const depth = this.#open.at(-1);
    if (character === '"') this.#open.push("string");
    else if (character === "{" && typeof depth === "number") this.#open[this.#open.length - 1] = depth + 1;
    else if (character === "}" && depth === 0) this.#open.pop();
    else if (character === "}" && typeof depth === "number") this.#open[this.#open.length - 1] = depth - 1;
    else if (character === "<" && line[at + 1] === "<") {
      HEREDOC.lastIndex = at;
      this.#heredoc = HEREDOC.exec(line)?.[1] ?? null;
    }
  }

  /** A quoted string ends with its line at the latest. */
  #endOfLine(line: SourceLine): SourceLine {
    if (this.#open.at(-1) === "string") this.#open.pop();
    return line;
  }
}

const MAX_HEADER_CHARACTERS = 4_096;
const LABEL = String.raw`(?:"([^"]*)"|([^\s"{]+))`;
const HEADER = new RegExp(String.raw`^\s*(?:(resource|data)\s+${LABEL}\s+${LABEL}|module\s+${LABEL})\s*\{`);

/** The address of the resource, data or module block that begins on a line, or null. */
export function blockAddress(code: string): string | null {
  const match = HEADER.exec(code.slice(0, MAX_HEADER_CHARACTERS));
  if (match === null) return null;
  const [, kind, type, bareType, name, bareName, module, bareModule] = match;
  if (kind === undefined) return `module.${module ?? bareModule}`;
  return `${kind === "data" ? "data." : ""}${type ?? bareType}.${name ?? bareName}`;
}
