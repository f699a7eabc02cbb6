import { expect, test } from "vitest";
import { parseLossless } from "../../src/platform/json/losslessJson.ts";
import { formsOf } from "./engineForms.ts";
import { maskText } from "./masking.ts";
import { collectSensitive } from "./sensitiveValues.ts";

function shown(text: string, value: unknown, marks: unknown = true): string {
  const texts = new Set<string>();
  collectSensitive(value, marks, texts);
  return maskText(text, formsOf(texts));
}

test("a text is hidden as it is, quoted as JSON does and as the engine does, and line by line", () => {
  const secret = 'a "quoted"\tpart\u0001\u200b é';
  expect(shown(secret, secret)).toBe("***");
  expect(shown(JSON.stringify(secret), secret)).toBe('"***"');
  expect(shown('x = "a \\"quoted\\"\\tpart\\x01\\u200b é"', secret)).toBe('x = "***"');
  const key = "-----BEGIN-----\n  indented line\nlast line\n-----END-----\n";
  expect(shown("<<-EOT\n    -----BEGIN-----\n      indented line\n    last line\n    -----END-----", key)).toBe(
    "<<-EOT\n    ***\n      ***\n    ***\n    ***",
  );
});

test("the parts of a JSON document are hidden by themselves, also of one inside another, and numbers with them", () => {
  const inner = JSON.stringify({ password: "innermost" });
  const document = JSON.stringify({ user: { name: "somebody" }, list: [1234567, inner] });
  expect(shown('{ password = "innermost", name = "somebody", n = 1234567 }', document)).toBe(
    '{ password = "***", name = "***", n = *** }',
  );
  expect(shown("{ not a document", "{ not a document")).toBe("***");
});

test("a name that ls and xargs quote part by part is hidden", () => {
  for (const [secret, quoted] of [
    ["two  words\tsecret", "'two  words'$'\\t''secret'"],
    ["it's\ta name", "'it'\\''s'$'\\t''a name'"],
    ["é and\nmore", "''$'\\303\\251'' and'$'\\n''more'"],
  ] as const) {
    expect(shown(`ls: cannot access ${quoted}: no`, secret)).toMatch(/^ls: cannot access [$']*\*\*\*[$']*: no$/);
  }
});

test("numbers are hidden with all their digits, short values and what is not marked are not hidden", () => {
  const numbers = parseLossless("[-1234567, 98765432109876543210, 123456789.123456789123, 0.00000012345]");
  expect(shown("-1234567 98765432109876543210 123456789.123456789123 0.00000012345", numbers)).toBe("-*** *** *** ***");
  expect(shown("abc 12345", ["abc", 12345])).toBe("abc 12345");
  expect(shown("hidden-one visible-one", { a: "hidden-one", b: "visible-one" }, { a: true })).toBe("*** visible-one");
});

test("none of ten thousand secrets is shown, and the time for them does not hang on their number", () => {
  const secrets = Array.from({ length: 10_000 }, (_, index) => `password-${index}-${"x".repeat(index % 7)}`);
  const text = `${secrets.join("\n")}\n${"resource that is nobody's secret\n".repeat(100_000)}`;
  const started = performance.now();
  const hidden = shown(text, { secrets }, { secrets: true });
  expect(hidden.startsWith("***\n".repeat(10_000))).toBe(true);
  expect(hidden).not.toContain("password-");
  // By looking for each of them in turn it takes a minute.
  expect(performance.now() - started).toBeLessThan(10_000);
});

test("a text inside JSON inside an output is hidden, and a number in every notation", () => {
  const secret = 'Zx"9-quote-77';
  expect(shown(`login = "{\\"login\\":${JSON.stringify(JSON.stringify(secret)).slice(1, -1)}}"`, secret)).not.toContain(
    "77",
  );
  expect(shown('login = "Zx\\\\u003c9\\\\u003e-end"', "Zx<9>-end")).toBe('login = "***"');
  const numbers = parseLossless("[0.00000012345, 123456789.123456789123]");
  expect(shown("1.2345e-07 1.2345e-7 0.00000012345 1.23456789123456789123e+08", numbers)).toBe("*** *** *** ***");
});
