import { expect, test } from "vitest";
import { parseLossless } from "../../src/platform/json/losslessJson.ts";
import { outputsOf } from "./outputs.ts";

const stateOf = (outputs: string) =>
  parseLossless(`{"format_version":"1.0","values":{"outputs":${outputs}}}`) as object;

test("types and digits stay as the engine wrote them", () => {
  const digits = "123456789012345678901234567890";
  const state = stateOf(`{"n":{"sensitive":false,"type":["tuple",["number"]],"value":[${digits}]}}`);
  expect(outputsOf(state, [])).toEqual([
    { name: "n", type: '["tuple",["number"]]', sensitive: false, value: `[${digits}]` },
  ]);
});

test("a copy of what is sensitive is sensitive, whatever its own mark says", () => {
  const secret = "of-the-run-itself";
  const state = stateOf(
    `{"marked":{"sensitive":true,"type":"string","value":"correct-horse"},
      "copy":{"sensitive":false,"type":"string","value":"a correct-horse"},
      "own":{"sensitive":false,"type":"string","value":"${secret}"},
      "free":{"sensitive":false,"type":"string","value":"clear"}}`,
  );
  const marks = outputsOf(state, [Buffer.from(secret)]).map(({ name, sensitive }) => [name, sensitive]);
  expect(Object.fromEntries(marks)).toEqual({ marked: true, copy: true, own: true, free: false });
});

test("a state without outputs has none, which is not unknown", () => {
  expect(outputsOf({ format_version: "1.0" }, [])).toEqual([]);
});
