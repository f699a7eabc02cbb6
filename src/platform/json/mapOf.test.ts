import { glob, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import * as v from "valibot";
import { describe, expect, it, test } from "vitest";
import { mapOf, ownMember } from "./mapOf.ts";

const Body = v.strictObject({ selector: v.pipe(mapOf(v.string(), v.string()), v.maxEntries(3)) });

describe("mapOf", () => {
  it.each(["env", "toString", "hasOwnProperty", "constructor", "prototype", "__proto__"])("keeps the key %s", (key) => {
    const sent = JSON.parse(`{"selector": {"${key}": "x"}}`);
    expect(JSON.stringify(v.parse(Body, sent))).toBe(JSON.stringify(sent));
  });

  it.each(["[]", '["a"]', "null", '"a"', "1", '{"constructor": 1}', '{"a": "b", "c": "d", "e": "f", "g": "h"}'])(
    "refuses %s",
    (text) => expect(v.safeParse(Body, { selector: JSON.parse(text) }).success).toBe(false),
  );

  it("says which key and which value it does not take", () => {
    const schema = mapOf(v.pipe(v.string(), v.maxLength(12)), v.object({ a: v.string() }));
    const { issues } = v.safeParse(schema, JSON.parse('{"__proto__": {"a": 1}, "much too long a key": {"a": "b"}}'));
    expect(issues?.map((issue) => v.getDotPath(issue))).toEqual(["__proto__.a", "much too long a key"]);
  });
});

test("what an object only inherits is no member of it", () => {
  expect(ownMember({}, "constructor")).toBeUndefined();
  expect(ownMember(JSON.parse('{"__proto__": 1}'), "__proto__")).toBe(1);
});

test("no schema reads a map of free keys by valibot's own record, which drops three of them", async () => {
  const root = fileURLToPath(new URL("../../../", import.meta.url));
  const own: string[] = [];
  for await (const file of glob("{src,runner,activities,workflows}/**/*.ts", { cwd: root })) {
    if (/\bv\.record\(/.test(await readFile(`${root}${file}`, "utf8"))) own.push(file);
  }
  expect(own.filter((file) => !file.endsWith(".test.ts"))).toEqual(["src/platform/json/mapOf.ts"]);
});
