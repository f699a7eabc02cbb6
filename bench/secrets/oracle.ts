/** Whether somebody who reads a text could have the secret out of it. Knows what the encodings mean, not the masker. */

const DEPTH = 4;
/** So few signs say nothing of a secret. */
const LEAST = 6;

/** What is left of a text when everything that only lays it out is gone. */
function bare(text: string): string {
  return text
    .replace(/^(?:.{1,200}? \((?:local|remote)-exec\): |[ \t]*[│╷╵+~-]? ?)[ \t]*/gm, "")
    .replace(/[\s\\"'$%+]+/g, "");
}

export function shows(text: string, secret: string): boolean {
  return findsIn(text, DEPTH)(secret);
}

/** Whether these bytes stand there as they are, however they are laid out; they need be no text. */
export function showsBytes(text: Buffer, bytes: Buffer): boolean {
  return findsIn(text.toString("latin1"), 0)(bytes.toString("latin1").replace(/\n$/, ""));
}

/** Reads a text once, for many secrets. */
export function findsIn(text: string, depth: number): (secret: string) => boolean {
  const texts = new Set([text]);
  let layer = [text];
  for (let at = 0; at < depth; at += 1) {
    layer = [...new Set(layer.flatMap(decodings))].filter((each) => !texts.has(each));
    for (const each of layer) texts.add(each);
  }
  const plain = new Set([...texts].map(bare));
  return (secret) => {
    const parts = new Set([secret, ...secret.split(/\r?\n/)].map(bare));
    return [...parts].some((part) => part.length >= LEAST && [...plain].some((each) => each.includes(part)));
  };
}

function decodings(text: string): string[] {
  const joined = text.replace(/\n[\s│+~-]*/g, "");
  return [
    unescaped(text),
    octalDecoded(text),
    percentDecoded(text),
    htmlDecoded(text),
    ...base64In(text),
    ...base64In(joined),
  ].filter((each) => each !== text && each !== "");
}

function unescaped(text: string): string {
  return text.replace(/\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|U([0-9a-f]{8})|([\s\S]))/gi, (_, four, two, eight, sign) => {
    const hex = four ?? two ?? eight;
    if (hex !== undefined) {
      const point = Number.parseInt(hex, 16);
      return point > 0x10ffff ? "" : point > 0xffff ? String.fromCodePoint(point) : String.fromCharCode(point);
    }
    return { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f", a: "\x07" }[sign as string] ?? sign;
  });
}

/** Bytes by their codes, as bash writes them. */
function octalDecoded(text: string): string {
  const bytes = text.replace(/(?:\\[0-7]{3})+/g, (run) =>
    Buffer.from(
      run
        .slice(1)
        .split("\\")
        .map((digits) => Number.parseInt(digits, 8) & 0xff),
    ).toString("utf8"),
  );
  return unescaped(bytes);
}

function percentDecoded(text: string): string {
  const octets = text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll("%", ""), "hex").toString());
  return octets;
}

function htmlDecoded(text: string): string {
  return text.replace(
    /&(lt|gt|amp|#34|#39);/g,
    (_, name: string) => ({ lt: "<", gt: ">", amp: "&", "#34": '"', "#39": "'" })[name] ?? "",
  );
}

function base64In(text: string): string[] {
  const found: string[] = [];
  for (const [run] of text.matchAll(/[A-Za-z0-9+/_-]{8,}/g)) {
    // What stands before may have been cut off anywhere.
    for (const skip of [0, 1, 2, 3]) found.push(Buffer.from(run.slice(skip), "base64").toString("utf8"));
  }
  return found.length === 0 ? [] : [found.join("\n")];
}
