/**
 * How many patient messages may go to Temporal now: as many as the workers do in about a second, so that the backlog stays in
 * Postgres, where it has an order, and nobody's decision stands behind it. The window grows while tasks are taken at once and halves
 * when they wait; more workers make it wider.
 */
import { setTimeout as sleep } from "node:timers/promises";

/** How long the oldest workflow task that no worker has taken yet has waited, in milliseconds; 0 for none. */
export type Backlog = () => Promise<number>;

const SMALLEST = 4;
const LARGEST = 100;
/** A task that waited for less was taken as soon as a worker came by. */
const AT_ONCE_MS = 50;
/** With one that waits for longer, nothing is added. */
const FULL_MS = 300;
const LOOK_AGAIN_MS = 100;

/** The next size of the window; 0 while the workers have enough. Pure. */
export function nextWindow(window: number, backlogMs: number): number {
  if (backlogMs >= FULL_MS) return 0;
  if (backlogMs <= AT_ONCE_MS) return Math.min(Math.max(window * 2, SMALLEST), LARGEST);
  return Math.max(window, SMALLEST);
}

/** Waits until something may be sent. With the backlog unknown, a little is sent all the same. */
export function windowOf(backlog: Backlog, isClosed: () => boolean): () => Promise<number> {
  let window = SMALLEST;
  return async () => {
    for (;;) {
      const waiting = await backlog().catch(() => AT_ONCE_MS + 1);
      const next = nextWindow(window, waiting);
      window = next === 0 ? Math.max(Math.floor(window / 2), SMALLEST) : next;
      if (next > 0 || isClosed()) return window;
      await sleep(LOOK_AGAIN_MS);
    }
  };
}
