import pico from "picocolors";
import { expect, test } from "vitest";
import { parseExact } from "../../clients/plan/exactJson.ts";
import type { Change } from "../service/types.ts";
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
const many = (name: string, count: number) => Array.from({ length: count }, (_, n) => [`${name}${n}`, n]);

test("every digit is shown", () => {
  const [before, after] = ['{"n": 9223372036854773263}', '{"n": 9223372036854773264}'].map(parseExact);
  const text = renderChanges([change("change", "a.b", before, after)], plain, BRIEF);
  expect(text).toContain("n: 9223372036854773263 -> 9223372036854773264\n");
});

test("what is hidden and differs, what forces a replacement, and why are said", () => {
  const secret = { password: "(sensitive value)", size: 1, ...Object.fromEntries(many("tag", 20)) };
  const marks = { reason: "replace_because_cannot_update", replace_paths: [["size"]], hidden_changes: [["password"]] };
  const after = { ...secret, size: 2, ...Object.fromEntries(many("other", 20)) };
  const text = renderChanges([{ ...change("replace", "a.db", secret, after), ...marks } as Change], plain, BRIEF);
  expect(text).toContain("a.db (it cannot be changed in place)\n              size: 1 -> 2  # forces replacement\n");
  expect(text).toContain("... and 10 more attributes");
  const changed = renderChanges(
    [{ ...change("change", "a.b", secret, secret), hidden_changes: [["password"]] } as Change],
    plain,
    BRIEF,
  );
  expect(changed).toContain('password: "(sensitive value)" -> "(sensitive value)"  # another one');
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
  expect(summaryText({ has_changes: true, counts: none, gaps: [] })).toBe("Only outputs change");
  expect(summaryText({ has_changes: true, counts: null, gaps: ["x"] })).toBe(
    "There are changes, and they could not be counted; not everything could be measured",
  );
});
