/**
 * Credentials that come to nothing cost a look at what is stored. Whoever brings many is looked up no more for a while
 * (docs/rules/limits.md#credentials-that-come-to-nothing). What is known already is still served to them: behind one
 * address there may be others. Counted in this process.
 */
import { LRUCache } from "lru-cache";
import { TooManyRequestsError } from "./addressLimit.ts";

const WINDOW_MS = 60_000;
const COUNTED = 10_000;

export class FailureLimit {
  readonly #perMinute: number;
  readonly #failures: LRUCache<string, number>;

  constructor(perMinute: number, perf: { now(): number } = performance) {
    this.#perMinute = perMinute;
    this.#failures = new LRUCache<string, number>({ max: COUNTED, ttl: WINDOW_MS, ttlResolution: 0, perf });
  }

  isSpent(who: string): boolean {
    return (this.#failures.get(who) ?? 0) >= this.#perMinute;
  }

  /** Before a look. @throws TooManyRequestsError */
  check(who: string): void {
    if (!this.isSpent(who)) return;
    throw new TooManyRequestsError(Math.max(1, Math.ceil(this.#failures.getRemainingTTL(who) / 1_000)));
  }

  /** A look came to nothing. A minute begins with the first. */
  failed(who: string): void {
    const failures = this.#failures.get(who);
    if (failures === undefined) this.#failures.set(who, 1);
    else this.#failures.set(who, failures + 1, { noUpdateTTL: true });
  }
}
