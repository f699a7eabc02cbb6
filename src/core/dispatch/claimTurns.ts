/**
 * Claims of one organization take turns before they take a connection. At its dispatch row they wait for each other
 * anyway (see claim.ts); without turns the pollers of one busy organization would hold every connection of the pool
 * while they wait there, and the claims of all others would stand behind them.
 *
 * An organization with a line of its own also leaves room for the others, while there are any: between two claims of a
 * line it pauses as long as the first one took, and lets those end that are at work without having stood in a line. So
 * it takes at most half of the time, and the others hardly notice it.
 */

/** Longest that a line is held back for others at a time, so that a claim that hangs holds up nobody but its own. */
const COURTESY_MS = 10;
/**
 * After so long the next one begins beside a claim that hangs, as on a connection that a network lost silently: the
 * system gives that up after a quarter of an hour. Turns are a courtesy; what must not meet is kept apart by the rows'
 * locks.
 */
const LONGEST_TURN_MS = 10_000;
/** How long after its last claim another organization still counts as being there. */
const PRESENT_MS = 1_000;

/** A poller in a line: what it is told when its turn has come, and when there is none for it any more. */
type Place = { begin: () => void; leave: () => void };

/** A claim that stood in no line. `over` never rejects. */
type Prompt = { from: number; over: Promise<unknown> };

export class ClaimTurns {
  /** The claims that wait, for each organization with one at work. */
  readonly #lines = new Map<string, Set<Place>>();
  readonly #prompt = new Set<Prompt>();
  /** Who claimed last, and who before that was another organization. */
  #last = { orgId: "", at: Number.NEGATIVE_INFINITY };
  #other = this.#last;
  #closed = false;

  /**
   * Run `claim` when it is the organization's turn, first come first served. Null when there is no turn: the poller has
   * `gone` out of the line, or the process stops.
   */
  async take<T>(orgId: string, claim: () => Promise<T>, gone: AbortSignal): Promise<T | null> {
    if (this.#closed || gone.aborted) return null;
    const line = this.#lines.get(orgId);
    if (line === undefined) this.#lines.set(orgId, new Set());
    else if (!(await standIn(line, gone))) return null;
    const from = performance.now();
    if (this.#last.orgId !== orgId) this.#other = this.#last;
    this.#last = { orgId, at: from };
    const claiming = claim();
    const prompt = { from, over: claiming.catch(() => {}) };
    if (line === undefined) this.#prompt.add(prompt);
    let handedOn = false;
    const handOn = () => {
      clearTimeout(late);
      if (!handedOn) void this.#next(orgId, performance.now() - from);
      handedOn = true;
    };
    const late = setTimeout(handOn, LONGEST_TURN_MS).unref();
    try {
      return await claiming;
    } finally {
      this.#prompt.delete(prompt);
      handOn();
    }
  }

  /** Answer all who wait for their turn, and take no new ones. */
  close(): void {
    this.#closed = true;
    for (const line of this.#lines.values()) for (const place of [...line]) place.leave();
  }

  async #next(orgId: string, tookMs: number): Promise<void> {
    const line = this.#lines.get(orgId);
    if (line?.size && this.#othersAreThere(orgId)) await this.#makeRoom(tookMs);
    // Whoever was in it may have left meanwhile.
    const [first] = line ?? [];
    if (first === undefined) this.#lines.delete(orgId);
    else first.begin();
  }

  #othersAreThere(orgId: string): boolean {
    const { at } = this.#last.orgId === orgId ? this.#other : this.#last;
    return performance.now() - at < PRESENT_MS;
  }

  async #makeRoom(tookMs: number): Promise<void> {
    const since = performance.now() - COURTESY_MS;
    const atWork = [...this.#prompt].filter(({ from }) => from > since).map(({ over }) => over);
    await Promise.all([sleep(Math.min(tookMs, COURTESY_MS)), Promise.race([Promise.all(atWork), sleep(COURTESY_MS)])]);
  }
}

/** Wait in `line` for one's turn; false when it does not come. */
function standIn(line: Set<Place>, gone: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (hasTurn: boolean) => {
      gone.removeEventListener("abort", place.leave);
      line.delete(place);
      resolve(hasTurn);
    };
    const place = { begin: () => end(true), leave: () => end(false) };
    gone.addEventListener("abort", place.leave);
    line.add(place);
  });
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
