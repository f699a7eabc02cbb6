import { HeldBytes } from "./heldBytes.ts";
import type { RunLog } from "./runLog.ts";
import type { Sink } from "./sink.ts";

/** How often the log says that the engine is still planning. */
const SIGN_EVERY_MS = 10_000;
const LINE_FEED = 0x0a;

/** The forms of what is sensitive in each kind of output; null when nobody knows. */
export type FormsByOutput = { text: readonly Buffer[] | null; errors: readonly Buffer[] | null };

/**
 * Output of `plan` on its way to the log. What of it is sensitive stands in the plan: providers copy values into ids
 * and other computed attributes and quote them in their errors, and an engine prints all of that as it goes. So all
 * output is held until the plan was read back, and meanwhile the log says that there is some.
 */
export class HeldPlanText {
  readonly stdout: Sink = this.#sink("text");
  readonly stderr: Sink = this.#sink("errors");
  readonly #log: RunLog;
  readonly #held: HeldBytes<"text" | "errors">;
  readonly #started = performance.now();
  readonly #signs: NodeJS.Timeout;
  #lines = 0;
  #released = false;

  /** @param directory the run's private one */
  constructor(directory: string, log: RunLog) {
    this.#log = log;
    this.#held = new HeldBytes(directory);
    this.#signs = setInterval(() => this.#sign(), SIGN_EVERY_MS);
    this.#signs.unref();
  }

  /** Logs what was held, once, with `forms` masked too, or leaves out what nobody knows the sensitive values of. */
  release({ text, errors }: FormsByOutput): void {
    if (this.#released) return;
    this.#released = true;
    clearInterval(this.#signs);
    const streams = { text: text && this.#log.stream(text), errors: errors && this.#log.stream(errors) };
    const leftOut = new Set<"text" | "errors">();
    for (const { of, bytes } of this.#held.take()) {
      if (streams[of] === null) leftOut.add(of);
      streams[of]?.write(bytes);
    }
    streams.text?.end();
    streams.errors?.end();
    for (const of of leftOut) {
      const what = of === "text" ? "The plan's text is" : "The plan's errors are";
      this.#log.note(`${what} left out: which of its values are sensitive is not known.`);
    }
    if (this.#held.lost) this.#log.note("The rest of the plan's output is left out: there was no room for it.");
  }

  #sign(): void {
    const seconds = Math.round((performance.now() - this.#started) / 1_000);
    this.#log.note(`Still planning after ${seconds} s: ${this.#lines} lines, shown once the plan was read`);
  }

  #sink(of: "text" | "errors"): Sink {
    return {
      write: (bytes) => {
        for (const byte of bytes) if (byte === LINE_FEED) this.#lines += 1;
        this.#held.add(of, bytes);
      },
      end: () => {},
    };
  }
}
