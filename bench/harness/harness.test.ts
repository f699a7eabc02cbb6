import { describe, expect, it } from "vitest";
import { allHeld, atLeast, atMost, barText, exactly } from "./bench.ts";
import { perSecond } from "./logged.ts";
import { interleave, ratio, typical } from "./rounds.ts";
import { median, percentile, summary } from "./statistics.ts";

describe("percentile", () => {
  it("is always a sample, by nearest rank", () => {
    const samples = Array.from({ length: 100 }, (_, i) => 100 - i);
    expect([0, 0.5, 0.99, 1].map((share) => percentile(samples, share))).toEqual([1, 50, 99, 100]);
    expect(percentile([7], 0.99)).toBe(7);
    expect(percentile([10, 2], 0.5)).toBe(2);
  });

  it("sorts by size, not by text", () => {
    expect(percentile([9, 10, 100], 1)).toBe(100);
    expect(median([9, 100, 10])).toBe(10);
  });

  it("refuses to make up a number", () => {
    expect(() => percentile([], 0.5)).toThrow(RangeError);
    expect(() => median([])).toThrow(RangeError);
  });
});

it("takes the mean of the two middle samples as the median", () => {
  expect(median([1, 2, 4, 100])).toBe(3);
});

it("summarizes to the microsecond", () => {
  expect(summary([1.23456, 2])).toEqual({ n: 2, p50: 1.235, p90: 2, p99: 2, max: 2 });
});

describe("bars", () => {
  it("hold at their limit and not beyond", () => {
    expect([atMost(1.5, 1.5).ok, atMost(1.5001, 1.5).ok]).toEqual([true, false]);
    expect([atLeast(0.45, 0.45).ok, atLeast(0.4499, 0.45).ok]).toEqual([true, false]);
    expect([exactly(0, 0).ok, exactly(1, 0).ok]).toEqual([true, false]);
  });

  it("miss on a value that is no number", () => {
    expect([atMost(Number.NaN, 1).ok, atLeast(Number.NaN, 1).ok]).toEqual([false, false]);
  });

  it("are all needed, and at least one", () => {
    expect(allHeld({ a: atMost(1, 2), b: atMost(3, 2) })).toBe(false);
    expect(allHeld({ a: atMost(1, 2) })).toBe(true);
    expect(allHeld({})).toBe(false);
  });

  it("say which one was missed", () => {
    expect(barText("lost", exactly(2, 0))).toBe("MISSED lost: 2 (bar = 0)");
  });
});

describe("interleaved rounds", () => {
  it("give each contender a turn per round, starting with another each time, and drop the warm-up", async () => {
    const order: string[] = [];
    const contender = (name: string, value: number) => async () => {
      order.push(name);
      return [value];
    };
    const taken = await interleave({ a: contender("a", 1), b: contender("b", 2) }, { rounds: 2, warmUp: 1 });
    expect(order.join("")).toBe("abbaab");
    expect(taken).toEqual({ a: [[1], [1]], b: [[2], [2]] });
  });

  it("compare within each round, so that a slow round does not decide", () => {
    const baseline = [[10], [1], [1]];
    const subject = [[15], [1.5], [9]];
    expect(ratio(subject, baseline, 0.5)).toBe(1.5);
    expect(typical(subject, 0.5)).toBe(9);
  });
});

it("counts a rate between the first and the last statement, whatever their order", () => {
  expect(perSecond([12, 10, 11, 14])).toBe(0.75);
  expect(perSecond([10])).toBe(0);
});
