import { isUnfinished, sequenceLength } from "./terminalSequences.ts";

/** What stands at a place of a text, by each of the ways in which engines write a sign. One character is one byte. */
export interface Reading {
  /** The bytes that are meant; empty for what only lays the text out. */
  means: string;
  next: number;
}

const NAMED: Record<string, string> = {
  n: " ",
  r: " ",
  t: " ",
  v: " ",
  f: " ",
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  "0": "\0",
};
/** Backslash and ampersand may be escaped themselves, by another notation. */
const BACKSLASHES = /(?:\\|%(?:25){0,4}5c){1,256}/iy;
const ENTITY = /(?:&|%(?:25){0,4}26|\\{1,256}u0026)(?:amp;){0,4}(lt|gt|amp|quot|apos|#\d{1,4}|#x[0-9a-f]{1,4});/iy;
const AMPERSAND = /(?:&|%(?:25){0,4}26|\\{1,256}u0026)amp;/iy;
const UNFINISHED_ENTITY = /^(?:&[#;\w]*|\\{1,256}(?:u0{0,2}(?:2|26[#;\w]*)?)?|%(?:25)*(?:2(?:6[#;\w]*)?)?)$/i;
const ENTITIES: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
const PERCENT = /%(?:[0-9a-f]{2}){1,5}/iy;
const HEX = /(?:u([0-9a-f]{4})|U([0-9a-f]{8})|x([0-9a-f]{2}))/iy;
const LOW_HALF = /(?:\\|%(?:25){0,4}5c){1,256}u(d[c-f][0-9a-f]{2})/iy;
/** What engines put at the beginning of a line: a box, a mark of a difference, the resource whose program speaks. */
const MARGIN =
  /(?:[^\n]{1,300}? \((?:local|remote)-exec\): |[ \t]*(?:\xe2\x94\x82|\xe2\x95[\xb7\xb5]|[|+~-])? ?)[ \t]*/y;

/** A code as bash writes it in `$'...'`. */
const OCTAL = /[0-7]{1,3}/y;
/** How a plain shell writes apostrophes within apostrophes (`set`, `export -p`). */
const SHELL_APOSTROPHES = /'"'{1,256}"'/y;
const UNFINISHED_APOSTROPHES = /^'(?:"'*"?|\$)?$/;
/** Between the parts of a name that `ls` and `xargs` quote: `'two  words'$'\t''secret'`. */
const QUOTES_BETWEEN = /'\$?'/y;

const isBlank = (byte: number) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

/** Where something may begin that a terminal carries out instead of showing it. */
const isControl = (byte: number) => (byte < 0x20 && byte !== 0x09 && byte !== 0x0a) || byte === 0x7f || byte === 0xc2;

/** Whether more than the byte itself may be meant here. */
export const isSpecial = (byte: number) =>
  byte === 0x5c || byte === 0x25 || byte === 0x26 || byte === 0x2b || byte === 0x27 || isBlank(byte) || isControl(byte);

/** All readings at `at`. `open` is set where the text ends too early to say. */
export function readings(text: string, at: number): { all: Reading[]; open: boolean } {
  const byte = text.charCodeAt(at);
  const all: Reading[] = [{ means: isBlank(byte) ? " " : text.charAt(at), next: at + 1 }];
  let open = false;
  if (byte === 0x5c || byte === 0x25) open = escapes(text, at, all);
  if (byte === 0x25) {
    const [whole = ""] = match(PERCENT, text, at);
    for (const { means, length } of octets(whole)) all.push({ means, next: at + length });
    // The longest is %2525252541.
    open ||= text.length - at < 11 && /^%[0-9a-f]*$/i.test(text.slice(at));
  }
  if (byte === 0x26 || byte === 0x25 || byte === 0x5c) {
    const [whole, name] = match(ENTITY, text, at);
    if (whole !== undefined && name !== undefined) {
      const next = at + whole.length;
      all.push({ means: entity(name), next });
      if (whole.startsWith("\\\\")) all.push({ means: `\\${entity(name)}`, next });
    }
    const [once] = match(AMPERSAND, text, at);
    if (once !== undefined) all.push({ means: "&", next: at + once.length });
    open ||= text.length - at < 300 && UNFINISHED_ENTITY.test(text.slice(at));
  }
  if (byte === 0x27) {
    const [whole] = match(SHELL_APOSTROPHES, text, at);
    if (whole !== undefined) all.push({ means: "'", next: at + whole.length });
    const [between] = match(QUOTES_BETWEEN, text, at);
    if (between !== undefined) all.push({ means: "", next: at + between.length });
    open ||= text.length - at < 260 && UNFINISHED_APOSTROPHES.test(text.slice(at));
  }
  if (byte === 0x2b) all.push({ means: " ", next: at + 1 });
  if (isControl(byte)) {
    // A program that colors a part of a word, or a terminal that was moved inside it.
    const length = sequenceLength(text, at);
    if (length > 0) all.push({ means: "", next: at + length });
    open ||= isUnfinished(text, at);
  }
  if (byte === 0x0a) {
    const [margin] = match(MARGIN, text, at + 1);
    const next = at + 1 + (margin?.length ?? 0);
    if (next > at + 1) all.push({ means: " ", next });
    // A line broken inside a word.
    all.push({ means: "", next });
    open = text.indexOf("\n", at + 1) === -1 && text.length - at < 400;
  }
  return { all, open };
}

function escapes(text: string, at: number, all: Reading[]): boolean {
  const [run = ""] = match(BACKSLASHES, text, at);
  if (run === "") return false;
  const next = at + run.length;
  const byItself = { means: "\\", next };
  if (text.charCodeAt(at) === 0x5c) all[0] = byItself;
  else all.push(byItself);
  if (next >= text.length) return true;
  const meant = escaped(text, next);
  if (meant.length === 0)
    return text.length - next < 20 && /^u[0-9a-f]*(?:\\+(?:u[0-9a-f]*)?)?$|^[Ux][0-9a-f]*$/i.test(text.slice(next));
  const severalSigns = run !== "\\";
  for (const one of meant) {
    all.push(one);
    if (one.means === " ") all.push({ means: "", next: one.next });
    if (severalSigns) all.push({ means: `\\${one.means}`, next: one.next });
  }
  // More of the run, or the second half of a pair, may follow.
  const rest = text.slice(next, next + 300);
  return (
    /^u(?:d[89ab])[0-9a-f]{2}(?:(?:\\|%(?:25)*(?:2|5c?)?)*(?:u[0-9a-f]{0,3})?)?$/i.test(rest) ||
    /^(?:%[0-9a-f]{0,9}|&[#;\w]*|[0-7]{1,2})$/i.test(rest)
  );
}

/** `%41`, and every prefix of `%252541` that means a sign. */
function octets(whole: string): { means: string; length: number }[] {
  const found: { means: string; length: number }[] = [];
  for (let at = 1; at + 2 <= whole.length; at += 2) {
    const hex = whole.slice(at, at + 2);
    const length = at + 2;
    found.push({ means: byteOf(hex), length });
    // A line broken inside a word, and a blank that was written as a plus.
    if (/^0[ad]$/i.test(hex)) found.push({ means: "", length });
    if (/^2b$/i.test(hex)) found.push({ means: " ", length });
    if (hex !== "25") break;
  }
  return found;
}

/** What follows backslashes, by the ways there are to read it. */
function escaped(text: string, at: number): Reading[] {
  const [whole, short, long, octet] = match(HEX, text, at);
  if (whole !== undefined) {
    let point = Number.parseInt(short ?? long ?? octet ?? "0", 16);
    let next = at + whole.length;
    const [pair, low] = point >= 0xd800 && point < 0xdc00 ? match(LOW_HALF, text, next) : [];
    if (pair !== undefined && low !== undefined) {
      point = 0x10000 + ((point - 0xd800) << 10) + (Number.parseInt(low, 16) - 0xdc00);
      next += pair.length;
    }
    return [{ means: bytesOf(point), next }];
  }
  const [written, name] = match(ENTITY, text, at);
  if (written !== undefined && name !== undefined) return [{ means: entity(name), next: at + written.length }];
  const encoded = octets(match(PERCENT, text, at)[0] ?? "");
  if (encoded.length > 0) return encoded.map(({ means, length }) => ({ means, next: at + length }));
  const sign = text.charAt(at);
  if (/[uUx]/.test(sign)) return [];
  const read = [{ means: NAMED[sign] ?? (isBlank(text.charCodeAt(at)) ? " " : sign), next: at + 1 }];
  const [digits] = match(OCTAL, text, at);
  if (digits === undefined) return read;
  const code = Number.parseInt(digits, 8) & 0xff;
  return [...read, { means: isBlank(code) ? " " : String.fromCharCode(code), next: at + digits.length }];
}

function match(pattern: RegExp, text: string, at: number): (string | undefined)[] {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? [];
}

function entity(name: string): string {
  const known = ENTITIES[name.toLowerCase()];
  if (known !== undefined) return known;
  const hex = /^#x/i.test(name);
  return bytesOf(Number.parseInt(name.slice(hex ? 2 : 1), hex ? 16 : 10));
}

function byteOf(hex: string): string {
  const byte = Number.parseInt(hex, 16);
  return isBlank(byte) ? " " : String.fromCharCode(byte);
}

function bytesOf(point: number): string {
  if (isBlank(point)) return " ";
  return Buffer.from(String.fromCodePoint(Math.min(point, 0x10ffff)), "utf8").toString("latin1");
}
