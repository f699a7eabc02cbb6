/**
 * Who goes out for a tenant passes here: so many at once for each tenant, and so many in total. What a tenant named may
 * hang, and what hangs must hold up that tenant alone.
 */
import { ProblemError } from "../problems/problem.ts";
import { RetryAfter } from "../turns/retryAfter.ts";

const LEAST_SECONDS = 5;

class TenantBusyError extends ProblemError {
  constructor(retryAfterSeconds: number) {
    const detail = "This organization has too many calls to other systems under way; those may be slow to answer.";
    super({ status: 429, code: "rate_limited", detail, retryAfterSeconds });
  }
}

class AllBusyError extends ProblemError {
  constructor(retryAfterSeconds: number) {
    const detail = "Too many calls to other systems are under way.";
    super({ status: 503, code: "upstream_unavailable", detail, retryAfterSeconds });
  }
}

export type GateLimits = { perTenant: number; total: number; waitMs: number };

/** A place that a caller waits for, and what is said when none comes free in time. */
type Waiter = { tenant: string; enter(): void };

export class TenantGate {
  readonly #limits: GateLimits;
  readonly #inside = new Map<string, number>();
  readonly #waiting = new Set<Waiter>();
  readonly #retryAfter: RetryAfter;
  #total = 0;

  constructor(limits: GateLimits) {
    this.#limits = limits;
    // A call that is well answered takes less than a second.
    this.#retryAfter = new RetryAfter({ leastSeconds: LEAST_SECONDS, perSecond: limits.perTenant });
  }

  /** Do it once there is a place. @throws TenantBusyError, AllBusyError when none comes free in time */
  async through<T>(tenant: string, work: () => Promise<T>): Promise<T> {
    if (this.#open(tenant)) this.#enter(tenant);
    else await this.#wait(tenant);
    try {
      return await work();
    } finally {
      this.#leave(tenant);
    }
  }

  /** No more wait than may be inside: who came later would wait in vain. */
  async #wait(tenant: string): Promise<void> {
    const mine = [...this.#waiting].filter((waiter) => waiter.tenant === tenant).length;
    if (mine >= this.#limits.perTenant * 4) throw this.#refusal(tenant);
    await new Promise<void>((resolve, reject) => {
      const waiter: Waiter = {
        tenant,
        enter: () => {
          clearTimeout(timer);
          this.#waiting.delete(waiter);
          this.#enter(tenant);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(waiter);
        reject(this.#refusal(tenant));
      }, this.#limits.waitMs);
      this.#waiting.add(waiter);
    });
  }

  #refusal(tenant: string): ProblemError {
    const seconds = this.#retryAfter.next(tenant);
    return this.#ofTenant(tenant) >= this.#limits.perTenant ? new TenantBusyError(seconds) : new AllBusyError(seconds);
  }

  #open(tenant: string): boolean {
    return this.#total < this.#limits.total && this.#ofTenant(tenant) < this.#limits.perTenant;
  }

  #ofTenant(tenant: string): number {
    return this.#inside.get(tenant) ?? 0;
  }

  #enter(tenant: string): void {
    this.#total += 1;
    this.#inside.set(tenant, this.#ofTenant(tenant) + 1);
  }

  /** The place passes straight to who has waited longest of those who may have one. */
  #leave(tenant: string): void {
    this.#total -= 1;
    const left = this.#ofTenant(tenant) - 1;
    if (left > 0) this.#inside.set(tenant, left);
    else this.#inside.delete(tenant);
    for (const waiter of this.#waiting) {
      if (!this.#open(waiter.tenant)) continue;
      waiter.enter();
      return;
    }
  }
}
