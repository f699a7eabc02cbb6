import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { displayName } from "./textFields.ts";

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
