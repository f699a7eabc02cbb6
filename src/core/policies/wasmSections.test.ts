import { expect, it } from "vitest";
import { unboundedPart } from "./wasmSections.ts";

const HEADER = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
/** A section of an id, with as many bytes as are given. */
const section = (id: number, ...bytes: number[]) => [id, bytes.length, ...bytes];
const MEMORY = section(5, 1, 0, 1);
const CUSTOM = section(0, 1, 0x61);
const OTHER = "sections of another kind than opa's";

it.each<[string, number[], string | null]>([
  ["none of its own", [...HEADER, ...CUSTOM], null],
  ["a memory of its own", [...HEADER, ...CUSTOM, ...MEMORY], "a memory of its own"],
  ["one behind a length in several bytes", [...HEADER, 0, 0x82, 0x80, 0, 1, 0x61, ...MEMORY], "a memory of its own"],
  ["a length that never ends", [...HEADER, 0, 0xff, 0xff, 0xff, 0xff, 0xff], OTHER],
  ["a section that is cut off", [...HEADER, 0, 9, 1], OTHER],
  ["exceptions", [...HEADER, ...section(13, 0)], OTHER],
  ["a header alone", HEADER, null],
  ["functions", [...HEADER, ...section(1, 2, 0x60, 2, 0x7f, 0x7e, 0, 0x60, 0, 1, 0x7f)], null],
  ["a structure", [...HEADER, ...section(1, 2, 0x60, 0, 0, 0x5f, 0)], "types of objects"],
  ["an array", [...HEADER, ...section(1, 1, 0x5e, 0x7f, 1)], "types of objects"],
  ["types that are cut off", [...HEADER, ...section(1, 2, 0x60, 0, 0)], "types of objects"],
  ["a table of functions", [...HEADER, ...section(4, 1, 0x70, 1, 0x4e, 0x4e)], null],
  ["one without a bound", [...HEADER, ...section(4, 1, 0x70, 0, 0x4e)], "large tables"],
  ["a large one", [...HEADER, ...section(4, 1, 0x70, 1, 0, 0x80, 0x80, 0x80, 1)], "large tables"],
  ["two tables", [...HEADER, ...section(4, 2, 0x70, 1, 1, 1, 0x70, 1, 1, 1)], "large tables"],
  ["a table of other things", [...HEADER, ...section(4, 1, 0x6f, 1, 1, 1)], "large tables"],
])("a module with %s", (_, bytes, expected) => {
  expect(unboundedPart(Uint8Array.from(bytes))).toBe(expected);
});
