import { expect, test } from "vitest";
import { lineAt, placeHash, placeOf, readPlace } from "./logLink.ts";

const SECTIONS = [
  { kind: "stage", stageId: "p", line: 0 },
  { kind: "step", stageId: "p", line: 3 },
  { kind: "stage", stageId: "a", line: 10 },
];

test("a link leads back to the line it was made of", () => {
  for (const line of [0, 3, 9, 10, 14]) {
    const place = readPlace(placeHash(placeOf(SECTIONS, line)));
    expect(place && lineAt(SECTIONS, 15, place)).toBe(line);
  }
});

test("what is no link leads nowhere, and a line that has not come yet is waited for", () => {
  for (const hash of ["", "#", "#L=3", "#stage="]) expect(readPlace(hash)).toBeNull();
  expect(readPlace("#stage=p&L=x")).toEqual({ stageId: "p", line: 1 });
  expect(lineAt(SECTIONS, 15, { stageId: "p", line: 11 })).toBeNull();
  expect(lineAt(SECTIONS, 15, { stageId: "a", line: 6 })).toBeNull();
  expect(lineAt(SECTIONS, 15, { stageId: "x", line: 1 })).toBeNull();
});
