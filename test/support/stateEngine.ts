/**
 * An engine's calls of its `http` backend, as an engine makes them: each again, the very same, until it is answered by
 * something that is no outage. It notes what it was answered and when it had the lock by its own account.
 */
import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";

export type Held = { by: string; from: number; until: number | null };

export class StateEngine {
  readonly name: string;
  readonly #address: string;
  readonly #authorization: string;
  readonly #died = new AbortController();
  /** States that were answered with success: digest by serial. */
  readonly stored = new Map<number, string>();
  readonly held: Held[] = [];

  constructor(name: string, address: string, token: string) {
    this.name = name;
    this.#address = address;
    this.#authorization = `Basic ${Buffer.from(`any:${token}`).toString("base64")}`;
  }

  /** As by kill -9: what is under way breaks off, and nothing follows. */
  die(): void {
    this.#died.abort(new Error(`${this.name} was killed`));
    const last = this.held.at(-1);
    if (last !== undefined) last.until ??= performance.now();
  }

  get isDead(): boolean {
    return this.#died.signal.aborted;
  }

  /** Waits as with `-lock-timeout`. */
  async lock(): Promise<void> {
    const body = JSON.stringify({ ID: this.name, Operation: "OperationTypeApply", Who: this.name });
    for (;;) {
      const { status } = await this.#call("PUT", "/lock", body);
      if (status === 200) {
        this.held.push({ by: this.name, from: performance.now(), until: null });
        return;
      }
      if (status !== 423) throw new Error(`${this.name}: the lock was answered ${status}`);
      await delay(5);
    }
  }

  /** One try. */
  async tryLock(): Promise<boolean> {
    const { status } = await this.#call("PUT", "/lock", JSON.stringify({ ID: this.name, Who: this.name }));
    if (status !== 200) return false;
    this.held.push({ by: this.name, from: performance.now(), until: null });
    return true;
  }

  async unlock(): Promise<void> {
    const last = this.held.at(-1);
    if (last !== undefined) last.until = performance.now();
    const { status } = await this.#call("DELETE", "/lock", JSON.stringify({ ID: this.name }));
    if (status !== 200) throw new Error(`${this.name}: the unlock was answered ${status}`);
  }

  /** The newest state, or null before there is one. */
  async read(): Promise<{ serial: number; bytes: string } | null> {
    const { status, text } = await this.#call("GET", "");
    if (status === 204) return null;
    if (status !== 200) throw new Error(`${this.name}: the state was answered ${status}`);
    return { serial: JSON.parse(text).serial, bytes: text };
  }

  async write(serial: number, body: string): Promise<number> {
    const md5 = createHash("md5").update(body).digest("base64");
    const { status } = await this.#call("POST", `?ID=${this.name}`, body, { "content-md5": md5 });
    if (status === 200) this.stored.set(serial, createHash("sha256").update(body).digest("hex"));
    return status;
  }

  async #call(
    method: string,
    at: string,
    body?: string,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; text: string }> {
    const { signal } = this.#died;
    for (;;) {
      signal.throwIfAborted();
      try {
        const answer = await fetch(this.#address + at, {
          method,
          headers: {
            authorization: this.#authorization,
            ...(body !== undefined && { "content-type": "application/json" }),
            ...headers,
          },
          ...(body !== undefined && { body }),
          signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]),
        });
        const text = await answer.text();
        if (answer.status < 500) return { status: answer.status, text };
      } catch (error) {
        if (signal.aborted) throw error;
      }
      await delay(20, undefined, { signal });
    }
  }
}

/** Two that had the lock at once, each by what it was answered itself. */
export function overlaps(held: readonly Held[]): [Held, Held][] {
  const found: [Held, Held][] = [];
  for (const [i, one] of held.entries())
    for (const other of held.slice(i + 1)) {
      const [first, second] = one.from <= other.from ? [one, other] : [other, one];
      if ((first.until ?? Number.POSITIVE_INFINITY) > second.from) found.push([first, second]);
    }
  return found;
}

/** The same numbers for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
