/** How many different keys were seen lately. */

export class Recent {
  readonly #spanMs: number;
  #since: number;
  #now = new Set<string>();
  #before = new Set<string>();

  /** @param spanMs a key counts for so long at least, and for twice as long at most */
  constructor(spanMs: number, nowMs = performance.now()) {
    this.#spanMs = spanMs;
    this.#since = nowMs;
  }

  see(key: string, nowMs = performance.now()): void {
    this.#turnOver(nowMs);
    this.#before.delete(key);
    this.#now.add(key);
  }

  count(nowMs = performance.now()): number {
    this.#turnOver(nowMs);
    return this.#now.size + this.#before.size;
  }

  #turnOver(nowMs: number): void {
    const passed = nowMs - this.#since;
    if (passed < this.#spanMs) return;
    this.#before = passed < 2 * this.#spanMs ? this.#now : new Set();
    this.#now = new Set();
    this.#since = nowMs;
  }
}
