/** A terminal that is closed under a question has no keys and no modes any more; the signal that follows says so. */
let tolerated = false;

export function tolerateClosedTerminal(): void {
  const { stdin } = process;
  if (tolerated || !stdin.isTTY) return;
  tolerated = true;
  stdin.on("error", () => {});
  const setRawMode = stdin.setRawMode.bind(stdin);
  // What reads keys resets the mode when the terminal ends, and that would end the program before its signal comes.
  stdin.setRawMode = (raw) => {
    try {
      return setRawMode(raw);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EIO") return stdin;
      throw error;
    }
  };
}
