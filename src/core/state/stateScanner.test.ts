import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { StateScanner } from "./stateScanner.ts";

function scan(text: string, pieces = 1_000): ReturnType<StateScanner["facts"]> {
  const scanner = new StateScanner();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieces) scanner.push(bytes.subarray(at, at + pieces));
  return scanner.facts();
}

const instance = {
  attributes: { mode: "managed", serial: 9, lineage: 'a "quoted\\" one', list: [{ mode: "managed" }] },
};
const STATE = {
  version: 4,
  terraform_version: "1.11.4",
  serial: 12,
  lineage: "8f0b0f4e-2a1c-4a55-9d2f-6f2d7a0c3a11",
  outputs: { resources: { value: [{ mode: "managed" }], type: "string" } },
  resources: [
    { mode: "managed", type: "a", name: "x", instances: [instance, instance] },
    { mode: "data", type: "b", name: "y", instances: [instance] },
    { module: "module.m", mode: "managed", type: "a", name: "z", instances: [] },
  ],
  check_results: null,
};
const FACTS = { serial: 12, lineage: STATE.lineage, engineVersion: "1.11.4", resources: 2 };

describe("a state", () => {
  test.each([1, 2, 3, 7, 64, 100_000])("in pieces of %i bytes", (pieces) => {
    expect(scan(JSON.stringify(STATE), pieces)).toEqual(FACTS);
    expect(scan(JSON.stringify(STATE, null, 2), pieces)).toEqual(FACTS);
  });

  test("says the same in whatever order its fields are", () => {
    const { serial, lineage, ...rest } = STATE;
    expect(scan(JSON.stringify({ ...rest, lineage, serial }))).toEqual(FACTS);
  });

  test("that an engine encrypted says its serial and lineage alone", () => {
    const { serial, lineage } = STATE;
    const sealed = {
      serial,
      lineage,
      meta: { "key_provider.pbkdf2.p": "x" },
      encrypted_data: "aaaa",
      encryption_version: "v0",
    };
    expect(scan(JSON.stringify(sealed))).toEqual({ serial, lineage, engineVersion: null, resources: null });
  });

  test("whose texts are anything at all is read as a parser reads it", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(), fc.string({ minLength: 1, maxLength: 50 }), (odd, serial, name) => {
        const text = JSON.stringify({
          outputs: { [name]: odd },
          serial,
          lineage: "l-1",
          resources: [{ name: odd, mode: "managed" }],
        });
        expect(scan(text, 5)).toEqual({ serial, lineage: "l-1", engineVersion: null, resources: 1 });
      }),
    );
  });
});

test.each([
  ["nothing", ""],
  ["a list", '[{"serial": 1, "lineage": "x"}]'],
  ["a cut one", JSON.stringify(STATE).slice(0, -1)],
  ["two", '{"serial": 1, "lineage": "x"}{}'],
  ["one with something behind it", '{"serial": 1, "lineage": "x"} x'],
  ["one without a lineage", '{"serial": 1}'],
  ["one without a serial", '{"lineage": "x"}'],
  ["a serial that is no whole number", '{"serial": 1.5, "lineage": "x"}'],
  ["a serial in quotes", '{"serial": "1", "lineage": "x"}'],
  ["a serial inside something", '{"a": {"serial": 1}, "lineage": "x"}'],
])("%s is none", (_, text) => expect(scan(text)).toBeNull());
