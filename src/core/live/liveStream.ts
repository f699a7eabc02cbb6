/**
 * The hints to one reader, in order, and of each deployment the newest only: whoever reads slowly misses nothing but
 * steps between.
 */
import { grantsAllow, type StackGrants } from "../../people/authorization/stackGrants.ts";
import type { LiveFeed } from "./liveFeed.ts";
import type { LiveRow } from "./liveRows.ts";

export type Hint = { deployment: string; stack: string; status: string; version: string };
export type Narrowed = { stack?: string | undefined; deployment?: string | undefined };

export function hintOf({ id, stack, status, version }: LiveRow): Hint {
  return { deployment: id, stack, status, version };
}

/** Whether this reader is told of this row. */
export function isFor(row: LiveRow, held: StackGrants, { stack, deployment }: Narrowed): boolean {
  if (stack !== undefined && row.stack !== stack) return false;
  if (deployment !== undefined && row.id !== deployment) return false;
  return grantsAllow(held, "read", { name: row.stack_name, groups: row.groups });
}

/**
 * First null, from when on nothing is missed; then hints.
 * @param held asked for each row, since it may become less while the stream goes on
 */
export async function* followLive(
  feed: LiveFeed,
  { orgId, held, narrowed }: { orgId: string; held: () => StackGrants; narrowed: Narrowed },
  signal: AbortSignal,
): AsyncGenerator<Hint | null, void> {
  const pending = new Map<string, LiveRow>();
  let wake = () => {};
  const opening = { known: false, told: false };
  const stop = feed.follow(orgId, {
    ready() {
      opening.known = true;
      wake();
    },
    changed(row) {
      if (!isFor(row, held(), narrowed)) return;
      pending.delete(row.id);
      pending.set(row.id, row);
      wake();
    },
  });
  try {
    while (!signal.aborted) {
      if (opening.known && !opening.told) {
        opening.told = true;
        yield null;
        continue;
      }
      const [row] = pending.values();
      if (row === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
        continue;
      }
      pending.delete(row.id);
      // What was taken away while it waited is not told.
      if (isFor(row, held(), narrowed)) yield hintOf(row);
    }
  } finally {
    stop();
  }
}
