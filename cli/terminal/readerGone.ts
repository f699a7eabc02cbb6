/** Whoever reads what the program writes may leave before its end, as `head` does, or a terminal that is closed. */
let onGone: (() => void) | null = null;

/** Without a reader there is nothing left to do, and that is no failure, unless somebody attends to a deployment. */
export function exitWithoutReader(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (onGone !== null) onGone();
    else process.exit(error.code === "EPIPE" ? 0 : 1);
  });
  // What is said about the data may go unheard.
  process.stderr.on("error", () => {});
}

/** @param gone what is done instead; null: as before */
export function whenReaderIsGone(gone: (() => void) | null): void {
  onGone = gone;
}
