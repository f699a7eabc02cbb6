/**
 * Why a run must stop before its work is through. `ended`: the service already ended it, so nothing can be reported any
 * more and the engine is killed at once. All others interrupt the engine and give it time to save its state.
 */
export type StopReason =
  | { kind: "cancelled" }
  | { kind: "timed_out" }
  | { kind: "shut_down" }
  | { kind: "cut_off" }
  /** What the run needs of its machine is not to be had; `why` is public text. */
  | { kind: "no_room"; why: string }
  | { kind: "ended"; status: string };

/** Thrown between two steps of a run once its stop was requested. */
export class Stopped extends Error {
  override name = "Stopped";
}

/** One run's stop. The first reason counts, except that `ended` overrides every other one. */
export class StopSignal {
  #reason: StopReason | null = null;
  readonly #over = new AbortController();
  readonly #listeners = new Set<(reason: StopReason) => void>();

  get reason(): StopReason | null {
    return this.#reason;
  }

  /** Aborted by the first request, with `Stopped`: for what is waited for outside of programs. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  request(reason: StopReason): void {
    if (this.#reason?.kind === "ended") return;
    if (this.#reason !== null && reason.kind !== "ended") return;
    this.#reason = reason;
    this.#over.abort(new Stopped(reason.kind));
    for (const listener of [...this.#listeners]) listener(reason);
  }

  /** Calls back at once when a stop was already requested, and at each change; returns how to unsubscribe. */
  subscribe(listener: (reason: StopReason) => void): () => void {
    this.#listeners.add(listener);
    if (this.#reason !== null) listener(this.#reason);
    return () => this.#listeners.delete(listener);
  }

  /** @throws Stopped once a stop was requested */
  check(): void {
    if (this.#reason !== null) throw new Stopped(this.#reason.kind);
  }
}
