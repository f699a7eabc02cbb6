import { expect, it } from "vitest";
import { costGrowth, growthOf, type Sample } from "./judge.ts";

const samples = (change: (at: number) => Partial<Sample>): Sample[] =>
  Array.from({ length: 40 }, (_, at) => ({
    ...{ atMs: at * 60_000, memory: { api: 200 }, connections: 20, hot: { outbox: 1_000 }, openWorkflows: 5 },
    ...{ longestHistory: 100, bytes: at * 1_000, deployments: at * 10 },
    ...change(at),
  }));
const ratios = (of: Sample[]) => Object.fromEntries(growthOf(of).map(({ name, ratio }) => [name, ratio]));

it("finds nothing in what stays as it is, nor in what only grew at the start", () => {
  const flat = samples((at) => ({ memory: { api: at < 9 ? 100 : 200 } }));
  expect(new Set(Object.values(ratios(flat)))).toEqual(new Set([1]));
  expect(costGrowth(flat)).toBe(1);
});

it("finds what grows with time", () => {
  const grown = samples((at) => ({ memory: { api: 200 + at * 5 }, connections: 20 + at, hot: { outbox: 1_000 * at } }));
  const found = ratios(grown);
  expect(found["memory api"]).toBeGreaterThan(1.2);
  expect(found.connections).toBeGreaterThan(1.4);
  expect(found["table outbox"]).toBeGreaterThan(2);
  expect(costGrowth(samples((at) => ({ bytes: at * at * 1_000 })))).toBeGreaterThan(1.5);
});
