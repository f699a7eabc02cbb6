import { describe, expect, test } from "vitest";
import { parsePlanDocument } from "./planDocument.ts";
import { unmatchedAddresses } from "./unmatchedAddresses.ts";

const change = (address: string) => ({ address, change: { actions: ["no-op"] } });
const resource = (address: string) => ({ address, mode: "managed", type: "a" });
const document = parsePlanDocument(
  JSON.stringify({
    format_version: "1.2",
    resource_changes: ["a.one", 'a.many["x.y"]', "module.net[0].a.deep"].map(change),
    prior_state: { values: { root_module: { resources: [resource('a.left["z"]')] } } },
    configuration: {
      root_module: {
        resources: [{ address: "a.new" }],
        module_calls: { constructor: { module: { resources: [{ address: "a.inner" }] } } },
      },
    },
  }),
)!;

const KINDS = ["targets", "excludes", "replaces"] as const;
const asked = (kind: (typeof KINDS)[number], ...addresses: string[]) =>
  unmatchedAddresses({ targets: [], excludes: [], replaces: [], [kind]: addresses }, document);

test.each(KINDS)("%s that choose nothing are warned of, each by its address", (kind) => {
  const warnings = asked(kind, "a.one", "a.on", "b.one");
  expect(warnings.map((text) => text.split(" ")[2])).toEqual(["a.on", "b.one"]);
});

describe("targets", () => {
  test.each(["a.one", "a.many", 'a.many["x.y"]', "module.net", "module.net[0]", "module.net[0].a.deep"])(
    "%s chooses something",
    (target) => expect(asked("targets", target)).toEqual([]),
  );

  test.each(["a.on", "a.ones", 'a.many["x"]', "module.ne", "module.net[1]", "b.one"])("%s chooses nothing", (target) =>
    expect(asked("targets", "a.one", target)).toEqual([
      `The target ${target} matches no resource; nothing was planned for it.`,
    ]),
  );

  test("nothing is said of data sources, which a plan does not list once they are read", () =>
    expect(asked("targets", "data.a.one", "module.net.data.a.one")).toEqual([]));
});

test.each(["a.many", "module.net", "a.new"])(
  "a replace names one instance that is planned, which %s is not",
  (address) => expect(asked("replaces", 'a.many["x.y"]', "module.net[0].a.deep", address)).toHaveLength(1),
);

test("what an exclude leaves out is in no change: the state or the configuration has it", () => {
  const there = [
    'a.left["z"]',
    "a.left",
    "a.new",
    'a.new["q[1]"]',
    "module.constructor",
    "module.constructor[1].a.inner",
  ];
  expect(asked("excludes", ...there)).toEqual([]);
  expect(asked("excludes", "a.ne", "module.constructor.a.other", "module.toString")).toHaveLength(3);
});
