/**
 * What a state says of itself, found while its bytes pass: its serial and lineage, who wrote it, and how many resources
 * it has. Nothing of it is kept, so its size does not matter. What an engine has encrypted still says the first two.
 */

export type StateFacts = {
  serial: number;
  lineage: string;
  engineVersion: string | null;
  /** Managed ones; null where they are encrypted. */
  resources: number | null;
};

/** Longer texts are none of those looked for. */
const MAX_TEXT = 256;
/** The top is 1, the list of resources 2, one of them 3. */
const DEEPEST = 3;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];

export class StateScanner {
  #depth = 0;
  #ended = false;
  #broken = false;
  #inText = false;
  #escaped = false;
  /** Bytes of the text, or of the bare word, that is being read. */
  #word: number[] = [];
  #text = "";
  /** The key whose value comes, by depth; null before a colon. */
  readonly #keys: (string | null)[] = [null, null, null, null];
  #serial: number | null = null;
  #lineage: string | null = null;
  #engineVersion: string | null = null;
  #resources: number | null = null;
  #encrypted = false;

  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; at++) {
      if (this.#inText) {
        at = this.#readText(chunk, at);
        continue;
      }
      const byte = chunk[at] as number;
      if (byte === QUOTE) {
        this.#inText = true;
        this.#word = [];
      } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.#open(byte);
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) this.#close();
      else if (this.#depth <= DEEPEST) this.#shallow(byte);
    }
  }

  /** Null when it is no state. */
  facts(): StateFacts | null {
    const whole = this.#ended && !this.#broken && this.#depth === 0;
    if (!whole || this.#serial === null || !this.#lineage) return null;
    const resources = this.#encrypted ? null : this.#resources;
    return { serial: this.#serial, lineage: this.#lineage, engineVersion: this.#engineVersion, resources };
  }

  /** @returns where the text ends, or the chunk */
  #readText(chunk: Uint8Array, from: number): number {
    const kept = this.#depth <= DEEPEST;
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (this.#escaped) this.#escaped = false;
      else if (byte === BACKSLASH) this.#escaped = true;
      else if (byte === QUOTE) {
        this.#inText = false;
        if (kept) this.#endText();
        return at;
      }
      if (kept && this.#word.length < MAX_TEXT) this.#word.push(byte);
    }
    return chunk.length;
  }

  #endText(): void {
    this.#text = Buffer.from(this.#word).toString("utf8");
    this.#word = [];
    const key = this.#keys[this.#depth] ?? null;
    if (key !== null) this.#value(key, this.#text);
  }

  #shallow(byte: number): void {
    if (byte === COLON) this.#keys[this.#depth] = this.#text;
    else if (byte === COMMA) this.#endValue();
    else if (byte > 0x20) {
      if (this.#depth === 0) this.#broken = true;
      if (this.#word.length < MAX_TEXT) this.#word.push(byte);
    }
  }

  #open(byte: number): void {
    if (this.#depth === 0 && (this.#ended || byte !== OPEN_OBJECT)) this.#broken = true;
    if (this.#depth === 1 && byte === OPEN_LIST && this.#keys[1] === "resources") this.#resources = 0;
    this.#depth += 1;
    if (this.#depth <= DEEPEST) this.#keys[this.#depth] = null;
    this.#word = [];
  }

  #close(): void {
    if (this.#depth <= DEEPEST) this.#endValue();
    this.#depth -= 1;
    if (this.#depth === 0) this.#ended = true;
    if (this.#depth < 0) this.#broken = true;
  }

  #endValue(): void {
    const key = this.#keys[this.#depth] ?? null;
    if (this.#depth === 1 && key === "serial" && this.#word.length > 0) {
      const text = Buffer.from(this.#word).toString("latin1");
      if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text))) this.#serial = Number(text);
    }
    this.#word = [];
    this.#keys[this.#depth] = null;
  }

  #value(key: string, text: string): void {
    if (this.#depth === 1) {
      if (key === "lineage") this.#lineage = text;
      else if (key === "terraform_version") this.#engineVersion = text;
      else if (key === "encrypted_data") this.#encrypted = true;
    } else if (this.#depth === DEEPEST && this.#keys[1] === "resources" && key === "mode" && text === "managed") {
      this.#resources = (this.#resources ?? 0) + 1;
    }
  }
}
