import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { isAtLeast } from "./engine.ts";
import { applyArguments, planArguments } from "./engineArguments.ts";

const terraform: Engine = { tool: "terraform", program: "terraform", version: "1.11.4" };
const run = { kind: "plan_run", targets: [], excludes: [], replaces: [] } as const;

function plan(change: object, engine = terraform): string[] {
  return planArguments({ ...run, targets: [], excludes: [], replaces: [], ...change }, engine, "/run/plan.bin");
}

describe("planArguments", () => {
  test("plans without a lock, into a file", () => {
    expect(plan({})).toEqual([
      "plan",
      "-input=false",
      "-no-color",
      "-lock=false",
      "-detailed-exitcode",
      "-out=/run/plan.bin",
    ]);
    expect(plan({ kind: "destroy_run" })).toContain("-destroy");
    expect(plan({ kind: "refresh_run" })).toContain("-refresh-only");
  });

  test("an address is one argument, whatever is in it", () => {
    const address = 'module.a["x y; -lock=true"].b.c';
    expect(plan({ targets: [address, "-destroy"], replaces: [address] }).slice(6)).toEqual([
      `-target=${address}`,
      "-target=-destroy",
      `-replace=${address}`,
    ]);
  });

  test("excluding needs OpenTofu 1.9", () => {
    const excludes = ["a.b"];
    const tofu = (version: string): Engine => ({ tool: "tofu", program: "tofu", version });
    expect(plan({ excludes }, tofu("1.9.0"))).toContain("-exclude=a.b");
    expect(() => plan({ excludes }, tofu("1.8.9"))).toThrow("needs OpenTofu 1.9 or newer; this run uses tofu 1.8.9");
    expect(() => plan({ excludes })).toThrow("terraform 1.11.4");
  });
});

test("an apply locks the state", () => {
  expect(applyArguments("/run/plan.bin").join(" ")).not.toContain("-lock=false");
  expect(applyArguments("/run/plan.bin").at(-1)).toBe("/run/plan.bin");
});

test.each([
  ["1.9.0", true],
  ["1.10.0-rc1", true],
  ["2.0.0", true],
  ["1.8.9", false],
  ["0.15.1", false],
])("whether %s is at least 1.9: %s", (version, answer) => {
  expect(isAtLeast(version, 1, 9)).toBe(answer);
});
