/** Turns by key: at most so many at once for each, in the order they were asked for. */

export type Turn = {
  /** False when the wait took too long; there is nothing to give back then. */
  mine: boolean;
  [Symbol.asyncDispose](): Promise<void>;
};

type Queue = { taken: number; waiting: Set<(mine: boolean) => void> };

export class Turns {
  readonly #atOnce: number;
  readonly #queues = new Map<string, Queue>();

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Wait for a turn, at most `waitMs`. Dispose of it to let the next one in. */
  async take(key: string, waitMs: number): Promise<Turn> {
    const queue = this.#queues.get(key) ?? { taken: 0, waiting: new Set() };
    this.#queues.set(key, queue);
    const mine = queue.taken < this.#atOnce ? this.#enter(queue) : await this.#wait(queue, waitMs);
    return { mine, [Symbol.asyncDispose]: async () => void (mine && this.#leave(key, queue)) };
  }

  #enter(queue: Queue): boolean {
    queue.taken += 1;
    return true;
  }

  #wait(queue: Queue, waitMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (mine: boolean) => {
        clearTimeout(timer);
        queue.waiting.delete(settle);
        resolve(mine);
      };
      const timer = setTimeout(settle, waitMs, false);
      queue.waiting.add(settle);
    });
  }

  /** The turn passes straight to the next in line, so that nobody who comes meanwhile slips in. */
  #leave(key: string, queue: Queue): void {
    const [next] = queue.waiting;
    if (next !== undefined) next(true);
    else if (--queue.taken === 0) this.#queues.delete(key);
  }
}
