/** Base64 at an odd offset must be long enough not to hit ordinary text. */
const MIN_DIGITS = 8;

/** Base64 of the value, of JSON with it inside, of both in two bytes a sign, and of its base64; in both alphabets. */
export function base64Forms(value: string): Buffer[] {
  const json = JSON.stringify(value).slice(1, -1);
  const html = json.replace(/[<>&\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const once = [...new Set([value, json, html])].flatMap((text) => digitsOf(Buffer.from(text, "utf8")));
  const wide = digitsOf(Buffer.from(value, "utf16le"));
  const twice = digitsOf(Buffer.from(value, "utf8")).flatMap((text) => digitsOf(Buffer.from(text, "latin1")));
  const texts = [...once, ...wide, ...twice];
  return [...new Set(texts.flatMap((text) => [text, text.replaceAll("+", "-").replaceAll("/", "_")]))].map((text) =>
    Buffer.from(text, "latin1"),
  );
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
