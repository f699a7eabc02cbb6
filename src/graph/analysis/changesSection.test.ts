import { expect, test } from "vitest";
import { changedParts } from "./changedParts.ts";
import { parseChanges } from "./changesSection.ts";

const parsed = (changes: unknown) => parseChanges(JSON.stringify({ version: 1, changes }));

test("names that an older runner masked leave it unknown what changed, so that every dependent follows", () => {
  for (const changes of [
    { resources: [], outputs: ["***_endpoint", "other"] },
    { resources: ['a.b["***"]'], outputs: [] },
  ]) {
    expect(parsed(changes)).toBeNull();
    expect(changedParts(parsed(changes)).includes("output.reader_endpoint")).toBe(true);
  }
  expect(parsed({ resources: ["a.b"], outputs: ["c"] })).toEqual({ resources: ["a.b"], outputs: ["c"] });
});
