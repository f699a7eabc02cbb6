/** What stands at a place of a text, by each of the ways in which engines write a sign. One character is one byte. */
export interface Reading {
  /** The bytes that are meant; empty for what only lays the text out. */
  means: string;
  next: number;
}

/** As many backslashes as one gets by being escaped eight times. */
const MAX_RUN = 256;
const NAMED: Record<string, string> = { n: " ", r: " ", t: " ", v: " ", f: " ", a: "\x07", b: "\b", e: "\x1b", "0": "\0" };
const ENTITY = /&(?:lt|gt|amp|quot|apos|#\d{1,4}|#x[0-9a-f]{1,4});/iy;
const ENTITIES: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
const PERCENT = /%(?:25){0,2}([0-9a-f]{2})/iy;
const HEX = /(?:u([0-9a-f]{4})|U([0-9a-f]{8})|x([0-9a-f]{2}))/iy;
const LOW_HALF = /\\+u(d[c-f][0-9a-f]{2})/iy;
/** What engines put at the beginning of a line: a box, a mark of a difference, the resource whose program speaks. */
const MARGIN = /(?:[^\n]{1,300}? \((?:local|remote)-exec\): |[ \t]*(?:\xe2\x94\x82|\xe2\x95[\xb7\xb5]|[|+~-])? ?)[ \t]*/y;

export const isBlank = (byte: number) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

/** Whether more than the byte itself may be meant here. */
export const isSpecial = (byte: number) =>
  byte === 0x5c || byte === 0x25 || byte === 0x26 || byte === 0x2b || isBlank(byte);

/** All readings at `at`. `open` is set where the text ends too early to say. */
export function readings(text: string, at: number): { all: Reading[]; open: boolean } {
  const byte = text.charCodeAt(at);
  const all: Reading[] = [{ means: isBlank(byte) ? " " : text.charAt(at), next: at + 1 }];
  let open = false;
  if (byte === 0x5c) open = escapes(text, at, all);
  else if (byte === 0x2b) all.push({ means: " ", next: at + 1 });
  else if (byte === 0x25) {
    const [whole, hex] = match(PERCENT, text, at);
    if (whole !== undefined && hex !== undefined) all.push({ means: byteOf(hex), next: at + whole.length });
    // The longest is %252541.
    open = text.length - at < 7 && /^%[0-9a-f]*$/i.test(text.slice(at));
  } else if (byte === 0x26) {
    const [whole] = match(ENTITY, text, at);
    if (whole !== undefined) all.push({ means: entity(whole.slice(1, -1)), next: at + whole.length });
    open = text.length - at < 8 && /^&[#\w]*$/.test(text.slice(at));
  } else if (byte === 0x0a) {
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
  let next = at + 1;
  while (text.charCodeAt(next) === 0x5c && next - at < MAX_RUN) next += 1;
  if (next === text.length) return true;
  all[0] = { means: "\\", next };
  const meant = escaped(text, next);
  if (meant === null) return text.length - next < 20 && /^u[0-9a-f]*(?:\\+(?:u[0-9a-f]*)?)?$|^[Ux][0-9a-f]*$/i.test(text.slice(next));
  all.push(meant);
  if (next - at > 1) all.push({ means: `\\${meant.means}`, next: meant.next });
  // The second half of a pair may follow.
  return /^u(?:d[89ab])[0-9a-f]{2}(?:\\+(?:u[0-9a-f]{0,3})?)?$/i.test(text.slice(next, next + 300));
}

function escaped(text: string, at: number): Reading | null {
  const [whole, short, long, octet] = match(HEX, text, at);
  if (whole !== undefined) {
    let point = Number.parseInt(short ?? long ?? octet ?? "0", 16);
    let next = at + whole.length;
    const [pair, low] = point >= 0xd800 && point < 0xdc00 ? match(LOW_HALF, text, next) : [];
    if (pair !== undefined && low !== undefined) {
      point = 0x10000 + ((point - 0xd800) << 10) + (Number.parseInt(low, 16) - 0xdc00);
      next += pair.length;
    }
    return { means: bytesOf(point), next };
  }
  const sign = text.charAt(at);
  if (/[uUx]/.test(sign)) return null;
  return { means: NAMED[sign] ?? (isBlank(text.charCodeAt(at)) ? " " : sign), next: at + 1 };
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
