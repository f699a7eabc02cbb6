/**
 * Looks for those whose former ones came to nothing. However many they are, their looks are made together, a few a
 * second for all: so nobody has to be turned away unseen because of what others send from the same address.
 */
import { setTimeout as sleep } from "node:timers/promises";

const EVERY_MS = 100;

type Look<T> = { names: Set<string>; found: Promise<ReadonlyMap<string, T>> };

export class LooksInTurn<T> {
  readonly #look: (names: readonly string[]) => Promise<ReadonlyMap<string, T>>;
  readonly #everyMs: number;
  #next: Look<T> | null = null;

  constructor(look: (names: readonly string[]) => Promise<ReadonlyMap<string, T>>, everyMs = EVERY_MS) {
    this.#look = look;
    this.#everyMs = everyMs;
  }

  /** What the next look finds of it. @throws as the look does */
  async find(name: string): Promise<T | undefined> {
    this.#next ??= this.#begin();
    const { names, found } = this.#next;
    names.add(name);
    return (await found).get(name);
  }

  #begin(): Look<T> {
    const names = new Set<string>();
    const made = async () => {
      await sleep(this.#everyMs);
      this.#next = null;
      return this.#look([...names]);
    };
    return { names, found: made() };
  }
}
