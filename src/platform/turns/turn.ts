/** A turn that was asked for, and stepping aside from it while one waits for somebody else. */
import { AsyncLocalStorage } from "node:async_hooks";

type Line = { leave(): void; comeBack(): Promise<void> };

const holding = new AsyncLocalStorage<Turn>();

export class Turn {
  /** False when the wait took too long, or too many waited already; there is nothing to give back then. */
  readonly mine: boolean;
  readonly #line: Line;
  #inside: boolean;
  #over = false;
  /** Calls under way elsewhere. */
  #elsewhere = 0;
  #comingBack: Promise<void> | undefined;

  constructor(mine: boolean, line: Line) {
    this.mine = mine;
    this.#inside = mine;
    this.#line = line;
  }

  /** Run `work`, of which every `aside` gives this turn away meanwhile. */
  within<T>(work: () => Promise<T>): Promise<T> {
    return holding.run(this, work);
  }

  /** Let the next one in while `work` goes on. Who comes back goes before those who have not begun. */
  async aside<T>(work: () => Promise<T>): Promise<T> {
    this.#elsewhere += 1;
    this.#leave();
    try {
      return await work();
    } finally {
      this.#elsewhere -= 1;
      if (this.mine && !this.#over && this.#elsewhere === 0) {
        this.#comingBack ??= this.#comeBack();
        await this.#comingBack;
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over = true;
    this.#leave();
  }

  #leave(): void {
    if (!this.#inside) return;
    this.#inside = false;
    this.#line.leave();
  }

  async #comeBack(): Promise<void> {
    await this.#line.comeBack();
    this.#comingBack = undefined;
    this.#inside = true;
    if (this.#over || this.#elsewhere > 0) this.#leave();
  }
}

/** Run `work` for which others are waited for: whoever holds a turn gives it away meanwhile. */
export function aside<T>(work: () => Promise<T>): Promise<T> {
  const turn = holding.getStore();
  return turn === undefined ? work() : turn.aside(work);
}
