import type { RunLog } from "./runLog.ts";
import type { Sink } from "./sink.ts";

/**
 * The line after which an engine prints the outputs; lines of programs it runs carry the resource's address before
 * them.
 */
const HEADING = Buffer.from("\nOutputs:\n");

/**
 * Output of `apply` on its way to the log. An output shows a sensitive value in the clear where a provider copied it
 * into a computed attribute, which loses the mark; and the value may be one that the apply itself has made. So the
 * outputs, which come last, are held until the new state says what is sensitive.
 */
export class HeldOutputs implements Sink {
  readonly #log: RunLog;
  readonly #before: Sink;
  readonly #known: readonly Buffer[];
  /** May be the beginning of the heading. */
  #tail: Buffer = Buffer.alloc(0);
  #held: Buffer[] | null = null;

  /** @param known the forms of what is known to be sensitive before the apply */
  constructor(log: RunLog, known: readonly Buffer[]) {
    this.#log = log;
    this.#known = known;
    this.#before = log.stream(known);
  }

  write(bytes: Buffer): void {
    if (this.#held !== null) {
      this.#held.push(bytes);
      return;
    }
    const joined = Buffer.concat([this.#tail, bytes]);
    const heading = joined.indexOf(HEADING);
    const shown = heading === -1 ? joined.length - beginning(joined) : heading + 1;
    this.#before.write(joined.subarray(0, shown));
    this.#tail = heading === -1 ? joined.subarray(shown) : Buffer.alloc(0);
    if (heading !== -1) this.#held = [joined.subarray(shown)];
  }

  end(): void {
    this.#before.write(this.#tail);
    this.#before.end();
    this.#tail = Buffer.alloc(0);
  }

  /** Logs the outputs with `forms` hidden too, or leaves them out when nobody knows what is sensitive. */
  release(forms: readonly Buffer[] | null): void {
    const held = this.#held ?? [];
    this.#held = [];
    if (held.length === 0) return;
    if (forms === null) {
      this.#log.note("The outputs are left out: their sensitive values cannot be told.");
      return;
    }
    const output = this.#log.stream([...this.#known, ...forms]);
    for (const bytes of held) output.write(bytes);
    output.end();
  }
}

/** How many bytes at the end may begin the heading. */
function beginning(bytes: Buffer): number {
  for (let length = Math.min(HEADING.length - 1, bytes.length); length > 0; length -= 1) {
    if (bytes.subarray(bytes.length - length).equals(HEADING.subarray(0, length))) return length;
  }
  return 0;
}
