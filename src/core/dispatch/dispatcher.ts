/**
 * The long poll's waiting room (docs/rules/dispatch.md#the-long-poll). Waiting pollers cost nothing each: one shared
 * query per process asks for all of them which groups have runs, once a second and at every hint, and wakes only as
 * many pollers as there are runs.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Db } from "../../platform/db/client.ts";
import { ClaimTurns } from "./claimTurns.ts";
import { claimableByGroup } from "./pendingWork.ts";
import type { DispatchLimits } from "./types.ts";

/** How long a hint that went astray is missed at most, in milliseconds. */
const LOOK_EVERY_MS = 1_000;

/** Why a wait ended: there may be a run, its time was up, the client left, or the process stops. */
export type Woken = "work" | "timeout" | "gone" | "closing";

type Seat = { groupId: string; wake: (why: Woken) => void };

export class Dispatcher {
  /** In which the pollers it woke claim. */
  readonly turns = new ClaimTurns();
  readonly #db: Db;
  readonly #limits: DispatchLimits;
  readonly #lookEveryMs: number;
  /** By group, first come first served. */
  readonly #waiting = new Map<string, Set<Seat>>();
  /** Pollers woken for a run and not back yet, by group; the next look must not wake another for the same run. */
  readonly #trying = new Map<string, number>();
  /** Groups for which the last looks woke fewer than there were runs, because of `#trying`. */
  readonly #heldBack = new Set<string>();
  /** Looks serve everyone, so they must not count as the statements of whichever request happened to ask. */
  readonly #outsideOfRequests = AsyncLocalStorage.snapshot();
  #hints = 0;
  #looking = false;
  #timer: NodeJS.Timeout | undefined;
  #closing = false;

  constructor(db: Db, limits: DispatchLimits, lookEveryMs = LOOK_EVERY_MS) {
    this.#db = db;
    this.#limits = limits;
    this.#lookEveryMs = lookEveryMs;
  }

  /** Runs may have become claimable. Never throws. */
  hint(): void {
    this.#hints++;
    this.#lookSoon();
  }

  /** How many pollers wait, for `/metrics` and tests. */
  get waiting(): number {
    let pollers = 0;
    for (const seats of this.#waiting.values()) pollers += seats.size;
    return pollers;
  }

  /** Begin a poll, before its first look at the database, so that no hint falls between the look and the wait. */
  enter(): Visit {
    let seen = this.#hints;
    let tryingFor: string | null = null;
    const settle = () => {
      if (tryingFor !== null) this.#tried(tryingFor);
      tryingFor = null;
    };
    return {
      wait: async (groupId, ms, gone) => {
        settle();
        const missed = seen !== this.#hints;
        const why = await this.#sit(groupId, ms, gone, missed);
        seen = this.#hints;
        if (why === "work") tryingFor = groupId;
        return why;
      },
      leave: settle,
    };
  }

  /** Answer all waiting polls and take no new ones. */
  close(): void {
    this.#closing = true;
    clearTimeout(this.#timer);
    this.turns.close();
    for (const seats of this.#waiting.values()) for (const seat of [...seats]) seat.wake("closing");
  }

  #sit(groupId: string, ms: number, gone: AbortSignal, lookNow: boolean): Promise<Woken> {
    if (this.#closing) return Promise.resolve("closing");
    if (gone.aborted) return Promise.resolve("gone");
    return new Promise((resolve) => {
      const seats = this.#waiting.get(groupId) ?? new Set();
      const onGone = () => seat.wake("gone");
      const timeout = setTimeout(() => seat.wake("timeout"), ms);
      const seat: Seat = {
        groupId,
        wake: (why) => {
          clearTimeout(timeout);
          gone.removeEventListener("abort", onGone);
          seats.delete(seat);
          if (seats.size === 0 && this.#waiting.get(groupId) === seats) this.#waiting.delete(groupId);
          resolve(why);
        },
      };
      gone.addEventListener("abort", onGone);
      this.#waiting.set(groupId, seats.add(seat));
      if (lookNow) this.#lookSoon();
      else this.#schedule();
    });
  }

  #tried(groupId: string): void {
    const left = (this.#trying.get(groupId) ?? 1) - 1;
    if (left > 0) this.#trying.set(groupId, left);
    else this.#trying.delete(groupId);
    if (this.#heldBack.delete(groupId)) this.#lookSoon();
  }

  /** One look at a time; hints that arrive during one are served by one more after it. */
  #lookSoon(): void {
    if (this.#looking || this.#closing || this.#waiting.size === 0) return;
    this.#looking = true;
    this.#outsideOfRequests(() => void this.#look());
  }

  async #look(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const atHint = this.#hints;
    const groups = new Map(
      [...this.#waiting].map(([groupId, seats]) => [groupId, seats.size + this.#tryingFor(groupId)]),
    );
    try {
      this.#wake(await claimableByGroup(this.#db, groups, this.#limits));
    } catch {
      // The database is away: waiting polls go on waiting, and the next tick asks again.
    }
    this.#looking = false;
    if (this.#hints !== atHint) this.#lookSoon();
    else this.#schedule();
  }

  #wake(runs: ReadonlyMap<string, number>): void {
    for (const [groupId, count] of runs) {
      const trying = this.#tryingFor(groupId);
      if (trying > 0) this.#heldBack.add(groupId);
      const seats = [...(this.#waiting.get(groupId) ?? [])].slice(0, Math.max(0, count - trying));
      if (seats.length === 0) continue;
      this.#trying.set(groupId, trying + seats.length);
      for (const seat of seats) seat.wake("work");
    }
  }

  #tryingFor(groupId: string): number {
    return this.#trying.get(groupId) ?? 0;
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#looking || this.#closing || this.#waiting.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#lookSoon();
    }, this.#lookEveryMs);
  }
}

/** One poll's stay. `wait` may be called again after a try that got nothing; `leave` must be called in the end. */
export type Visit = {
  wait(groupId: string, ms: number, gone: AbortSignal): Promise<Woken>;
  leave(): void;
};
