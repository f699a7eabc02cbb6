/** At most so many requests a minute by one client address, counted in this process. */
import type { Context } from "hono";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { ProblemError } from "../platform/problems/problem.ts";
import { clientKey } from "./clientAddress.ts";

export class TooManyRequestsError extends ProblemError {
  constructor(retryAfterSeconds: number) {
    const detail = "Too many requests from this address. Try again later.";
    super({ status: 429, code: "rate_limited", detail, retryAfterSeconds });
  }
}

/** @throws TooManyRequestsError with the seconds after which the next one is let through */
export type AddressLimit = (c: Context) => Promise<void>;

/** One budget for all routes that share the returned limit. */
export function addressLimit(options: { perMinute: number; trustedProxies: number }): AddressLimit {
  const limiter = new RateLimiterMemory({ points: options.perMinute, duration: 60 });
  return async (c) => {
    try {
      await limiter.consume(clientKey(c, options.trustedProxies));
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      throw new TooManyRequestsError(Math.max(1, Math.ceil(refused.msBeforeNext / 1_000)));
    }
  };
}
