import { describe, expect, it } from "vitest";
import { findingOf, ignores, type Known, reportOf } from "./finding.ts";

const UNKNOWN: Known = { status: "unknown", told: null, reconciled: null };
const looked = (...addresses: string[]) => ({
  kind: "looked" as const,
  report: { resources: addresses.map((address) => ({ address, action: "changed" })), total: addresses.length },
});
const knownBy = (finding: ReturnType<typeof findingOf>): Known => ({
  status: finding.status,
  told: finding.told,
  reconciled: finding.toReconcile ?? finding.reconciled,
});

describe("what a check says", () => {
  it("nothing drifted is no news", () => {
    expect(findingOf(UNKNOWN, looked(), [])).toMatchObject({ status: "none", news: null, toReconcile: null });
  });

  it("a set of addresses is told once, whatever their order, and again only when it is another", () => {
    const first = findingOf(UNKNOWN, looked("a.x", "b.y"), []);
    expect(first).toMatchObject({ status: "drifted", news: "drift_detected", found: { total: 2 } });
    const same = findingOf(knownBy(first), looked("b.y", "a.x"), []);
    expect(same).toMatchObject({ status: "drifted", news: null, toReconcile: null });
    const other = findingOf(knownBy(same), looked("a.x"), []);
    expect(other).toMatchObject({ news: "drift_detected" });
    expect(findingOf(knownBy(other), looked("a.x", "b.y"), [])).toMatchObject({ news: null });
  });

  it("the same address changed in another way is the same set", () => {
    const first = findingOf(UNKNOWN, looked("a.x"), []);
    const gone = { kind: "looked" as const, report: { resources: [{ address: "a.x", action: "deleted" }], total: 1 } };
    expect(findingOf(knownBy(first), gone, []).news).toBeNull();
  });

  it("that it is over is told once, and then the same set is news again", () => {
    const drifted = findingOf(UNKNOWN, looked("a.x"), []);
    const over = findingOf(knownBy(drifted), looked(), []);
    expect(over).toMatchObject({ status: "none", news: "drift_resolved" });
    expect(findingOf(knownBy(over), looked(), []).news).toBeNull();
    const again = findingOf(knownBy(over), looked("a.x"), []);
    expect(again.news).toBe("drift_detected");
    expect(again.toReconcile).not.toBeNull();
  });

  it("a failed look is told apart, once, and neither hides a finding nor makes it news again", () => {
    const drifted = findingOf(UNKNOWN, looked("a.x"), []);
    const failed = findingOf(knownBy(drifted), { kind: "failed", error: "no credentials" }, []);
    expect(failed).toMatchObject({ status: "failed", error: "no credentials", news: "drift_check_failed" });
    expect(failed.found).toBeUndefined();
    expect(findingOf(knownBy(failed), { kind: "failed", error: "again" }, []).news).toBeNull();
    expect(findingOf(knownBy(failed), looked("a.x"), [])).toMatchObject({ status: "drifted", news: null });
    expect(findingOf(knownBy(failed), looked(), []).news).toBe("drift_resolved");
  });

  it("what is ignored is counted and no drift", () => {
    const finding = findingOf(UNKNOWN, looked('a.x["1"]', "b.y"), ["a.*"]);
    expect(finding.found).toMatchObject({ resources: [{ address: "b.y" }], total: 1, ignored: 1 });
    expect(findingOf(UNKNOWN, looked('a.x["1"]'), ["a.*"]).status).toBe("none");
  });

  it("what is not listed counts, also where everything listed is ignored", () => {
    const end = { kind: "looked" as const, report: { resources: [{ address: "a.x", action: "changed" }], total: 9 } };
    expect(findingOf(UNKNOWN, end, ["a.*"])).toMatchObject({ status: "drifted", found: { total: 8, ignored: 1 } });
  });
});

it.each([
  ["a.x", "a.x", true],
  ["a.x", "a.xy", false],
  ["a.*", "a.x", true],
  ["*.x", "module.m.a.x", true],
  ["module.*.a.x", "module.m[0].a.x", true],
  ["a*a", "a", false],
  ["a*a", "aa", true],
  ['a.x["*"]', 'a.x["k.1"]', true],
  ["*", "", true],
  ["a.*x*", "a.yx", true],
])("%s fits %s: %s", (pattern, address, fits) => expect(ignores([pattern], address)).toBe(fits));

it("a pattern of many stars takes no longer than the address is long", () => {
  const started = performance.now();
  expect(ignores([`${"a*".repeat(500)}b`], "a".repeat(1_000))).toBe(false);
  expect(performance.now() - started).toBeLessThan(100);
});

it("a runner that names no addresses still has counted, and what it could not count is no answer", () => {
  const counts = { add: 0, change: 2, destroy: 0, replace: 0, import: 0, forget: 1, move: 0 };
  expect(reportOf(null, { has_changes: true, counts, gaps: [] })).toEqual({ resources: [], total: 3 });
  expect(reportOf(null, { has_changes: true, counts: null, gaps: ["x"] })).toBeNull();
  expect(reportOf(null, null)).toBeNull();
});
