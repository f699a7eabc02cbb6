import { expect, it } from "vitest";
import { hasOwnMemory } from "./wasmSections.ts";

const HEADER = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
/** A section of an id, with as many bytes as are given. */
const section = (id: number, ...bytes: number[]) => [id, bytes.length, ...bytes];
const MEMORY = section(5, 1, 0, 1);
const CUSTOM = section(0, 1, 0x61);

it.each<[string, number[], boolean]>([
  ["none of its own", [...HEADER, ...CUSTOM], false],
  ["one of its own", [...HEADER, ...CUSTOM, ...MEMORY], true],
  ["one behind a length in several bytes", [...HEADER, 0, 0x82, 0x80, 0, 1, 0x61, ...MEMORY], true],
  ["a length that never ends", [...HEADER, 0, 0xff, 0xff, 0xff, 0xff, 0xff], true],
  ["a section that is cut off", [...HEADER, 0, 9, 1], true],
  ["a header alone", HEADER, false],
])("a module with %s", (_, bytes, expected) => {
  expect(hasOwnMemory(Uint8Array.from(bytes))).toBe(expected);
});
