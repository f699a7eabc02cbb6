import pRetry from "p-retry";
import { ServiceRefused, ServiceUnreachable } from "./serviceClient.ts";

/**
 * After a key rotation old JWTs stop verifying at once; the coordinator may take a while to get the new key
 * (docs/rules/runner-protocol.md#rotating-a-key).
 */
export const UNAUTHORIZED_WINDOW_MS = 300_000;

export interface Persistence {
  /** How long network errors, 429 and 5xx are retried. */
  windowMs: number;
  /** How long 401 is retried. */
  unauthorizedWindowMs?: number;
  /** Codes of a 503 that says for certain that the call had no effect, and how long such an answer is retried. */
  withoutEffect?: { codes: ReadonlySet<string>; windowMs: number };
  /** Ends it at once, with its reason; what is going on has to heed it by itself. */
  signal?: AbortSignal;
}

/**
 * Repeats a call that is safe to repeat until it is answered, refused, or its window has gone. Each kind of failure has
 * its own window, counted from the start. @throws the last error, or the reason of the signal
 */
export async function persist<T>(attempt: () => Promise<T>, options: Persistence): Promise<T> {
  try {
    return await repeated(attempt, options);
  } catch (error) {
    options.signal?.throwIfAborted();
    throw error;
  }
}

function repeated<T>(attempt: () => Promise<T>, options: Persistence): Promise<T> {
  const startedAt = performance.now();
  const unauthorizedMs = options.unauthorizedWindowMs ?? UNAUTHORIZED_WINDOW_MS;
  return pRetry(attempt, {
    retries: Number.POSITIVE_INFINITY,
    minTimeout: 200,
    maxTimeout: 5_000,
    randomize: true,
    maxRetryTime: Math.max(options.windowMs, unauthorizedMs, options.withoutEffect?.windowMs ?? 0),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    shouldRetry: ({ error }) => {
      const elapsed = performance.now() - startedAt;
      if (error instanceof ServiceUnreachable) return elapsed < windowOf(error, options);
      return error instanceof ServiceRefused && error.status === 401 && elapsed < unauthorizedMs;
    },
  });
}

function windowOf({ code }: ServiceUnreachable, { windowMs, withoutEffect }: Persistence): number {
  if (code === null || !withoutEffect?.codes.has(code)) return windowMs;
  return Math.max(windowMs, withoutEffect.windowMs);
}

/**
 * Doubling pauses with full jitter, so that a fleet that lost its service does not come back in step. The jitter is
 * full at the longest pause too, where that of `p-retry` ends.
 */
export class Backoff {
  readonly #firstMs: number;
  readonly #maxMs: number;
  #failures = 0;

  constructor(firstMs = 500, maxMs = 30_000) {
    this.#firstMs = firstMs;
    this.#maxMs = maxMs;
  }

  reset(): void {
    this.#failures = 0;
  }

  /** Milliseconds to pause after one more failure. */
  nextMs(random: () => number = Math.random): number {
    const ceiling = Math.min(this.#maxMs, this.#firstMs * 2 ** Math.min(this.#failures, 16));
    this.#failures += 1;
    return this.#firstMs / 2 + random() * ceiling;
  }
}
