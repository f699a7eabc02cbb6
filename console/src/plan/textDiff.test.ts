import { expect, test } from "vitest";
import { diffOf } from "./textDiff.ts";

const marked = (before: unknown, after: unknown) => diffOf(before, after)?.map(({ sign, text }) => `${sign} ${text}`);

test("of a text of many lines, those that differ and some around them", () => {
  const lines = Array.from({ length: 20 }, (_, at) => `line ${at}`);
  const changed = lines.with(10, "other");
  expect(marked(lines.join("\n"), changed.join("\n"))).toEqual([
    "… 7 lines that stay",
    "  line 7",
    "  line 8",
    "  line 9",
    "- line 10",
    "+ other",
    "  line 11",
    "  line 12",
    "  line 13",
    "… 6 lines that stay",
  ]);
});

test("a document inside of a text is compared as one, with its digits", () => {
  const policy = (action: string) => `{"Statement":[{"Action":"${action}","n":9223372036854773263}]}`;
  expect(marked(policy("get"), policy("*"))).toEqual(
    expect.arrayContaining(['-       "Action": "get",', '+       "Action": "*",', '        "n": 9223372036854773263']),
  );
});

test("lists show which items come and go; short values are better side by side", () => {
  expect(marked(["a", "b", "c"], ["a", "c", "d"])).toEqual(['  "a"', '- "b"', '  "c"', '+ "d"']);
  expect(diffOf(["a"], ["b"])).toBeNull();
  expect(diffOf("short", "other")).toBeNull();
  expect(diffOf(1, 2)).toBeNull();
  expect(diffOf({ a: 1, b: 2 }, "(known after apply)")).toBeNull();
});
