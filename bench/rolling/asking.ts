/** Somebody who asks the service all the time, and keeps what was not answered as it should be. */
import { setTimeout as sleep } from "node:timers/promises";

export type Refusal = { atMs: number; what: string; status: number | null; retryAfter: boolean };

export type Asking = { asked: number; refusals: Refusal[]; stop(): Promise<void> };

const EVERY_MS = 50;

export function keepAsking(ask: () => Promise<Response>): Asking {
  const asking: Asking = { asked: 0, refusals: [], stop: async () => {} };
  const stopping = new AbortController();
  const loop = async () => {
    while (!stopping.signal.aborted) {
      const atMs = performance.now();
      asking.asked += 1;
      const refused = await ask().then(
        async (answer) => {
          await answer.arrayBuffer();
          return answer.status < 500 ? null : { status: answer.status, retryAfter: answer.headers.has("retry-after") };
        },
        (error: unknown) => ({ status: null, retryAfter: false, why: String((error as Error).cause ?? error) }),
      );
      if (refused !== null) asking.refusals.push({ atMs, what: JSON.stringify(refused), ...refused });
      await sleep(EVERY_MS);
    }
  };
  const looping = loop();
  asking.stop = async () => {
    stopping.abort();
    await looping;
  };
  return asking;
}

/** Those that are not a 503 which says when to come again. Pure. */
export function failed(refusals: readonly Refusal[]): Refusal[] {
  return refusals.filter(({ status, retryAfter }) => status !== 503 || !retryAfter);
}

/** The longest time over which one refusal followed the other, in milliseconds. Pure. */
export function longestOutage(refusals: readonly Refusal[]): number {
  let [longest, from, last] = [0, Number.NaN, Number.NEGATIVE_INFINITY];
  for (const { atMs } of refusals) {
    if (atMs - last > 500) from = atMs;
    last = atMs;
    longest = Math.max(longest, atMs - from);
  }
  return longest;
}
