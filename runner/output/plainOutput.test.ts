import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PlainOutput, plainText } from "./plainOutput.ts";
import { secretForms } from "./secretForms.ts";
import { shownStream } from "./shownStream.ts";

/** Text as people read it, with line ends, tabs, colors and weights. */
const COLOR = `${String.fromCharCode(27)}\\[[0-9;:]*m`;
const ALLOWED = new RegExp(`^(?:\\P{Cc}|[\\n\\t]|${COLOR})*$`, "u");
const COLORS = new RegExp(COLOR, "g");

/** What programs do to a terminal, whole and in parts. */
const sequence = fc.oneof(
  fc.constantFrom(
    ...["\x1b[31m", "\x1b[0m", "\x1b[1;38:2::255:0:0m", "\x1b[2J", "\x1b[10;20H", "\x1b[?25l", "\x1b[6n", "\x1b[0 q"],
    ...["\x1b]0;title\x07", "\x1b]8;;https://evil.test\x1b\\", "\x1b]52;c;ZXZpbA==\x07", "\x1bP1$r0m\x1b\\"],
    ...["\x1b_apc\x1b\\", "\x1b^pm\x1b\\", "\x1bktitle\x1b\\", "\x1bc", "\x1b(B", "\x1b7", "\x1b[>4;2m", "\x1b[?4m"],
    ...["\u009b2J", "\u009d0;title\u009c", "\u0090q\u009c", "\u0085", "\x07", "\b\b", "\x7f", "\0", "\x0e"],
    ...["\r", "\r\n", "\r\r\n", "\v", "\f", "\x1b", "\x1b[", "\x1b[3", "\x1b]", "\x1b]0;", "\x1bP", "\u009b"],
  ),
  fc.string({ unit: fc.constantFrom("\x1b", "[", "]", "3", ";", "m", "J", "\\", "\x07", "\r", "\n", "é", " ") }),
);
const bytes = fc
  .array(
    fc.oneof(
      fc.string({ unit: "grapheme" }).map((text) => Buffer.from(text)),
      sequence.map((text) => Buffer.from(text)),
      fc.constantFrom(...["c2", "9b", "c29b", "80", "e2", "ff"].map((hex) => Buffer.from(hex, "hex"))),
    ),
    { maxLength: 30 },
  )
  .map((parts) => Buffer.concat(parts));
const cuts = fc.array(fc.nat(200), { maxLength: 8 });

function pieces(whole: Buffer, at: number[]): Buffer[] {
  const ends = [...at.map((each) => each % (whole.length + 1)), whole.length].sort((a, b) => a - b);
  return ends.map((end, index) => whole.subarray(index === 0 ? 0 : ends[index - 1], end));
}

function plain(parts: Buffer[]): string {
  const output = new PlainOutput();
  return Buffer.concat([...parts.map((part) => output.push(part)), output.end()]).toString("utf8");
}

function shown(secrets: string[], parts: Buffer[], escapes: "styles" | "raw" = "styles"): string {
  const written: Buffer[] = [];
  const stream = shownStream(secretForms(secrets), escapes, (part) => void written.push(part));
  for (const part of parts) stream.write(part);
  stream.end();
  return Buffer.concat(written).toString("utf8");
}

describe("output", () => {
  test("has nothing but text, line ends, tabs and colors, however it is cut", () => {
    fc.assert(
      fc.property(bytes, cuts, (whole, at) => {
        const text = plain(pieces(whole, at));
        expect(text).toMatch(ALLOWED);
        expect(text).toBe(plain([whole]));
      }),
      { numRuns: 2_000 },
    );
  });

  test("keeps text as it is", () => {
    const text = fc.string({ unit: "grapheme" }).filter((each) => !/[^\P{Cc}\n\t]/u.test(each));
    fc.assert(fc.property(text, cuts, (each, at) => plain(pieces(Buffer.from(each), at)) === each));
  });

  test("shows no secret that has something between each two of its signs", () => {
    const secret = "s3cret-of-a-run";
    fc.assert(
      fc.property(fc.array(sequence, { minLength: 14, maxLength: 14 }), cuts, bytes, (between, at, before) => {
        const signs = [...secret].map((sign, index) => sign + (index < 14 ? between[index] : ""));
        const whole = Buffer.concat([before, Buffer.from(`\n${signs.join("")}\n`)]);
        const text = shown([secret], pieces(whole, at));
        expect(text).toMatch(ALLOWED);
        expect(text.replace(COLORS, "")).not.toContain(secret);
      }),
      { numRuns: 500 },
    );
  });
});

test.each<[string, string, string]>([
  ["colors stay", "\x1b[1;31mError\x1b[0m", "\x1b[1;31mError\x1b[0m"],
  ["colors of many stay", "\x1b[38;5;8ma\x1b[48;2;5;6;200mb\x1b[m", "\x1b[38;5;8ma\x1b[48;2;5;6;200mb\x1b[m"],
  ["what hides goes", "a\x1b[8mb\x1b[1;8mc\x1b[5md\x1b[6me\x1b[38;5;8;8mf", "abcdef"],
  ["what no terminal knows goes", "a\x1b[999999999999mb", "ab"],
  ["a title, a link's address and the clipboard go", "\x1b]0;x\x07a\x1b]8;;http://e\x1b\\b\x1b]52;c;eA==\x07c", "abc"],
  ["the cursor stays where it is", "a\x1b[2J\x1b[3;4Hb\x1b[Kc", "abc"],
  ["their single signs too", "a\u009b2Jb\u009d0;x\u009cc", "abc"],
  ["a return begins a new line, so that nothing is written over", "bad\rfine\n", "bad\nfine\n"],
  ["with its line end it is one line end", "a\r\nb\r\r\nc\r\x1b[K\nd", "a\nb\nc\nd"],
  ["at the beginning of a line it is nothing", "\ra\n\rb", "a\nb"],
  ["progress stays to be read", "10%\r20%\r\x1b[K30%", "10%\n20%\n30%"],
  ["what never ends hides no more than its line", "\x1b]0;never\nnext", "\nnext"],
  ["signs back are no signs", "ab\b\bcd\x07", "abcd"],
])("%s", (_, text, expected) => {
  expect(plainText(text)).toBe(expected);
  expect(plain([...Buffer.from(text)].map((byte) => Buffer.from([byte])))).toBe(expected);
});

test("what is taken out joins no halves of a sign", () => {
  expect(plain([Buffer.from("c21b5b4b9b324a", "hex")])).toMatch(ALLOWED);
});

test("raw output keeps everything but its secrets", () => {
  const text = "\x1b[2Jone s3c\x1b[Kret-value\x07";
  expect(shown(["s3cret-value"], [Buffer.from(text)], "raw")).toBe("\x1b[2Jone ***\x07");
});
