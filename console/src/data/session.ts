/**
 * Whose session the cookie is, as far as this page knows. The cookie itself is out of reach of scripts; what a page
 * needs is who it is and the proof that goes with each change.
 */
import type { components } from "../../../clients/api/schema.d.ts";

export type Me = components["schemas"]["Me"];
/** `ended`: somebody was signed in on this page and is not any more. */
type State = { kind: "unknown" } | { kind: "none" } | { kind: "signed-in"; me: Me } | { kind: "ended"; me: Me };

type Waiting = { resolve: () => void; reject: (reason: Error) => void };

/** Tells the other tabs of this browser that somebody has signed in. */
const CHANNEL = "deployments-session";

class Session {
  #state: State = { kind: "unknown" };
  readonly #listeners = new Set<() => void>();
  #waiting: Waiting[] = [];
  readonly #channel = new BroadcastChannel(CHANNEL);

  constructor() {
    this.#channel.onmessage = () => this.#onSignedIn();
  }

  /** Set by whoever can ask again who is signed in. */
  ask: () => Promise<Me | null> = async () => null;

  get state(): State {
    return this.#state;
  }

  /** The proof that goes with a change. */
  get csrf(): string | undefined {
    return this.#state.kind === "signed-in" ? this.#state.me.csrf_token : undefined;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  snapshot = (): State => this.#state;

  began(me: Me): void {
    const before = this.#state;
    // What stands on the page is somebody else's.
    if (before.kind !== "unknown" && before.kind !== "none" && before.me.id !== me.id) location.reload();
    this.#set({ kind: "signed-in", me });
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }

  none(): void {
    this.#set({ kind: "none" });
  }

  /** Resolves once the same person has signed in again; what is on the page stays. */
  renewed(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (this.#state.kind === "signed-in") this.#set({ kind: "ended", me: this.#state.me });
    this.#waiting.push({ resolve, reject });
    return promise;
  }

  /** Looks whether somebody signed in elsewhere meanwhile. */
  async look(): Promise<boolean> {
    const me = await this.ask();
    if (me !== null) this.began(me);
    return me !== null;
  }

  /** Called by the page that a sign-in in another window ends at. */
  tellOthers(): void {
    this.#channel.postMessage("signed-in");
  }

  #onSignedIn(): void {
    if (this.#state.kind === "ended") void this.look();
    if (this.#state.kind === "none") location.reload();
  }

  #set(state: State): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

export const session = new Session();
