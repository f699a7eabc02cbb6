import { expect, test } from "vitest";
import { moduleOf, pathText } from "./address.ts";

test.each([
  ["aws_instance.a", ""],
  ["module.db.aws_db_instance.main", "module.db"],
  ['module.db["x.y"].module.net[0].aws_subnet.a["module.z"]', 'module.db["x.y"].module.net[0]'],
  ['module.a["quote \\" and ] and ."].x.y', 'module.a["quote \\" and ] and ."]'],
  ["modules.a.b", ""],
  ["output.vpc_id", ""],
])("%s stands in %j", (address, module) => expect(moduleOf(address)).toBe(module));

test("paths are written as people write them", () => {
  expect(pathText(["ingress", 0, "cidr_blocks"])).toBe("ingress[0].cidr_blocks");
  expect(pathText(["tags", "a.b"])).toBe('tags["a.b"]');
  expect(pathText(["a", "__proto__"])).toBe("a.__proto__");
  expect(pathText([])).toBe("");
});
