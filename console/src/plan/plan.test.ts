import { expect, test } from "vitest";
import { countsOf, filterRows } from "./filter.ts";
import { entriesOf, groupsOf } from "./groups.ts";
import { rowOf } from "./rows.ts";
import { isPickable, replanBody, replanProblem, toggled } from "./selection.ts";

const line = (address: string, action: string, kind = "resource", actions = [action]) =>
  JSON.stringify({
    kind,
    address,
    type: address.split(".").at(-2),
    provider: "p",
    action,
    actions,
    before: 1,
    after: 2,
  });
const rows = [
  line("aws_s3.logs", "add"),
  line("module.db.aws_rds.main", "replace", "resource", ["create", "delete"]),
  line("module.db.aws_sg.web", "change"),
  line("module.app.aws_vm.a", "destroy"),
  line("aws_s3.logs", "change", "drift"),
  line("output.url", "destroy", "output"),
  line("aws_iam.old", "forget"),
].map(rowOf);
const addresses = (list: readonly { address: string }[]) => list.map(({ address }) => address);

test("what destroys and what replaces comes first, and each is counted once", () => {
  expect(addresses(filterRows(rows, "all", ""))).toEqual([
    "module.app.aws_vm.a",
    "module.db.aws_rds.main",
    "aws_iam.old",
    "module.db.aws_sg.web",
    "aws_s3.logs",
    "aws_s3.logs",
    "output.url",
  ]);
  expect(countsOf(rows)).toEqual({ all: 7, destroy: 1, replace: 1, change: 1, add: 1, drift: 1, output: 1, other: 1 });
});

test("a filter takes words in any order and leaves out what is marked so", () => {
  expect(addresses(filterRows(rows, "all", "MODULE.db -sg"))).toEqual(["module.db.aws_rds.main"]);
  expect(addresses(filterRows(rows, "drift", "logs"))).toEqual(["aws_s3.logs"]);
  expect(filterRows(rows, "add", "nothing")).toEqual([]);
});

test("ten thousand rows are filtered well within a tenth of a second", () => {
  const many = Array.from({ length: 10_000 }, (_, at) => rowOf(line(`module.m${at % 50}.a.b${at}`, "change"), at));
  const started = performance.now();
  expect(filterRows(many, "all", "m7. b99")).not.toHaveLength(0);
  expect(performance.now() - started).toBeLessThan(100);
});

test("modules come by what is most dangerous in them, and closed ones show their head alone", () => {
  const sorted = filterRows(rows, "all", "");
  expect(groupsOf(sorted).map(({ module }) => module)).toEqual(["module.app", "module.db", ""]);
  const shown = entriesOf(sorted, true, new Set(["module.db", ""]));
  expect(shown.map((entry) => (entry.type === "group" ? entry.group.module : entry.row.address))).toEqual([
    "module.app",
    "module.app.aws_vm.a",
    "module.db",
    "",
  ]);
});

test("only resources that can be named are picked, and a replan says what it cannot do", () => {
  expect(rows.filter(isPickable)).toHaveLength(5);
  expect(isPickable({ kind: "resource", address: 'a.b["***"]' })).toBe(false);
  expect(replanBody("replace", ["a.b"])).toEqual({ action: "replan", replaces: ["a.b"] });
  expect(replanProblem("only", [], "tofu")).toContain("at least one");
  expect(replanProblem("only", Array(101).fill("a.b"), "tofu")).toContain("at most 100");
  expect(replanProblem("without", ["a.b"], "terraform")).toContain("OpenTofu");
  expect(replanProblem("without", ["a.b"], "tofu")).toBeNull();
  expect([...toggled(toggled(new Set(["a"]), "b"), "a")]).toEqual(["b"]);
});
