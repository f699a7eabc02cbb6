/** What a page and the worker that holds its log say to each other. */
import type { Section } from "./lineIndex.ts";
import type { LogTarget } from "./logSource.ts";
import type { Span } from "./terminal.ts";

export type ToWorker =
  | { type: "open"; target: LogTarget }
  /** Hidden pages hold no connection. */
  | { type: "pause" }
  | { type: "resume" }
  | { type: "lines"; first: number; end: number }
  | { type: "search"; text: string };

export type LogState = "reading" | "following" | "interrupted" | "ended" | "removed" | "forbidden";

export type Grown = {
  type: "grown";
  lines: number;
  size: number;
  state: LogState;
  gaps: boolean;
  sections: readonly Section[];
  /** Lines with errors, the first of them. */
  errors: readonly number[];
};

export type FromWorker =
  | Grown
  | { type: "lines"; first: number; lines: readonly ShownLine[] }
  | { type: "found"; text: string; lines: Uint32Array; done: boolean };

/** Of a very long line only a part is laid out, until all of it is asked for. */
export type ShownLine = { spans: readonly Span[]; left: number };
