import { describe, expect, it } from "vitest";
import { allHeld } from "../harness/bench.ts";
import { type Beside, judge } from "./judge.ts";
import type { Observed } from "./observe.ts";

function observed(ms: number[], late: number[] = [20], status = 200): Observed {
  return { confirms: ms.map((each) => ({ ms: each, status })), late: { lease: late, queued: late } };
}

function beside(seen: Observed, answers: Beside["answers"] = { 201: 9 }): Beside {
  return { name: "creates", observed: seen, seconds: 3, answers, took: [5], mostMessages: 7, oldestTaskMs: 11 };
}

const ALONE = [observed([40, 50]), observed([60])];

/** The names of the bars that were missed. */
function missed(burst: Beside, atOnce = [30, 40]): string[] {
  const { bars } = judge(ALONE, [burst], atOnce);
  return Object.keys(bars).filter((name) => bars[name]?.ok === false);
}

describe("a burst that nobody notices", () => {
  it("holds every bar", () => {
    expect(missed(beside(observed([50, 75])))).toEqual([]);
    expect(allHeld(judge(ALONE, [beside(observed([50, 75]))], [30]).bars)).toBe(true);
  });
});

describe("what others notice", () => {
  it("is a slower confirm, by its middle and by its end", () => {
    expect(missed(beside(observed([85, 91, 92])))).toEqual([
      "creates_confirm_p50_to_alone",
      "creates_confirm_p99_to_alone",
    ]);
    expect(missed(beside(observed([50, 50, 200])))).toEqual(["creates_confirm_p99_to_alone"]);
  });

  it("is a deadline that acts late", () => {
    expect(missed(beside(observed([50], [20, 1_001])))).toEqual([
      "creates_lease_late_p99_ms",
      "creates_queued_late_p99_ms",
    ]);
    expect(missed(beside(observed([50])), [30, 1_500])).toEqual(["leases_at_once_late_p99_ms"]);
  });

  it("is a single answer 503, to them or to the busy one", () => {
    expect(missed(beside(observed([50], [20], 503)))).toEqual(["answers_503"]);
    expect(missed(beside(observed([50]), { 200: 99, 503: 1 }))).toEqual(["creates_own_answers_503"]);
  });
});
