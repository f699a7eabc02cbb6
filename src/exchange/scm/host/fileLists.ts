import { LRUCache } from "lru-cache";

/**
 * File lists of pull requests, kept between one question about a branch and the next: a branch with a hundred open
 * requests is asked about at each delivery, and one call for each of them would use up what hosts allow in an hour.
 */
export type FileList = { paths: string[]; complete: boolean };

/** Paths in all lists together; some 60 bytes each. */
const MOST_PATHS = 200_000;
/** Longest time that one is believed, in milliseconds. */
const LASTS_MS = 3_600_000;

export class FileLists {
  readonly #kept: LRUCache<string, FileList>;

  /** @param perf what measures the hour */
  constructor(perf: { now(): number } = performance) {
    const sizeCalculation = ({ paths }: FileList) => paths.length + 1;
    this.#kept = new LRUCache({ maxSize: MOST_PATHS, sizeCalculation, ttl: LASTS_MS, ttlResolution: 0, perf });
  }

  /**
   * What is kept for `key`, else what `ask` gives. The key holds all that a request says of itself, its head and its
   * time of change among it. While that stays, the list can only become shorter, when its base gains what the head has:
   * what is kept makes a preview too many, never one too few. Only a base that was rewritten makes it longer, hence the
   * hour.
   */
  async of(key: string, ask: () => Promise<FileList>): Promise<FileList> {
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const list = await ask();
    if (list.complete) this.#kept.set(key, list);
    return list;
  }
}
