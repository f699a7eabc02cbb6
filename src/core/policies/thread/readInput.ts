/** What policies look at, read from the list of changes as it is stored. Runs in the thread. */
import type { PlanChange } from "../../runs/planChange.ts";
import type { Input } from "../input.ts";
import type { EvaluateJob } from "./jobs.ts";

/** The input in the forms that policies take, each made once. */
export type Read = {
  parsed(): Input;
  /** With the runner's own bytes of each change, so that no digit becomes another. */
  text(): ArrayBuffer;
};

/** Null where the list cannot be read. */
export function readInput(facts: EvaluateJob["facts"], bytes: Uint8Array): Read | null {
  try {
    const { changes, drift } = parted(bytes);
    const all = (lines: readonly Buffer[]) => lines.map((line) => JSON.parse(line.toString("utf8")) as PlanChange);
    return {
      parsed: once(() => ({ ...facts, changes: all(changes), drift: all(drift) })),
      text: once(() => {
        const given = Buffer.from(JSON.stringify(facts).slice(0, -1));
        return joined([given, LISTS.changes, ...listed(changes), LISTS.drift, ...listed(drift), LISTS.end]);
      }),
    };
  } catch {
    return null;
  }
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const LISTS = {
  changes: Buffer.from(',"changes":['),
  drift: Buffer.from('],"drift":['),
  end: Buffer.from("]}"),
  comma: Buffer.from(","),
};

const listed = (lines: readonly Buffer[]) => lines.flatMap((line, at) => (at === 0 ? [line] : [LISTS.comma, line]));

function joined(parts: readonly Buffer[]): ArrayBuffer {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all.buffer;
}

/** The list as a whole is never one text: the heap may have no room for it, which would end the process. */
function parted(bytes: Uint8Array): { changes: Buffer[]; drift: Buffer[] } {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const lists: { changes: Buffer[]; drift: Buffer[] } = { changes: [], drift: [] };
  for (let at = 0; at < all.length; ) {
    const found = all.indexOf(10, at);
    const end = found === -1 ? all.length : found;
    const line = all.subarray(at, end);
    if (line.length > 0) lists[isDrift(line) ? "drift" : "changes"].push(line);
    at = end + 1;
  }
  return lists;
}

/** As runners write it the kind comes first, and the rest need not be read for it. */
function isDrift(line: Buffer): boolean {
  const [, kind] = /^\{"kind":"([a-z]+)"/.exec(line.toString("latin1", 0, 40)) ?? [];
  return (kind ?? (JSON.parse(line.toString("utf8")) as PlanChange).kind) === "drift";
}
