import { EventEmitter, once } from "node:events";
import type { EphemeralProcess } from "./ephemeralProcess.ts";

/** A longer timer would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

/** The ephemeral runners at work, each in a slot of its own, and waiting for one of them to end. */
export class LiveRuns {
  readonly #slots = new Map<EphemeralProcess, number>();
  readonly #events = new EventEmitter<{ freed: [] }>();

  get size(): number {
    return this.#slots.size;
  }

  all(): EphemeralProcess[] {
    return [...this.#slots.keys()];
  }

  /** The lowest slot number that no live run has. */
  nextSlot(): number {
    const taken = new Set(this.#slots.values());
    let slot = 0;
    while (taken.has(slot)) slot += 1;
    return slot;
  }

  add(ephemeral: EphemeralProcess, slot: number): void {
    this.#slots.set(ephemeral, slot);
  }

  remove(ephemeral: EphemeralProcess): void {
    this.#slots.delete(ephemeral);
    this.#events.emit("freed");
  }

  /** Resolves when a run ended, or when the signal says not to wait any longer. */
  async freed(signal: AbortSignal): Promise<void> {
    await once(this.#events, "freed", { signal }).catch(() => {});
  }

  /** Whether every live run ended within the time; `hurry` cuts the wait short. */
  async emptied(withinMs: number, hurry?: AbortSignal): Promise<boolean> {
    const timeout = AbortSignal.timeout(Math.min(withinMs, MAX_TIMER_MS));
    const over = hurry === undefined ? timeout : AbortSignal.any([timeout, hurry]);
    while (this.size > 0 && !over.aborted) await this.freed(over);
    return this.size === 0;
  }
}
