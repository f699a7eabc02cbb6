import fc from "fast-check";
import { expect, test } from "vitest";
import { Cleaner, cleaned } from "./clean.ts";

test.each([
  ["plain\ttext\n", "plain\ttext\n"],
  ["\u001b[1;31mred\u001b[0m", "red"],
  ["a\u001b]0;title\u0007b", "ab"],
  ["a\u001b]52;c;ZXZpbA==\u001b\\b", "ab"],
  ["a\u001b[2Jb\u001b[1;1Hc", "abc"],
  ["over\rwritten", "overwritten"],
  ["a\u0008\u0008b\u007f\u009b31m", "ab31m"],
  ["ends with half \u001b[3", "ends with half "],
  ["good\u202edab", "gooddab"],
])("%j is shown as %j", (text, shown) => {
  expect(cleaned(text)).toBe(shown);
});

test("colours stay where they are wanted, also when cut in two", () => {
  const cleaner = new Cleaner(true);
  expect(["a\u001b", "[3", "1mred", "\u001b[0m\u001b", "[2J."].map((piece) => cleaner.take(piece)).join("")).toBe(
    "a\u001b[31mred\u001b[0m.",
  );
});

test("however it is cut, no other control character is left", () => {
  const unit = fc.constantFrom(..."\u001b[]0;1mHJ\u0007\u009b\\abP \r\n");
  const isControl = (letter: string) => /\p{Cc}/u.test(letter) && letter !== "\n" && letter !== "\t";
  fc.assert(
    fc.property(fc.array(fc.string({ unit, maxLength: 12 })), fc.boolean(), (pieces, colors) => {
      const cleaner = new Cleaner(colors);
      const shown = pieces.map((piece) => cleaner.take(piece)).join("");
      // biome-ignore lint/suspicious/noControlCharactersInRegex: a colour begins with one
      const plain = colors ? shown.split(/\u001b\[[0-9;:]*m/).join("") : shown;
      expect([...plain].filter(isControl)).toEqual([]);
    }),
  );
});
