/** Base64 at an odd offset must be long enough not to hit ordinary text. */
const MIN_DIGITS = 8;

/** Base64 of the value, of JSON with it inside, of both in two bytes a sign, and of its base64; in both alphabets. */
export function base64Forms(value: string): Buffer[] {
  const once = [...escapedTwice(value)].flatMap((text) => digitsOf(Buffer.from(text, "utf8")));
  const wide = digitsOf(Buffer.from(value, "utf16le"));
  const twice = digitsOf(Buffer.from(value, "utf8")).flatMap((text) => digitsOf(Buffer.from(text, "latin1")));
  return inBothAlphabets([...once, ...wide, ...twice]);
}

/** Base64 of bytes that need be no text. */
export function base64OfBytes(bytes: Buffer): Buffer[] {
  return inBothAlphabets(digitsOf(bytes));
}

function inBothAlphabets(texts: readonly string[]): Buffer[] {
  return [...new Set(texts.flatMap((text) => [text, text.replaceAll("+", "-").replaceAll("/", "_")]))].map((text) =>
    Buffer.from(text, "latin1"),
  );
}

/** A value this long is looked for as it is, and escaped once. */
const MAX_TWICE = 16_384;
const BEYOND_ASCII = /[^\x20-\x7e]/g;
const unicodeEscape = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
const json = (value: string) => JSON.stringify(value).slice(1, -1);
const ENTITIES: Record<string, string> = { "<": "lt", ">": "gt", "&": "amp", '"': "#34", "'": "#39" };
/** Inside base64 nothing can be read sign by sign, so there each way of escaping is a text of its own. */
const ESCAPINGS: readonly ((value: string) => string)[] = [
  json,
  (value) => json(value).replace(/[<>&\u2028\u2029]/g, unicodeEscape),
  (value) =>
    json(value)
      .replace(/[<>&\u2028\u2029]/g, unicodeEscape)
      .replace(BEYOND_ASCII, unicodeEscape),
  (value) => json(value).replace(/[$%](?=\{)/g, "$&$&"),
  (value) => encodeURIComponent(value.toWellFormed()),
  (value) => new URLSearchParams({ "": value }).toString().slice(1),
  (value) => value.replaceAll("'", "''"),
  (value) => value.replace(/[<>&"']/g, (sign) => `&${ENTITIES[sign]};`),
];

function escapedTwice(value: string): Set<string> {
  const texts = new Set([value]);
  for (const text of value.length <= MAX_TWICE ? [value, ...ESCAPINGS.map((one) => one(value))] : [value])
    for (const escaping of ESCAPINGS) texts.add(escaping(text));
  return texts;
}

/** By itself, and inside a longer text, where the first and last digits mix with the neighbours' bits. */
function digitsOf(value: Buffer): string[] {
  const whole = value.toString("base64");
  const texts = [whole, whole.replace(/=+$/, "")];
  for (const offset of [0, 1, 2]) {
    const shifted = Buffer.concat([Buffer.alloc(offset), value]).toString("base64");
    const core = shifted.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + value.length) * 8) / 6));
    if (core.length >= MIN_DIGITS) texts.push(core);
  }
  return texts;
}
