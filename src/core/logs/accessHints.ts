/**
 * Told that somebody's access may have ended, what is open asks again whether it may go on: not all at the same
 * instant, and not more often than once a second. A hint may be lost; each has a check of its own besides.
 */

/** Within this long after a hint everybody has asked, which leaves room for the answer within 2 s. */
const SPREAD_MS = 1_000;

export class AccessHints {
  readonly #open = new Set<() => void>();

  /** Access has changed somewhere. */
  changed(): void {
    for (const ask of this.#open) ask();
  }

  /** @param check is never called twice at once @returns what ends it */
  watch(check: () => Promise<unknown>): () => void {
    let timer: NodeJS.Timeout | undefined;
    const ask = () => {
      timer ??= setTimeout(async () => {
        await check().catch(() => {});
        timer = undefined;
      }, Math.random() * SPREAD_MS);
    };
    this.#open.add(ask);
    return () => {
      this.#open.delete(ask);
      clearTimeout(timer);
    };
  }
}
