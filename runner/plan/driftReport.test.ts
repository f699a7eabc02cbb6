import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MOST_DRIFTED } from "../../src/core/runs/protocol.ts";
import { driftReport } from "./driftReport.ts";
import { parsePlanDocument } from "./planDocument.ts";

const asIs = (text: string) => text;
const real = (name: string) =>
  parsePlanDocument(readFileSync(new URL(`./testdata/${name}.json`, import.meta.url), "utf8"))!;

test("names what is gone or changed, from the engine's own list", () => {
  expect(driftReport(real("drift-refresh-only"), asIs)).toEqual({
    resources: [{ address: "local_file.gone", action: "deleted" }],
    total: 1,
  });
  expect(driftReport(real("steady-refresh-only"), asIs)).toEqual({ resources: [], total: 0 });
});

test("an address that holds a secret is masked", () => {
  const masked = driftReport(real("drift-refresh-only"), (text) => text.replace("gone", "***"));
  expect(masked.resources[0]?.address).toBe("local_file.***");
});

test("of many the first are named and all are counted", () => {
  const plan = real("drift-refresh-only");
  const [entry] = plan.resource_drift;
  const many = Array.from({ length: MOST_DRIFTED + 7 }, (_, i) => ({ ...entry!, address: `a.x[${1_000 + i}]` }));
  const report = driftReport({ ...plan, resource_drift: many }, asIs);
  expect([report.resources.length, report.total]).toEqual([MOST_DRIFTED, MOST_DRIFTED + 7]);
});
