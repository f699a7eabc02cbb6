/** What to undo, newest first, once. */
export class Closers {
  readonly #steps: (() => Promise<unknown>)[] = [];
  #closing: Promise<void> | undefined;

  /** `step` is undone before everything added earlier. */
  add(step: () => Promise<unknown>): void {
    this.#steps.push(step);
  }

  /** Every step is tried; the first error is thrown at the end. */
  close(): Promise<void> {
    this.#closing ??= this.#run();
    return this.#closing;
  }

  async #run(): Promise<void> {
    const errors: unknown[] = [];
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      try {
        await step();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}
