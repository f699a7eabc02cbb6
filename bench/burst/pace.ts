/**
 * Calls at a steady pace, whatever the answers take: who waits for an answer before asking again does not see how long
 * others wait.
 */
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Begin a call every `everyMs` until told to stop or `most` were begun, then wait for all answers. The first failure is
 * thrown.
 */
export async function atPace(
  { everyMs, most, stop }: { everyMs: number; most: number; stop: AbortSignal },
  call: () => Promise<void>,
): Promise<void> {
  const calls: Promise<void>[] = [];
  const failed = new AbortController();
  const over = AbortSignal.any([stop, failed.signal]);
  for (let i = 0; i < most && !over.aborted; i++) {
    const begun = call();
    begun.catch(() => failed.abort());
    calls.push(begun);
    await sleep(everyMs, undefined, { signal: over }).catch(() => {});
  }
  await Promise.all(calls);
}
