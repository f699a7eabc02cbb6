/** Turns by key: at most so many at once for each, in the order they were asked for. */
import { Turn } from "./turn.ts";

type Enter = (mine: boolean) => void;
type Queue = { taken: number; returning: Set<Enter>; waiting: Set<Enter> };

export class Turns {
  readonly #atOnce: () => number;
  readonly #longest: number;
  /** Of each key that has a turn taken. */
  readonly #queues = new Map<string, Queue>();

  /**
   * @param atOnce 1 or more; a function is asked whenever somebody comes or leaves
   * @param longest most that wait for one key
   */
  constructor(atOnce: number | (() => number), longest = Number.POSITIVE_INFINITY) {
    this.#atOnce = typeof atOnce === "number" ? () => atOnce : atOnce;
    this.#longest = longest;
  }

  /** How many wait now, of all keys. */
  get waiting(): number {
    let sum = 0;
    for (const { waiting } of this.#queues.values()) sum += waiting.size;
    return sum;
  }

  /** Wait for a turn, at most `waitMs`. Dispose of it to let the next one in. */
  async take(key: string, waitMs: number): Promise<Turn> {
    const mine = await this.#enter(this.#queueOf(key), waitMs);
    return new Turn(mine, { leave: () => this.#leave(key), comeBack: () => this.#comeBack(this.#queueOf(key)) });
  }

  #queueOf(key: string): Queue {
    const queue = this.#queues.get(key) ?? { taken: 0, returning: new Set(), waiting: new Set() };
    this.#queues.set(key, queue);
    return queue;
  }

  #enter(queue: Queue, waitMs: number): boolean | Promise<boolean> {
    if (this.#passes(queue)) return true;
    if (queue.waiting.size >= this.#longest) return false;
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

  async #comeBack(queue: Queue): Promise<void> {
    if (!this.#passes(queue)) await new Promise<boolean>((resolve) => queue.returning.add(resolve));
  }

  #passes(queue: Queue): boolean {
    if (queue.taken >= this.#atOnce() || queue.returning.size > 0 || queue.waiting.size > 0) return false;
    queue.taken += 1;
    return true;
  }

  /** Turns pass straight to the next in line, so that nobody who comes meanwhile slips in. */
  #leave(key: string): void {
    const queue = this.#queueOf(key);
    queue.taken -= 1;
    while (queue.taken < this.#atOnce()) {
      const [next] = queue.returning.size > 0 ? queue.returning : queue.waiting;
      if (next === undefined) break;
      queue.returning.delete(next);
      queue.taken += 1;
      next(true);
    }
    if (queue.taken === 0) this.#queues.delete(key);
  }
}
