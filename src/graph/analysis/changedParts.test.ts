import { describe, expect, it } from "vitest";
import { changedParts } from "./changedParts.ts";
import { parseChanges } from "./changesSection.ts";

describe("changedParts", () => {
  const { includes, anything } = changedParts({
    resources: ['module.net["a.b["].aws_subnet.all[0]', "aws_vpc.main"],
    outputs: ["vpc_id"],
  });

  it.each([
    "aws_vpc.main",
    "output.vpc_id",
    'module.net["a.b["].aws_subnet.all[0]',
    'module.net["a.b["].aws_subnet.all',
    'module.net["a.b["]',
    "module.net",
    null,
  ])("holds %s, which names a change or something around it", (part) => {
    expect(includes(part)).toBe(true);
  });

  it.each([
    "aws_vpc.main2",
    "aws_vpc.mai",
    "aws_vpc.main[0]",
    'module.net["a',
    'module.net["a.b',
    "module.net2",
    "output.vpc",
    "vpc_id",
  ])("does not hold %s", (part) => {
    expect(includes(part)).toBe(false);
  });

  it("holds everything when nothing is known, and nothing when nothing changed", () => {
    expect(changedParts(null).includes("aws_vpc.main")).toBe(true);
    expect(anything).toBe(true);
    expect(changedParts({ resources: [], outputs: [] }).includes(null)).toBe(false);
  });

  describe("with the outputs that have another value", () => {
    const outputs = ["vpc_id"];
    it("takes them instead of what the plan said", () => {
      const { includes, anything } = changedParts({ resources: [], outputs: ["zone_id"] }, outputs);
      expect([anything, includes("output.vpc_id"), includes("output.zone_id")]).toEqual([true, true, false]);
      expect(changedParts({ resources: [], outputs: ["zone_id"] }, []).anything).toBe(false);
    });

    it("knows them even where the plan's changes are unknown", () => {
      const { includes } = changedParts(null, outputs);
      expect(["output.vpc_id", "output.zone_id", "aws_vpc.main", null].map(includes)).toEqual([
        true,
        false,
        true,
        true,
      ]);
    });
  });
});

describe("parseChanges", () => {
  it("reads the section", () => {
    const changes = { resources: ["aws_vpc.main"], outputs: ["vpc_id"] };
    expect(parseChanges(JSON.stringify({ version: 1, changes }))).toEqual(changes);
  });

  it.each([
    { version: 1 },
    { version: 1, changes: null },
    { version: 2, changes: { resources: [], outputs: [] } },
    { version: 1, changes: { resources: ["a"] } },
    { version: 1, changes: { resources: [1], outputs: [] } },
    { version: 1, changes: { resources: ["x".repeat(2_000)], outputs: [] } },
    [],
    null,
  ])("counts %j as unknown", (file) => {
    expect(parseChanges(JSON.stringify(file))).toBeNull();
  });
});
