/**
 * A comment that could not be understood: the message of its error entry. It stands for the whole comment
 * (docs/rules/graph.md#malformed-comments-are-ignored-whole).
 */
export class MalformedComment extends Error {
  override name = "MalformedComment";
}

/** The most characters of a field of a comment, and of what a template in it gives. */
export const MAX_FIELD_CHARACTERS = 512;
/** All fields at their longest, every character of them escaped, fit in with room to spare. */
const MAX_COMMENT_CHARACTERS = 16_384;

const NAMES = ["svc:dependency", "svc:resource-identity-realm", "svc:resource-identity"] as const;
export type DirectiveName = (typeof NAMES)[number];

/** `svc:dependency: key=value ...`, its fields not yet looked at. */
export interface Directive {
  name: DirectiveName;
  fields: Map<string, string>;
}

/** Whether a comment is meant to be a directive; prose that only mentions one is none. */
export function directiveName(comment: string): DirectiveName | null {
  const text = comment.trimStart();
  return NAMES.find((name) => text.startsWith(name) && !/^[A-Za-z0-9_-]/.test(text.slice(name.length))) ?? null;
}

/**
 * The fields of a directive: `key=value`, bare or in double quotes. A second comment marker ends it, except inside
 * quotes.
 * @param comment the text behind the comment's first marker
 * @throws MalformedComment
 */
export function parseDirective(name: DirectiveName, comment: string): Directive {
  const text = comment.trimStart().slice(name.length);
  if (!text.startsWith(":")) throw new MalformedComment(`${name} must be followed by a colon`);
  if (text.length > MAX_COMMENT_CHARACTERS) {
    throw new MalformedComment(`the comment is longer than ${MAX_COMMENT_CHARACTERS} characters`);
  }
  return { name, fields: parseFields(text.slice(1)) };
}

const BLANK = /\s*/y;
const KEY = /([a-z_]{1,64})=/y;
const BARE = /[^\s#/]*(?:\/(?!\/)[^\s#/]*)*/y;
const QUOTED = /"((?:[^"\\]|\\.)*)"/suy;

function parseFields(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  while (true) {
    const before = at;
    take(BLANK);
    if (at === text.length || isMarker(text, at)) return fields;
    if (fields.size > 0 && at === before) throw new MalformedComment("fields must be separated by spaces");
    const key = take(KEY)?.[1];
    if (key === undefined) throw new MalformedComment(`expected key=value at ${quoted(text.slice(at, at + 40))}`);
    if (fields.has(key)) throw new MalformedComment(`${key} is given twice`);
    fields.set(key, text[at] === '"' ? quotedValue(key, take(QUOTED)) : (take(BARE)?.[0] ?? ""));
    const { length } = fields.get(key) ?? "";
    if (length === 0) throw new MalformedComment(`${key} is empty`);
    if (length > MAX_FIELD_CHARACTERS) {
      throw new MalformedComment(`${key} is longer than ${MAX_FIELD_CHARACTERS} characters`);
    }
  }
}

/** `\"` and `\\` are a quote and a backslash; any other backslash stays, so that expressions need no doubling. */
function quotedValue(key: string, match: RegExpExecArray | null): string {
  if (match === null) throw new MalformedComment(`the quotes of ${key} are not closed`);
  return (match[1] ?? "").replace(/\\(["\\])/g, "$1");
}

function isMarker(text: string, at: number): boolean {
  return text[at] === "#" || text.startsWith("//", at);
}

/** A text of the comment inside a message: one line, and never long. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
