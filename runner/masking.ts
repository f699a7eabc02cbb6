const MASK = "***";

/** A stretch of the buffer covered by secrets, end exclusive. */
interface Span {
  start: number;
  end: number;
}

/**
 * Replaces secrets in a stream of bytes, wherever the stream happens to be cut: what might be the beginning of a secret
 * is held back until the next bytes decide. Overlapping secrets are hidden as one stretch, so no rest of one shows
 * beside another. What is held back is always shorter than the longest secret.
 */
export class StreamMasker {
  /** Byte strings: one character is one byte, so that indexOf works on bytes. */
  readonly #forms: readonly string[];
  readonly #byFirstByte: Map<string, string[]>;
  readonly #longest: number;
  #held = "";
  /** How many bytes at the beginning of `#held` belong to a stretch whose mask was already written. */
  #covered = 0;

  constructor(forms: readonly Buffer[]) {
    this.#forms = forms.map((form) => form.toString("latin1"));
    this.#byFirstByte = Map.groupBy(this.#forms, (form) => form.charAt(0));
    this.#longest = Math.max(0, ...this.#forms.map((form) => form.length));
  }

  /** The bytes that are safe to show by now. */
  push(bytes: Uint8Array): Buffer {
    this.#held += Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
    return this.#release(this.#firstUndecided());
  }

  /** The rest; nothing more will come. */
  end(): Buffer {
    return this.#release(this.#held.length);
  }

  #release(until: number): Buffer {
    let shown = "";
    let position = 0;
    for (const { start, end } of this.#spans()) {
      if (start >= until) break;
      const maskedBefore = start === 0 && this.#covered > 0;
      if (!maskedBefore) shown += this.#held.slice(position, start) + MASK;
      position = end;
    }
    if (position < until) shown += this.#held.slice(position, until);
    this.#covered = Math.max(0, Math.max(position, this.#covered) - until);
    this.#held = this.#held.slice(until);
    return Buffer.from(shown, "latin1");
  }

  /** Every stretch covered by secrets, merged where they overlap, in order. */
  #spans(): Span[] {
    const found: Span[] = this.#covered > 0 ? [{ start: 0, end: this.#covered }] : [];
    for (const form of this.#forms) {
      for (let at = this.#held.indexOf(form); at !== -1; at = this.#held.indexOf(form, at + 1)) {
        found.push({ start: at, end: at + form.length });
      }
    }
    found.sort((a, b) => a.start - b.start);
    const merged: Span[] = [];
    for (const span of found) {
      const last = merged.at(-1);
      if (last !== undefined && span.start < last.end) last.end = Math.max(last.end, span.end);
      else merged.push({ ...span });
    }
    return merged;
  }

  /** Where the longest tail begins that could still grow into a secret. */
  #firstUndecided(): number {
    const length = this.#held.length;
    for (let start = Math.max(0, length - this.#longest + 1); start < length; start += 1) {
      const candidates = this.#byFirstByte.get(this.#held.charAt(start));
      if (candidates === undefined) continue;
      const tail = this.#held.slice(start);
      if (candidates.some((form) => form.length > tail.length && form.startsWith(tail))) return start;
    }
    return length;
  }
}

/** Masks whole texts, one after another. */
export function textMasker(forms: readonly Buffer[]): (text: string) => string {
  const masker = new StreamMasker(forms);
  return (text) => Buffer.concat([masker.push(Buffer.from(text, "utf8")), masker.end()]).toString("utf8");
}

export function maskText(text: string, forms: readonly Buffer[]): string {
  return textMasker(forms)(text);
}
