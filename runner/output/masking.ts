import { FormIndex, type Read, type Span } from "./formIndex.ts";

const MASK = "***";

/**
 * Replaces secrets in a stream of bytes, wherever the stream happens to be cut: what might be the beginning of a secret
 * is held back until the next bytes decide. Overlapping secrets are hidden as one stretch, so no rest of one shows
 * beside another. What is held back has an end, however the text goes on.
 */
export class StreamMasker {
  readonly #sources: readonly (readonly Buffer[])[];
  readonly #read: Read | undefined;
  #forms: FormIndex;
  /** How many forms are in it. */
  #indexed = 0;
  #held = "";
  /** How many bytes at the beginning of `#held` belong to a stretch whose mask was already written. */
  #covered = 0;

  /**
   * What is added to `forms` or `further` later is hidden from then on.
   * @param read by which ways the text is read, all that there are when absent
   */
  constructor(forms: readonly Buffer[], read?: Read, further: readonly Buffer[] = []) {
    this.#sources = [forms, further];
    this.#read = read;
    this.#forms = this.#index();
  }

  /** The bytes that are safe to show by now. */
  push(bytes: Uint8Array): Buffer {
    this.#held += Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
    this.#learn();
    const { spans, undecided } = this.#forms.find(this.#held, false);
    return this.#release(undecided, spans);
  }

  /** The rest; nothing more will come. */
  end(): Buffer {
    this.#learn();
    return this.#release(this.#held.length, this.#forms.find(this.#held, true).spans);
  }

  #learn(): void {
    if (this.#sources.reduce((sum, forms) => sum + forms.length, 0) !== this.#indexed) this.#forms = this.#index();
  }

  #index(): FormIndex {
    const forms = this.#sources.flat();
    this.#indexed = forms.length;
    return new FormIndex(
      forms.map((form) => form.toString("latin1")),
      this.#read,
    );
  }

  #release(until: number, spans: readonly Span[]): Buffer {
    let shown = "";
    let position = 0;
    for (const { start, end } of this.#merged(spans)) {
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
  #merged(spans: readonly Span[]): Span[] {
    const merged: Span[] = this.#covered > 0 ? [{ start: 0, end: this.#covered }] : [];
    for (const span of spans) {
      const last = merged.at(-1);
      if (last !== undefined && span.start < last.end) last.end = Math.max(last.end, span.end);
      else merged.push({ ...span });
    }
    return merged;
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
