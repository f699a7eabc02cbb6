import { existsSync } from "node:fs";
import type { RunLog } from "./runLog.ts";
import type { Sink } from "./sink.ts";

/**
 * Output of `plan` on its way to the log. Engines write the plan file first and the plan's text, or why it failed,
 * after it. So from the moment the file is there output is held until the file was read back and says what is
 * sensitive: both show a sensitive value that a provider copied into a computed attribute.
 */
export class HeldPlanText {
  readonly stdout: Sink = this.#sink("text");
  readonly stderr: Sink = this.#sink("errors");
  readonly #planFile: string;
  readonly #log: RunLog;
  #held: { of: "text" | "errors"; bytes: Buffer }[] = [];
  #holding = false;

  constructor(planFile: string, log: RunLog) {
    this.#planFile = planFile;
    this.#log = log;
  }

  /**
   * Logs what was held with `forms` masked too. When nobody knows what is sensitive the plan's text is left out; its
   * errors are not, since without them a failed plan could not be mended.
   */
  release(forms: readonly Buffer[] | null): void {
    const held = this.#held;
    this.#held = [];
    const streams = { text: this.#log.stream(forms ?? []), errors: this.#log.stream(forms ?? []) };
    const shown = forms === null ? held.filter(({ of }) => of === "errors") : held;
    if (shown.length < held.length) {
      this.#log.note("The plan's text is left out: its sensitive values cannot be told.");
    }
    for (const { of, bytes } of shown) streams[of].write(bytes);
    streams.text.end();
    streams.errors.end();
  }

  #sink(of: "text" | "errors"): Sink {
    let before: Sink | undefined;
    return {
      write: (bytes) => {
        before ??= this.#log.stream();
        this.#holding ||= existsSync(this.#planFile);
        if (this.#holding) this.#held.push({ of, bytes });
        else before.write(bytes);
      },
      end: () => before?.end(),
    };
  }
}
