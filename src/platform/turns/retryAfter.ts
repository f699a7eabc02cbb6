/**
 * When whoever was refused is to come again: the more were refused lately, the later, and not all of them in one
 * moment, or they would only be refused again.
 */
import { LRUCache } from "lru-cache";

export type RetryAfterOptions = {
  leastSeconds: number;
  mostSeconds?: number;
  /** How many of one key can be served in a second. */
  perSecond: number;
  /** From 0 to below 1. */
  random?: () => number;
};

/** A refusal counts for so long. */
const SPAN_MS = 30_000;
/** Keys whose refusals are counted; of more, the one that was quiet longest is forgotten. */
const KEYS = 10_000;
const MOST_SECONDS = 60;
/** Of the wait, the greatest part that chance adds. */
const SPREAD = 0.5;

export class RetryAfter {
  readonly #refused = new LRUCache<string, number>({ max: KEYS, ttl: SPAN_MS });
  readonly #options: RetryAfterOptions;

  constructor(options: RetryAfterOptions) {
    this.#options = options;
  }

  /** Count one more refusal of the key. @returns whole seconds, for `Retry-After` */
  next(key: string): number {
    const { leastSeconds, mostSeconds = MOST_SECONDS, perSecond, random = Math.random } = this.#options;
    const refused = (this.#refused.get(key) ?? 0) + 1;
    this.#refused.set(key, refused, { noUpdateTTL: true });
    const wait = Math.min(Math.max(refused / perSecond, leastSeconds), mostSeconds);
    return Math.ceil(wait * (1 + SPREAD * random()));
  }
}
