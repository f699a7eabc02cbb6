/** Waits for a condition. */
import { setTimeout as sleep } from "node:timers/promises";

/** Ask until it gives something truthy; one that throws counts as not yet. @throws after `timeoutMs` */
export async function until<T>(
  what: string,
  timeoutMs: number,
  condition: () => T | Promise<T>,
  everyMs = 25,
): Promise<NonNullable<T>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    let last: unknown;
    try {
      last = await condition();
      if (last) return last as NonNullable<T>;
    } catch (error) {
      last = error;
    }
    if (performance.now() >= deadline) {
      const options = last instanceof Error ? { cause: last } : {};
      throw new Error(`waited ${timeoutMs} ms for ${what}`, options);
    }
    await sleep(everyMs);
  }
}
