import { once } from "node:events";
import type { OwnLog } from "../output/ownLog.ts";
import { exitOf } from "../process/childExit.ts";
import { Backoff } from "../service/retry.ts";
import type { Confined, Wall } from "../wall/confined.ts";

/** How long one that waits gets to end by itself. It has nothing to save. */
const END_MS = 2_000;

/**
 * Processes that have loaded the ephemeral runner and wait for their one run, so that no run waits for the loading.
 * Until then they know nothing of any run. Each ends by itself once the coordinator is gone.
 */
export class Spares {
  readonly #wall: Wall;
  readonly #count: number;
  readonly #logger: OwnLog;
  readonly #backoff = new Backoff();
  readonly #waiting = new Set<Confined>();
  #pause: NodeJS.Timeout | null = null;
  #ended = false;

  /** @param count how many wait at a time */
  constructor(wall: Wall, count: number, logger: OwnLog) {
    this.#wall = wall;
    this.#count = count;
    this.#logger = logger;
  }

  /** Starts as many as are missing. Never throws. */
  fill(): void {
    while (!this.#ended && this.#pause === null && this.#waiting.size < this.#count) this.#add();
  }

  /** The one that has waited longest, or a new one when none is there. @throws when that cannot be started */
  async take(): Promise<Confined> {
    for (const confined of this.#waiting) {
      this.#waiting.delete(confined);
      if (confined.reachable) {
        this.#backoff.reset();
        return confined;
      }
      void end(confined);
    }
    const confined = this.#wall.start();
    try {
      // Rejects when there is an error instead.
      await once(confined.child, "spawn");
      return confined;
    } catch (error) {
      void confined.clear();
      throw error;
    }
  }

  /** Those that wait. */
  pids(): number[] {
    return [...this.#waiting].flatMap(({ child }) => child.pid ?? []);
  }

  /** Ends those that wait. None is started any more. */
  async end(): Promise<void> {
    this.#ended = true;
    if (this.#pause !== null) clearTimeout(this.#pause);
    const left = [...this.#waiting];
    this.#waiting.clear();
    await Promise.all(left.map(end));
  }

  #add(): void {
    let confined: Confined;
    try {
      confined = this.#wall.start();
    } catch (err) {
      this.#fillLater({ err });
      return;
    }
    this.#waiting.add(confined);
    confined.child.once("exit", (code, signal) => this.#lost(confined, { code, signal }));
    confined.child.once("error", (err) => this.#lost(confined, { err }));
  }

  #lost(confined: Confined, how: object): void {
    if (!this.#waiting.delete(confined)) return;
    void confined.clear();
    this.#fillLater(how);
  }

  /** The next one may end as fast, so it comes no sooner than after a pause. */
  #fillLater(how: object): void {
    const pauseMs = this.#backoff.nextMs();
    this.#logger.warn({ ...how, pauseMs: Math.round(pauseMs) }, "a process that waited for its run is gone");
    this.#pause ??= setTimeout(() => {
      this.#pause = null;
      this.fill();
    }, pauseMs);
  }
}

/** One that waits, or one that cannot be told anything any more. */
async function end(confined: Confined): Promise<void> {
  const exited = exitOf(confined.child);
  confined.dismiss();
  const timer = setTimeout(() => confined.kill(), END_MS);
  await exited;
  clearTimeout(timer);
  await confined.clear();
}
