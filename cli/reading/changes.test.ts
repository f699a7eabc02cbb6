import pico from "picocolors";
import { describe, expect, test } from "vitest";
import type { Change } from "../service/types.ts";
import { parseExact } from "./exactJson.ts";
import { leafChanges } from "./leafChanges.ts";
import { BRIEF, renderChanges, summaryText } from "./renderChanges.ts";

const plain = pico.createColors(false);
const change = (action: Change["action"], address: string, before: unknown = null, after: unknown = null): Change => ({
  kind: "resource",
  address,
  type: "t",
  provider: "p",
  action,
  actions: [],
  before,
  after,
});

test("every digit and every name is kept", () => {
  const text = '{"n":9223372036854773263,"f":0.1234567890123456789,"small":1e2,"__proto__":1,"list":[1,2.50]}';
  expect(JSON.stringify(parseExact(text))).toBe(text);
  expect(leafChanges(parseExact('{"n":9223372036854773263}'), parseExact('{"n":9223372036854773264}'))).toEqual([
    { path: "n", before: "9223372036854773263", after: "9223372036854773264" },
  ]);
});

describe("attributes", () => {
  test.each([
    [{ a: 1 }, { a: 2 }, [["a", "1", "2"]]],
    [
      { a: { b: [1, 2] } },
      { a: { b: [1, 3, 4] } },
      [
        ["a.b[1]", "2", "3"],
        ["a.b[2]", null, "4"],
      ],
    ],
    [null, { a: "x" }, [["a", null, '"x"']]],
    [{ "a b": { c: 1 } }, { "a b": { c: null } }, [['["a b"].c', "1", "null"]]],
    [
      { a: [] },
      { a: [1] },
      [
        ["a", "[]", null],
        ["a[0]", null, "1"],
      ],
    ],
    ["old", "new", [["", '"old"', '"new"']]],
    [{ a: 1 }, { a: 1 }, []],
  ])("%j -> %j", (before, after, expected) => {
    expect(leafChanges(before, after).map(({ path, ...each }) => [path, each.before, each.after])).toEqual(expected);
  });
});

test("what destroys stands first; signs and words say what colours say", () => {
  const text = renderChanges(
    [
      change("add", "a.new"),
      change("change", "a.group", { open: "10.0.0.0/8" }, { open: "0.0.0.0/0" }),
      change("destroy", "a.old"),
      change("replace", "a.db", { v: 1 }, { v: 2 }),
    ],
    plain,
    BRIEF,
  );
  expect(
    text
      .split("\n")
      .filter((line) => /^ {0,2}\S/.test(line))
      .map((line) => line.trim()),
  ).toEqual(["- destroy a.old", "-/+ replace a.db", "~ change  a.group", "+ add     a.new"]);
  expect(text).toContain('open: "10.0.0.0/8" -> "0.0.0.0/0"');
});

test("a hostile name writes nothing over, and many are counted", () => {
  const many = Array.from({ length: 100 }, (_, n) => change("add", `a.b["${n}\u001b[2J\u001b]0;x\u0007"]`));
  const text = renderChanges(many, plain, BRIEF);
  expect(text).not.toContain("\u001b");
  expect(text).toContain("... and 40 more");
});

test("a summary counts, and says when it cannot", () => {
  const none = { add: 0, change: 0, destroy: 0, replace: 0, import: 0, forget: 0, move: 0 };
  expect(summaryText({ has_changes: true, counts: { ...none, add: 3, destroy: 1 }, gaps: [] })).toBe(
    "1 to destroy, 3 to add",
  );
  expect(summaryText({ has_changes: false, counts: none, gaps: [] })).toBe("No changes");
  expect(summaryText({ has_changes: true, counts: null, gaps: ["x"] })).toBe(
    "There are changes, and they could not be counted; not everything could be measured",
  );
});
