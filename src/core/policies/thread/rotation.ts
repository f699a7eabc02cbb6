/**
 * Whose work comes next: a few at once in all, one of each key, and the keys in turn. So an organization whose policies
 * take all the time they may holds one place, and another's next plan does not wait for its tenth.
 */
export class Rotation {
  readonly #places: number;
  /** What waits, by key, in the order in which the keys come. */
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #working = new Set<string>();

  /** @param places 1 or more */
  constructor(places: number) {
    this.#places = places;
  }

  /** Do the work when its key's turn comes. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((begin) => {
      const queue = this.#waiting.get(key) ?? [];
      queue.push(begin);
      this.#waiting.set(key, queue);
      this.#next();
    });
    try {
      return await work();
    } finally {
      this.#working.delete(key);
      this.#toTheEnd(key);
      this.#next();
    }
  }

  #next(): void {
    for (const [key, queue] of [...this.#waiting]) {
      if (this.#working.size >= this.#places) return;
      if (this.#working.has(key)) continue;
      const begin = queue.shift();
      if (queue.length === 0) this.#waiting.delete(key);
      this.#working.add(key);
      begin?.();
    }
  }

  /** Whoever has had a turn comes again after all others that wait. */
  #toTheEnd(key: string): void {
    const queue = this.#waiting.get(key);
    if (queue === undefined) return;
    this.#waiting.delete(key);
    this.#waiting.set(key, queue);
  }
}
