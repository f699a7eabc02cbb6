/** Sends rows in groups side by side: what concerns one workflow in the order it was written, all else as it comes. */
import { withinTrace } from "../../platform/telemetry/traceContext.ts";
import type { OutboxRow } from "../../work/schema.ts";
import { orderingKey, type Send } from "./send.ts";

export type Sent = {
  done: Set<string>;
  lastError: unknown;
};

export type GroupSender = (rows: readonly (OutboxRow & { ageMs?: number })[], limitMs: number) => Promise<Sent>;

/**
 * The first failure of a group leaves its rest unsent, and so does the time limit. Answers with the ids that were sent.
 * @param inParallel groups at once
 */
export function groupSender(
  send: Send,
  inParallel: number,
  count: (outcome: "sent" | "failed") => void = () => {},
): GroupSender {
  return async (rows, limitMs) => {
    const began = performance.now();
    const groups = [...Map.groupBy(rows, (row) => orderingKey(row.message)).values()];
    const done = new Set<string>();
    let lastError: unknown;

    async function sendGroup(group: (OutboxRow & { ageMs?: number })[]): Promise<void> {
      for (const row of group) {
        const passed = performance.now() - began;
        if (passed > limitMs) return;
        await withinTrace(row.traceparent, () => send(row.message, (row.ageMs ?? 0) + passed));
        count("sent");
        done.add(row.id);
      }
    }
    async function worker(): Promise<void> {
      for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
        await sendGroup(group).catch((error: unknown) => {
          count("failed");
          lastError = error;
        });
      }
    }
    await Promise.all(Array.from({ length: Math.min(inParallel, groups.length) }, worker));
    return { done, lastError };
  };
}
