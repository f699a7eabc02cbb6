/** The bytes of a log in pages of one size, so that a hundred megabytes grow without being copied again. */

const PAGE_BITS = 22;
const PAGE_BYTES = 1 << PAGE_BITS;

export class Bytes {
  readonly #pages: Uint8Array[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  append(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const within = this.#size & (PAGE_BYTES - 1);
      if (within === 0) this.#pages.push(new Uint8Array(PAGE_BYTES));
      const part = bytes.subarray(at, at + PAGE_BYTES - within);
      (this.#pages.at(-1) as Uint8Array).set(part, within);
      at += part.length;
      this.#size += part.length;
    }
  }

  at(offset: number): number {
    return (this.#pages[offset >>> PAGE_BITS] as Uint8Array)[offset & (PAGE_BYTES - 1)] as number;
  }

  /** Copied only where they lie on two pages. */
  slice(start: number, end: number): Uint8Array {
    const stop = Math.min(end, this.#size);
    if (stop <= start) return new Uint8Array(0);
    const first = start >>> PAGE_BITS;
    if (first === (stop - 1) >>> PAGE_BITS) {
      const base = first * PAGE_BYTES;
      return (this.#pages[first] as Uint8Array).subarray(start - base, stop - base);
    }
    const joined = new Uint8Array(stop - start);
    for (let at = start; at < stop; ) {
      const within = at & (PAGE_BYTES - 1);
      const length = Math.min(PAGE_BYTES - within, stop - at);
      joined.set((this.#pages[at >>> PAGE_BITS] as Uint8Array).subarray(within, within + length), at - start);
      at += length;
    }
    return joined;
  }
}

/** Numbers that only ever become more. */
export class Numbers {
  #values = new Uint32Array(1 << 12);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const grown = new Uint32Array(this.#length * 2);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.#length++] = value;
  }

  at(place: number): number {
    return this.#values[place] as number;
  }

  /** A copy. */
  all(): Uint32Array<ArrayBuffer> {
    return this.#values.slice(0, this.#length);
  }
}
