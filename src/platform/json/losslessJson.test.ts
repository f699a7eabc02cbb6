import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { digitsOf, parseLossless } from "./losslessJson.ts";

/** Numbers as an engine writes them: digits, a point and more digits. */
const engineNumber = fc
  .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 40n }), fc.stringMatching(/^[0-9]{0,39}[1-9]$/), fc.boolean())
  .map(([minus, whole, part, isWhole]) => `${minus && whole > 0n ? "-" : ""}${whole}${isWhole ? "" : `.${part}`}`);

describe("a number keeps its digits", () => {
  it.each([
    "9223372036854773263",
    "-9223372036854773263",
    "0.1234567890123456789",
    "0.00000012345",
    "1000000000000000000000",
    "123456789012345",
    "1e400",
    "1E5",
    "0",
    "-0",
    "1.50",
    "[1,2,  0.30000000000000004]",
    '{"__proto__":{"constructor":12345678901234567890}}',
    '{"text":"12345678901234567890","list":[12345678901234567890]}',
  ])("%s", (text) => expect(JSON.stringify(parseLossless(text))).toBe(text.replaceAll(/ {2}| (?=0)/g, "")));

  test("whatever it is and wherever it stands", () => {
    fc.assert(
      fc.property(
        fc.array(engineNumber, { maxLength: 5 }),
        fc.constantFrom("a", "__proto__", "constructor"),
        (numbers, key) => {
          const text = `{${JSON.stringify(key)}:[${numbers.join(",")}],"z":${numbers[0] ?? 1}}`;
          const read = parseLossless(text) as { z: unknown };
          expect(JSON.stringify(read)).toContain(`[${numbers.join(",")}]`);
          expect(digitsOf(read.z)).toBe(numbers[0] ?? "1");
        },
      ),
    );
  });
});

test("documents without such numbers are read as always, and what is no JSON is refused", () => {
  expect(parseLossless('{"a":[1,2.5,true,null,"x"]}')).toEqual({ a: [1, 2.5, true, null, "x"] });
  expect(() => parseLossless("{")).toThrow(SyntaxError);
  expect([digitsOf(1.5), digitsOf("1"), digitsOf(null)]).toEqual(["1.5", null, null]);
});
