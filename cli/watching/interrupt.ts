/** What Ctrl-C, or a signal, means at each moment. Pure. */

/** `creating`: nobody knows yet whether there is something to cancel. */
export type Moment = "nothing" | "creating" | "watching" | "asking" | "cancelling";
export type OnInterrupt = "cancel" | "leave";
export type Reaction = "exit" | "wait" | "ask" | "cancel" | "leave";

export type Interrupted = {
  moment: Moment;
  /** A person can be asked. */
  interactive: boolean;
  /** What was said beforehand; it is asked for otherwise, and without a person it is left running. */
  onInterrupt: OnInterrupt | undefined;
  /** Ctrl-C rather than a signal of the system, which waits for no answer. */
  byPerson: boolean;
};

export function reactionTo({ moment, interactive, onInterrupt, byPerson }: Interrupted): Reaction {
  switch (moment) {
    case "nothing":
      return "exit";
    case "creating":
      return "wait";
    case "watching":
      return onInterrupt ?? (interactive && byPerson ? "ask" : "leave");
    // Pressed again: no more questions, no more waiting.
    case "asking":
    case "cancelling":
      return "leave";
  }
}
