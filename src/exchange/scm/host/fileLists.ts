/**
 * File lists of pull requests, kept between one question about a branch and the next: a branch with a hundred open requests is asked
 * about at each delivery, and one call for each of them would use up what hosts allow in an hour.
 */
export type FileList = { paths: string[]; complete: boolean };

/** Paths in all lists together; some 60 bytes each. */
const MOST_PATHS = 200_000;
/** Longest time that one is believed, in milliseconds. */
const LASTS_MS = 3_600_000;

export class FileLists {
  readonly #kept = new Map<string, { list: FileList; until: number }>();
  #paths = 0;
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * What is kept for `key`, else what `ask` gives. The key holds all that a request says of itself, its head and its time of change
   * among it. While that stays, the list can only become shorter, when its base gains what the head has: what is kept makes a preview too
   * many, never one too few. Only a base that was rewritten makes it longer, hence the hour.
   */
  async of(key: string, ask: () => Promise<FileList>): Promise<FileList> {
    const known = this.#kept.get(key);
    if (known !== undefined && known.until > this.#now()) return known.list;
    const list = await ask();
    if (list.complete) this.#keep(key, list);
    return list;
  }

  #keep(key: string, list: FileList): void {
    this.#drop(key);
    this.#kept.set(key, { list, until: this.#now() + LASTS_MS });
    this.#paths += list.paths.length + 1;
    for (const oldest of this.#kept.keys()) {
      if (this.#paths <= MOST_PATHS) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#paths -= this.#kept.has(key) ? (this.#kept.get(key)?.list.paths.length ?? 0) + 1 : 0;
    this.#kept.delete(key);
  }
}
