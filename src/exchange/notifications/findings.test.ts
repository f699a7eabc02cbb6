import { expect, it } from "vitest";
import { findingsIn } from "./findings.ts";

const REPORT = { cycles: 1, orphans: 0, duplicates: 2, cycles_complete: true, orphans_complete: false };

it("a report is given without whatever else the data holds", () =>
  expect(findingsIn({ ...REPORT, internal: "x" })).toEqual(REPORT));

it("a flag that is absent, or is no flag, says that the count is not known", () => {
  const { cycles, orphans, duplicates } = REPORT;
  const unknown = { cycles, orphans, duplicates, cycles_complete: false, orphans_complete: false };
  expect(findingsIn({ cycles, orphans, duplicates })).toEqual(unknown);
  expect(findingsIn({ ...REPORT, cycles_complete: "true", orphans_complete: 1 })).toEqual(unknown);
});

it.each([
  null,
  undefined,
  "report",
  7,
  [],
  {},
  { ...REPORT, cycles: "1" },
  { ...REPORT, orphans: null },
  { cycles: 1, orphans: 2 },
])("%j is none", (value) => expect(findingsIn(value)).toBeNull());
