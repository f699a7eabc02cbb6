import { expect, test } from "vitest";
import { digitsOf, exactText, parseExact } from "./exactJson.ts";

test.each(["9223372036854773263", "0.1234567890123456789", "1e21", "1.0", "-0", "0.00000012345", "5", "-12.5"])(
  "the number %s keeps its digits wherever it stands",
  (digits) => {
    for (const text of [digits, `{"a": ${digits}}`, `[${digits}]`, `{"a": [1, {"b": ${digits}}]}`]) {
      expect(exactText(parseExact(text))).toBe(text);
    }
  },
);

test("texts that look like numbers, and names of any kind, stay what they are", () => {
  const text =
    '{"__proto__": {"constructor": "1e21"}, "a\\"b": "x: 9223372036854773263, 1.0", "n": 9223372036854773263}';
  const value = parseExact(text) as Record<string, unknown>;
  expect(exactText(value)).toBe(text);
  expect(digitsOf(Object.getOwnPropertyDescriptor(value, "__proto__")?.value)).toBeNull();
  expect(digitsOf(value.n)).toBe("9223372036854773263");
});

test("a long text with many escapes is no trouble", () => {
  const long = JSON.stringify({ text: '\\"'.repeat(400_000), n: 0 }).replace('"n":0', '"n":1e400');
  expect(digitsOf((parseExact(long) as { n: unknown }).n)).toBe("1e400");
});

test("laid out a value a line", () => {
  expect(exactText({ a: [1, { b: {} }], c: [] }, 2)).toBe(
    '{\n  "a": [\n    1,\n    {\n      "b": {}\n    }\n  ],\n  "c": []\n}',
  );
});
