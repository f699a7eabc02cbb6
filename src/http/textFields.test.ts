import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { InvalidValueError } from "../platform/problems/requestErrors.ts";
import { displayName, mapOf } from "./textFields.ts";
import { validated } from "./validated.ts";

const Body = v.strictObject({ selector: v.pipe(mapOf(v.string(), v.string()), v.maxEntries(3)) });

describe("mapOf", () => {
  it("gives free keys back as they were sent", () => {
    const sent = JSON.parse('{"selector": {"env": "prod", "toString": "x", "hasOwnProperty": "y"}}');
    expect(validated(Body, sent)).toEqual(sent);
  });

  // Left out, they would make a selector of nothing else match every stack.
  it.each(["__proto__", "prototype", "constructor"])("refuses the key %s instead of dropping it", (key) => {
    const sent = JSON.parse(`{"selector": {"${key}": "x"}}`);
    expect(() => validated(Body, sent)).toThrow(InvalidValueError);
    try {
      validated(Body, sent);
    } catch (error) {
      const { errors } = error as InvalidValueError;
      expect(errors).toEqual([
        { field: "selector", message: "must not have __proto__, prototype or constructor as a key" },
      ]);
    }
  });

  it.each(["[]", '["a"]', "null", '"a"', "1"])("refuses %s", (text) => {
    expect(() => validated(Body, { selector: JSON.parse(text) })).toThrow(InvalidValueError);
  });
});

describe("displayName", () => {
  const accepts = (name: string) => v.safeParse(displayName(20), name).success;

  it.each(["Net prod", "Ünïcode", "山田", "👩\u200d🚀", "می\u200cخواهم", "a'b\"c"])("takes %j", (name) =>
    expect(accepts(name)).toBe(true),
  );

  it.each([
    "",
    " a",
    "a ",
    "a\nb",
    "a\u0000",
    "\u202eadmin",
    "admin\u200b",
    "ad\u2060min",
    "\ufeffadmin",
    "x".repeat(21),
  ])("refuses %j", (name) => expect(accepts(name)).toBe(false));
});
