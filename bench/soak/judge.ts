/** Whether what was looked at every so often stays where it was. Pure. */
import { median } from "../harness/statistics.ts";

export type Sample = {
  atMs: number;
  /** Megabytes of memory by program. */
  memory: Record<string, number>;
  connections: number;
  /** Bytes of tables whose rows come and go, with their indexes. */
  hot: Record<string, number>;
  /** Of the whole database. */
  bytes: number;
  deployments: number;
  openWorkflows: number;
  longestHistory: number;
};

/** The first part of a soak, in which caches fill and the allocator finds its size, is not compared. */
const WARM_UP = 0.25;

export type Growth = { name: string; before: number; after: number; ratio: number };

/** The middle of each figure in the first part after the warm-up, and in the last one. */
export function growthOf(samples: readonly Sample[]): Growth[] {
  const from = Math.floor(samples.length * WARM_UP);
  const third = Math.max(Math.floor((samples.length - from) / 3), 1);
  const first = samples.slice(from, from + third);
  const last = samples.slice(-third);
  const grown = (name: string, of: (sample: Sample) => number): Growth => {
    const [before, after] = [median(first.map(of)), median(last.map(of))];
    return { name, before, after, ratio: before === 0 ? (after === 0 ? 1 : Number.POSITIVE_INFINITY) : after / before };
  };
  const names = (of: Record<string, number> | undefined) => Object.keys(of ?? {});
  return [
    ...names(samples[0]?.memory).map((name) => grown(`memory ${name}`, ({ memory }) => memory[name] ?? 0)),
    grown("connections", ({ connections }) => connections),
    ...names(samples[0]?.hot).map((name) => grown(`table ${name}`, ({ hot }) => hot[name] ?? 0)),
    grown("open workflows", ({ openWorkflows }) => openWorkflows),
    grown("longest history", ({ longestHistory }) => longestHistory),
  ];
}

/** Bytes that a further deployment costs, in the last part against the one before. */
export function costGrowth(samples: readonly Sample[]): number {
  const from = samples.slice(Math.floor(samples.length * WARM_UP));
  const middle = Math.floor(from.length / 2);
  const each = (one: Sample | undefined, two: Sample | undefined) =>
    one === undefined || two === undefined
      ? 0
      : (two.bytes - one.bytes) / Math.max(two.deployments - one.deployments, 1);
  const before = each(from[0], from[middle]);
  return before <= 0 ? 1 : each(from[middle], from.at(-1)) / before;
}
