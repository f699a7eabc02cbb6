/**
 * Claims of one organization take turns before they take a connection. At its dispatch row they wait for each other anyway
 * (see claim.ts); without turns the pollers of one busy organization would hold every connection of the pool while they
 * wait there, and the claims of all others would stand behind them.
 */

export class ClaimTurns {
  /** The claims that wait, for each organization with one at work. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Run `claim` when it is the organization's turn, first come first served. */
  async take<T>(orgId: string, claim: () => Promise<T>): Promise<T> {
    const waiting = this.#waiting.get(orgId);
    if (waiting === undefined) this.#waiting.set(orgId, []);
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await claim();
    } finally {
      const next = this.#waiting.get(orgId)?.shift();
      if (next !== undefined) next();
      else this.#waiting.delete(orgId);
    }
  }
}
