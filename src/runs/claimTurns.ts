/**
 * Claims of one organization take turns before they take a connection. At its dispatch row they wait for each other anyway
 * (see claim.ts); without turns the pollers of one busy organization would hold every connection of the pool while they
 * wait there, and the claims of all others would stand behind them.
 *
 * An organization with a line of its own also leaves room for the others, while there are any: between two claims of a line
 * it pauses as long as the first one took, and lets those end that are at work without having stood in a line. So it takes
 * at most half of the time, and the others hardly notice it.
 */

/** Longest that a line is held back for others at a time, so that a claim that hangs holds up nobody but its own. */
const COURTESY_MS = 10;
/** How long after its last claim another organization still counts as being there. */
const PRESENT_MS = 1_000;

/** A claim that stood in no line. `over` never rejects. */
type Prompt = { from: number; over: Promise<unknown> };

export class ClaimTurns {
  /** The claims that wait, for each organization with one at work. */
  readonly #lines = new Map<string, (() => void)[]>();
  readonly #prompt = new Set<Prompt>();
  /** Who claimed last, and who before that was another organization. */
  #last = { orgId: "", at: Number.NEGATIVE_INFINITY };
  #other = this.#last;

  /** Run `claim` when it is the organization's turn, first come first served. */
  async take<T>(orgId: string, claim: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(orgId);
    if (line === undefined) this.#lines.set(orgId, []);
    else await new Promise<void>((resolve) => line.push(resolve));
    const from = performance.now();
    if (this.#last.orgId !== orgId) this.#other = this.#last;
    this.#last = { orgId, at: from };
    const claiming = claim();
    const prompt = { from, over: claiming.catch(() => {}) };
    if (line === undefined) this.#prompt.add(prompt);
    try {
      return await claiming;
    } finally {
      this.#prompt.delete(prompt);
      void this.#next(orgId, performance.now() - from);
    }
  }

  async #next(orgId: string, tookMs: number): Promise<void> {
    const line = this.#lines.get(orgId);
    if (line !== undefined && line.length > 0) {
      if (this.#othersAreThere(orgId)) await this.#makeRoom(tookMs);
      line.shift()?.();
    } else this.#lines.delete(orgId);
  }

  #othersAreThere(orgId: string): boolean {
    const { at } = this.#last.orgId === orgId ? this.#other : this.#last;
    return performance.now() - at < PRESENT_MS;
  }

  async #makeRoom(tookMs: number): Promise<void> {
    const recent = performance.now() - COURTESY_MS;
    const atWork = [...this.#prompt].filter(({ from }) => from > recent).map(({ over }) => over);
    await Promise.all([sleep(Math.min(tookMs, COURTESY_MS)), Promise.race([Promise.all(atWork), sleep(COURTESY_MS)])]);
  }
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
