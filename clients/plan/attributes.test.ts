import { expect, test } from "vitest";
import { attributesOf, isChanged } from "./attributes.ts";
import type { PlanChange } from "./change.ts";
import { parseExact } from "./exactJson.ts";

const change = (before: unknown, after: unknown, more: Partial<PlanChange> = {}): PlanChange => ({
  kind: "resource",
  address: "a.b",
  type: "a",
  provider: "p",
  action: "change",
  actions: ["update"],
  before,
  after,
  ...more,
});
const read = (each: PlanChange) =>
  attributesOf(each)
    .filter(isChanged)
    .map(({ sign, path, before, after }) => [sign, path, before, after]);

test("what differs is found where it is, and what stays is counted as one", () => {
  const before = { name: "web", tags: { a: "1", "b.c": "2" }, ingress: [{ port: 22, cidr: ["10.0.0.0/8"] }] };
  const after = { name: "web", tags: { a: "1", "b.c": "3" }, ingress: [{ port: 22, cidr: ["0.0.0.0/0"] }] };
  expect(read(change(before, after))).toEqual([
    ["~", "ingress[0].cidr", ["10.0.0.0/8"], ["0.0.0.0/0"]],
    ["~", 'tags["b.c"]', "2", "3"],
  ]);
  expect(
    attributesOf(change(before, after))
      .filter((each) => each.sign === "=")
      .map(({ path }) => path),
  ).toEqual(["ingress[0].port", "name", "tags.a"]);
});

test("an item that goes from the front of a list is one that goes, not a change of all behind it", () => {
  const rules = (...ports: number[]) => ({ rule: ports.map((port) => ({ port, to: `n${port}` })) });
  expect(read(change(rules(1, 2, 3), rules(2, 3)))).toEqual([
    ["-", "rule[0].port", 1, undefined],
    ["-", "rule[0].to", "n1", undefined],
  ]);
  expect(read(change(rules(1, 3), rules(1, 2, 3)))).toEqual([
    ["+", "rule[1].port", undefined, 2],
    ["+", "rule[1].to", undefined, "n2"],
  ]);
});

test("what comes into being shows what it is given, and not what stays empty", () => {
  const made = change(null, { id: "(known after apply)", input: null, tags: {}, nested: { on: false } });
  expect(read(made)).toEqual([
    ["+", "id", undefined, "(known after apply)"],
    ["+", "nested.on", undefined, false],
    ["+", "tags", undefined, {}],
  ]);
  expect(read(change({ id: "x" }, null))).toEqual([["-", "id", "x", undefined]]);
});

test("what forces a replacement is marked, above and below where the engine points", () => {
  const forcing = (paths: PlanChange["replace_paths"] & object) =>
    attributesOf(change({ a: { b: 1 }, c: 1 }, { a: { b: 2 }, c: 2 }, { replace_paths: paths }))
      .filter(({ forces }) => forces)
      .map(({ path }) => path);
  expect(forcing([["a"]])).toEqual(["a.b"]);
  expect(forcing([["a", "b", 0]])).toEqual(["a.b"]);
  expect(forcing([["c"]])).toEqual(["c"]);
});

test("a sensitive value that becomes another is a change, though both sides say the same", () => {
  const sides = { login: { password: "(sensitive value)", user: "u" }, other: "(sensitive value)" };
  expect(read(change(sides, sides))).toEqual([]);
  const found = attributesOf(change(sides, sides, { hidden_changes: [["login", "password"]] })).filter(isChanged);
  expect(found).toMatchObject([{ sign: "~", path: "login.password", hidden: true }]);
  expect(attributesOf(change("(sensitive value)", "(sensitive value)", { hidden_changes: [[]] }))).toMatchObject([
    { sign: "~", path: "", hidden: true },
  ]);
});

test("numbers are compared by all their digits, and names are only names", () => {
  const value = (digits: string) => parseExact(`{"n": ${digits}, "__proto__": {"constructor": ${digits}}}`);
  expect(
    attributesOf(change(value("9223372036854775807"), value("9223372036854775806"))).filter(isChanged),
  ).toHaveLength(2);
  expect(attributesOf(change(value("9223372036854775807"), value("9223372036854775807"))).filter(isChanged)).toEqual(
    [],
  );
});
