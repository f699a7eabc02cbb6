/** What a bench is, and the bars it is held to (docs/rules/limits.md#figures-that-are-held). */
import type { Closers } from "../../src/main/dev/closers.ts";

export type Figure = number | string | boolean | null | { [name: string]: Figure } | Figure[];
export type Figures = { [name: string]: Figure };

/** One promise: what was measured, what is allowed, and whether it held. */
export type Bar = { value: number; ok: boolean } & ({ at_most: number } | { at_least: number } | { exactly: number });

export type BenchResult = { figures: Figures; bars: Record<string, Bar> };

export type BenchContext = {
  /** Print a line for the person who watches. */
  say(line: string): void;
  /** What the bench started; undone newest first when it ends, fails or is interrupted. */
  closers: Closers;
  /** An empty folder of its own, removed at the end. */
  folder: string;
  /** Aborts when the bench must stop early. */
  signal: AbortSignal;
};

export type Bench = {
  /** One line: what is measured against what. */
  what: string;
  /** After this long the bench is stopped and has failed; default 5 minutes. */
  limitSeconds?: number;
  run(context: BenchContext): Promise<BenchResult>;
};

export function atMost(value: number, limit: number): Bar {
  return { value: rounded(value), at_most: limit, ok: value <= limit };
}

export function atLeast(value: number, limit: number): Bar {
  return { value: rounded(value), at_least: limit, ok: value >= limit };
}

export function exactly(value: number, wanted: number): Bar {
  return { value, exactly: wanted, ok: value === wanted };
}

/** Whether every bar held; a bench without bars holds nothing. */
export function allHeld(bars: Record<string, Bar>): boolean {
  return Object.values(bars).length > 0 && Object.values(bars).every((bar) => bar.ok);
}

export function barText(name: string, bar: Bar): string {
  const limit = "at_most" in bar ? `<= ${bar.at_most}` : "at_least" in bar ? `>= ${bar.at_least}` : `= ${bar.exactly}`;
  return `${bar.ok ? "held  " : "MISSED"} ${name}: ${bar.value} (bar ${limit})`;
}

/** Three digits after the point are more than any of these measurements is good for. */
export function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
