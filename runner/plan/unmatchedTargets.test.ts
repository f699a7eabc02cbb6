import { expect, test } from "vitest";
import { parsePlanDocument } from "./planDocument.ts";
import { unmatchedTargets } from "./unmatchedTargets.ts";

const change = (address: string) => ({ address, change: { actions: ["no-op"] } });
const document = parsePlanDocument(
  JSON.stringify({
    format_version: "1.2",
    resource_changes: ["a.one", 'a.many["x.y"]', "module.net[0].a.deep"].map(change),
  }),
)!;

test.each(["a.one", "a.many", 'a.many["x.y"]', "module.net", "module.net[0]", "module.net[0].a.deep"])(
  "%s chooses something",
  (target) => expect(unmatchedTargets([target], document)).toEqual([]),
);

test.each(["a.on", "a.ones", 'a.many["x"]', "module.ne", "module.net[1]", "b.one"])("%s chooses nothing", (target) =>
  expect(unmatchedTargets(["a.one", target], document)).toEqual([target]),
);

test("nothing is said of data sources, which a plan does not list once they are read", () => {
  expect(unmatchedTargets(["data.a.one", "module.net.data.a.one"], document)).toEqual([]);
});
