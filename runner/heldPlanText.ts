import { existsSync } from "node:fs";
import type { Sink } from "./processGroup.ts";
import type { RunLog } from "./runLog.ts";

/**
 * Output of `plan` on its way to the log. Engines write the plan file first and the plan's text after it, so from the
 * moment the file is there output is held until the file was read back and says what is sensitive: the text shows a
 * sensitive value that a provider copied into a computed attribute.
 */
export class HeldPlanText implements Sink {
  readonly #planFile: string;
  readonly #log: RunLog;
  readonly #before: Sink;
  readonly #held: Buffer[] = [];
  #holding = false;

  constructor(planFile: string, log: RunLog) {
    this.#planFile = planFile;
    this.#log = log;
    this.#before = log.stream();
  }

  write(bytes: Buffer): void {
    this.#holding ||= existsSync(this.#planFile);
    if (this.#holding) this.#held.push(bytes);
    else this.#before.write(bytes);
  }

  end(): void {
    this.#before.end();
  }

  /** Logs what was held with `forms` masked too, or leaves it out when nobody knows what is sensitive. */
  release(forms: readonly Buffer[] | null): void {
    if (forms === null) {
      if (this.#held.length > 0) this.#log.note("The plan's text is left out: its sensitive values cannot be told.");
      return;
    }
    const output = this.#log.stream(forms);
    for (const bytes of this.#held.splice(0)) output.write(bytes);
    output.end();
  }
}
