import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wholeLength } from "./textBoundary.ts";

/** Pieces of text no part of which may be shown without the rest. */
const UNITS = [
  "a",
  "\n",
  "é",
  "╷",
  "🚀",
  "\u001b[0m",
  "\u001b[1;38;5;196m",
  "\u001b]8;;https://example.com/é\u0007",
  "\u001b]0;title\u001b\\",
  "\u001b(B",
  "\u001bM",
];

describe("where a log may be cut", () => {
  it.each(UNITS)("holds back every beginning of %j, and nothing of the whole", (unit) => {
    const bytes = Buffer.from(unit);
    expect(wholeLength(Buffer.concat([Buffer.from("ok"), bytes]))).toBe(2 + bytes.length);
    for (let length = 1; length < bytes.length; length++) {
      expect(wholeLength(Buffer.concat([Buffer.from("ok"), bytes.subarray(0, length)]))).toBe(2);
    }
  });

  it("gives whole pieces only, and all of the text, wherever it is cut on the way", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...UNITS)), fc.array(fc.integer({ min: 1, max: 9 })), (units, steps) => {
        const text = Buffer.from(units.join(""));
        const ends = new Set(units.map((_, place) => Buffer.byteLength(units.slice(0, place + 1).join(""))));
        let shown = 0;
        let read = 0;
        for (const step of [...steps, text.length]) {
          read = Math.min(text.length, read + step);
          const whole = wholeLength(text.subarray(shown, read));
          shown += whole;
          if (whole > 0) expect(ends.has(shown)).toBe(true);
        }
        expect(shown).toBe(text.length);
      }),
    );
  });

  it("lets bytes pass that are no UTF-8, and a sequence that never ends", () => {
    expect(wholeLength(Buffer.from([0x61, 0xff]))).toBe(2);
    expect(wholeLength(Buffer.from([0x80, 0x80, 0x80, 0x80]))).toBe(4);
    const endless = Buffer.from(`\u001b]${"x".repeat(600)}`);
    expect(endless.length - wholeLength(endless)).toBeLessThanOrEqual(512);
    expect(wholeLength(Buffer.from("\u001b]unfinished\nnext line"))).toBe(22);
  });
});
