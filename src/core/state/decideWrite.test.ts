import { expect, test } from "vitest";
import { decideWrite } from "./decideWrite.ts";

const newest = { serial: 5, lineage: "one", sha256: "a" };

test.each([
  ["the first of all", null, newest, "stored"],
  ["one that rises", newest, { serial: 6, lineage: "one", sha256: "b" }, "stored"],
  ["one that leaps", newest, { serial: 60, lineage: "one", sha256: "b" }, "stored"],
  ["the same once more", newest, newest, "same"],
  ["other bytes under the same serial", newest, { serial: 5, lineage: "one", sha256: "b" }, "state_serial_stale"],
  ["one that falls", newest, { serial: 4, lineage: "one", sha256: "b" }, "state_serial_stale"],
  ["another lineage, whatever its serial", newest, { serial: 6, lineage: "two", sha256: "b" }, "state_lineage_differs"],
  ["another lineage with the same bytes", newest, { serial: 5, lineage: "two", sha256: "a" }, "state_lineage_differs"],
] as const)("%s", (_, before, sent, expected) => {
  const decision = decideWrite(before, sent);
  expect(decision.outcome === "refused" ? decision.code : decision.outcome).toBe(expected);
});
