/** Waits for a condition instead of for a time. */

export type WaitOptions = {
  /** What is waited for, in words: the error says it. */
  what: string;
  /** Default 10,000. */
  timeoutMs?: number;
  /** Default 25. */
  everyMs?: number;
};

type Truthy<T> = Exclude<T, false | 0 | "" | null | undefined>;

/**
 * Ask `condition` again and again until it gives something truthy, and return that. One that throws counts as not yet.
 * @throws after `timeoutMs`, naming what was waited for and the last error or answer.
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  { what, timeoutMs = 45_000, everyMs = 25 }: WaitOptions,
): Promise<Truthy<T>> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    let last: unknown;
    try {
      const answer = await condition();
      if (answer) return answer as Truthy<T>;
      last = answer;
    } catch (error) {
      last = error;
    }
    if (Date.now() >= deadline) {
      const options = last instanceof Error ? { cause: last } : {};
      throw new Error(`waited ${timeoutMs} ms for ${what}; last: ${String(last)}`, options);
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
