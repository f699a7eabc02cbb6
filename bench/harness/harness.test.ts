import { describe, expect, it } from "vitest";
import { shares } from "../throughput/noOps.ts";
import { allHeld, atLeast, atMost, barText, exactly } from "./bench.ts";
import { eachAtOnce } from "./eachAtOnce.ts";
import { faultOf } from "./fault.ts";
import { perSecond } from "./logged.ts";
import { parseStat, ticksBelow } from "./processTime.ts";
import { interleave, ratio, typical } from "./rounds.ts";
import { seeded, seededBy } from "./seeded.ts";
import { shareOf, sizeOf } from "./sizes.ts";
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

describe("sizes", () => {
  it("are the ordinary ones unless the environment says others", () => {
    expect(sizeOf("SIZE", 40, {})).toBe(40);
    expect(sizeOf("SIZE", 40, { SIZE: "" })).toBe(40);
    expect(sizeOf("SIZE", 40, { SIZE: "7" })).toBe(7);
    expect(shareOf("SHARE", {})(1_500)).toBe(1_500);
    expect(shareOf("SHARE", { SHARE: "0.1" })(1_500)).toBe(150);
    expect(shareOf("SHARE", { SHARE: "0.001" })(50)).toBe(1);
  });

  it.each(["0", "-1", "1.5", "many", "1e999"])("refuse %s", (text) => {
    expect(() => sizeOf("SIZE", 40, { SIZE: text })).toThrow(/^SIZE=/);
  });

  it.each(["0", "-1", "1.5", "tenth"])("refuse the share %s", (text) => {
    expect(() => shareOf("SHARE", { SHARE: text })).toThrow(/^SHARE=/);
  });
});

describe("CPU time", () => {
  it("is read behind a name that may hold anything", () => {
    const fields = "S 17 5 5 0 -1 0 1 2 3 4 120 30 7 3 20 0 1 0 99";
    expect(parseStat(`42 (a ) b) ${fields}`)).toEqual({ parent: 17, ticks: 160 });
  });

  it("counts a process with all below it, and nobody else", () => {
    const rows = new Map([
      [10, { parent: 1, ticks: 5 }],
      [11, { parent: 10, ticks: 7 }],
      [12, { parent: 11, ticks: 9 }],
      [20, { parent: 1, ticks: 100 }],
    ]);
    expect(ticksBelow(rows, 10)).toBe(21);
    expect(ticksBelow(rows, 12)).toBe(9);
    expect(ticksBelow(rows, 99)).toBe(0);
  });
});

describe("the shares of no-op workflows", () => {
  it("are whole, even and add up", () => {
    expect(shares(3, 0)).toEqual([0, 0, 0]);
    expect(shares(3, 4)).toEqual([1, 1, 2]);
    expect(shares(4, 2)).toEqual([0, 1, 0, 1]);
  });
});

describe("work on many at once", () => {
  it("takes each once, so many side by side", async () => {
    const seen: number[] = [];
    let [now, most] = [0, 0];
    await eachAtOnce([1, 2, 3, 4, 5], 2, async (one) => {
      most = Math.max(most, ++now);
      await Promise.resolve();
      seen.push(one);
      now--;
    });
    expect(seen.sort()).toEqual([1, 2, 3, 4, 5]);
    expect(most).toBe(2);
  });

  it("begins nothing new after a failure", async () => {
    const begun: number[] = [];
    const work = eachAtOnce([1, 2, 3, 4], 1, async (one) => {
      begun.push(one);
      if (one === 2) throw new Error("two");
    });
    await expect(work).rejects.toThrow("two");
    expect(begun).toEqual([1, 2]);
  });
});

describe("chance", () => {
  it("comes again with its seed, which is said, and spreads evenly", () => {
    const of = (seed: number) => {
      const { next } = seededBy(seed);
      return Array.from({ length: 10_000 }, next);
    };
    expect(of(7)).toEqual(of(7));
    expect(of(7)).not.toEqual(of(8));
    expect(of(7).filter((value) => value < 0.2).length / 10_000).toBeCloseTo(0.2, 1);
    const said: string[] = [];
    expect(seeded((line) => said.push(line), { BENCH_SEED: "7" }).seed).toBe(7);
    expect(said).toEqual([expect.stringContaining("BENCH_SEED=7")]);
    expect(() => seeded(() => {}, { BENCH_SEED: "x" })).toThrow("BENCH_SEED");
  });
});

it("takes a fault on purpose by its name alone", () => {
  expect(faultOf(["lose"], {})).toBeNull();
  expect(faultOf(["lose"], { BENCH_FAULT: "lose" })).toBe("lose");
  expect(() => faultOf(["lose"], { BENCH_FAULT: "loose" })).toThrow("none of lose");
});
