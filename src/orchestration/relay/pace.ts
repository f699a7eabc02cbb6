/**
 * How many patient messages go to Temporal, and how fast: the backlog stays in Postgres, where it has an order. Two
 * signs say that others would begin to wait: workers leave tasks untaken, and a call takes much longer than it can.
 * Then fewer go, after a pause that grows; while neither is seen, more go and the pause goes away. More workers, or a
 * faster server, take more.
 */
import { setTimeout as sleep } from "node:timers/promises";

/** How long the oldest workflow task that no worker has taken yet has waited, in milliseconds; 0 for none. */
export type Backlog = () => Promise<number>;

/** `size`: messages of the next batch. `pauseMs`: what lies between two batches. */
export type Pace = { size: number; pauseMs: number };
/** What was seen lately. `callMs`: how long a call takes; `bestMs`: how long calls take when nobody waits. */
export type Signs = { backlogMs: number; callMs: number; bestMs: number };

const SMALLEST = 2;
const GROWTH = 4;
const LARGEST = 100;
const SHORTEST_PAUSE_MS = 50;
/** A task that waited for less was taken as soon as a worker came by. */
const AT_ONCE_MS = 50;
/** With one that waits for longer, the server and the workers have enough. */
const FULL_MS = 300;
/** Calls may take so many times as long as the best ones before they count as slow. */
const SLOW = 1.5;
/** No call is slow that takes less. */
const PROMPT_MS = 5;
/**
 * By how much the memory of the best call fades with each batch: a server that became slower for good is not slow for
 * ever.
 */
const FADING = 1.02;

/** Pure. */
export function nextPace({ size, pauseMs }: Pace, { backlogMs, callMs, bestMs }: Signs, longestPauseMs: number): Pace {
  if (backlogMs >= FULL_MS || callMs > Math.max(bestMs * SLOW, PROMPT_MS)) {
    const longer = Math.max(pauseMs * 2, SHORTEST_PAUSE_MS);
    return { size: Math.max(Math.floor(size / 2), SMALLEST), pauseMs: Math.min(longer, longestPauseMs) };
  }
  if (backlogMs > AT_ONCE_MS) return { size, pauseMs };
  const shorter = pauseMs > SHORTEST_PAUSE_MS ? pauseMs / 2 : 0;
  return { size: Math.min(size + GROWTH, LARGEST), pauseMs: shorter };
}

/** After so long without a batch nothing is known of the server any more, and few messages are no burden. */
const QUIET_MS = 1_000;

export type Pacer = {
  /** Waits as the pace says. Returns how many messages may be sent now. */
  room(): Promise<number>;
  /** A batch was sent: how long one call of it took. */
  sent(callMs: number): void;
};

/**
 * @param backlog absent: only the calls say how much there is to do
 * @param seen told how many messages may be sent, each time
 * @param now milliseconds of a clock that only goes on
 */
export function pacer(
  longestPauseMs: number,
  isClosed: () => boolean,
  backlog: Backlog = async () => 0,
  seen: (size: number) => void = () => {},
  now: () => number = () => performance.now(),
): Pacer {
  let pace: Pace = { size: 0, pauseMs: 0 };
  let callMs = 0;
  let bestMs = Number.POSITIVE_INFINITY;
  let lastSent = now();
  return {
    sent(ms) {
      lastSent = now();
      // One that is late by chance counts for half.
      callMs = callMs === 0 ? ms : (callMs + ms) / 2;
      bestMs = Math.min(bestMs * FADING, ms);
    },
    async room() {
      if (now() - lastSent > QUIET_MS) {
        pace = { size: 0, pauseMs: 0 };
        callMs = 0;
      }
      // Nobody knows what the workers have to do: a little is sent all the same.
      const backlogMs = await backlog().catch(() => AT_ONCE_MS + 1);
      pace = nextPace(pace, { backlogMs, callMs, bestMs }, longestPauseMs);
      for (let rest = pace.pauseMs; rest > 0 && !isClosed(); rest -= SHORTEST_PAUSE_MS) {
        await sleep(Math.min(rest, SHORTEST_PAUSE_MS));
      }
      const size = Math.max(pace.size, SMALLEST);
      seen(size);
      return size;
    },
  };
}
