/**
 * Claims of one organization take turns before they take a connection. At its dispatch row they wait for each other anyway
 * (see claim.ts); without turns the pollers of one busy organization would hold every connection of the pool while they
 * wait there, and the claims of all others would stand behind them.
 */

/** One at work and one that is begun and waits at the lock, so that the row is never idle between two of them. */
const AT_ONCE = 2;

type Queue = { running: number; waiting: (() => void)[] };

export class ClaimTurns {
  readonly #queues = new Map<string, Queue>();

  /** Run `claim` when it is the organization's turn, first come first served. */
  async take<T>(orgId: string, claim: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(orgId) ?? { running: 0, waiting: [] };
    this.#queues.set(orgId, queue);
    // A claim that ends hands its place over, so `running` only grows for one that need not wait.
    if (queue.running < AT_ONCE) queue.running++;
    else await new Promise<void>((resolve) => queue.waiting.push(resolve));
    try {
      return await claim();
    } finally {
      const next = queue.waiting.shift();
      if (next !== undefined) next();
      else if (--queue.running === 0) this.#queues.delete(orgId);
    }
  }
}
