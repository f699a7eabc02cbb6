/** One grammar of label keys: what a runner group may be labelled with, a stack can select. */
import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { labelKey } from "./fields.ts";

const ofGroup = labelKey({ systemKeys: false });
const ofStack = labelKey({ systemKeys: true });
const PREFIXES = ["svc:runner-group:", "svc:group:"];

const first = "ABCxyz019";
const rest = `${first}._/:-`;
const key = fc
  .tuple(fc.constantFrom(...first), fc.string({ unit: fc.constantFrom(...rest), maxLength: 127 }))
  .map((parts) => parts.join(""));

describe("a label key", () => {
  it("of a group can be selected by a stack, whatever it is", () => {
    fc.assert(
      fc.property(key, (text) => {
        const allowed = v.is(ofGroup, text);
        expect(allowed).toBe(!text.startsWith("svc:"));
        expect(v.is(ofStack, text)).toBe(allowed);
        for (const prefix of PREFIXES) expect(v.is(ofStack, prefix + text)).toBe(allowed);
      }),
    );
  });

  it.each(["a:b", "x".repeat(128), "team/a:b.c-d_e"])("%s", (text) => {
    expect([v.is(ofGroup, text), v.is(ofStack, `svc:runner-group:${text}`)]).toEqual([true, true]);
  });

  it.each(["svc:", "svc:runner-group:", "svc:other:x", "svc:runner-group:svc:x", "svc:runner-group: x", "", "a b"])(
    "never %j",
    (text) => {
      expect([v.is(ofGroup, text), v.is(ofStack, text)]).toEqual([false, false]);
    },
  );

  it.each(PREFIXES)("of a group does not begin with %s", (prefix) => {
    expect(v.is(ofGroup, `${prefix}a`)).toBe(false);
  });
});
