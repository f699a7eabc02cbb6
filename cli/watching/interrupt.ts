/** What Ctrl-C, or a signal, means at each moment. Pure. */

/**
 * `creating`: nobody knows yet whether there is something to cancel. `question`: a plan waits for its answer.
 * `asking`: what is to become of it is asked.
 */
export type Moment = "nothing" | "creating" | "watching" | "question" | "asking" | "cancelling";
export type OnInterrupt = "cancel" | "leave";
export type Reaction = "exit" | "wait" | "ask" | "cancel" | "skip" | "leave";

export type Interrupted = {
  moment: Moment;
  /** A person can be asked. */
  interactive: boolean;
  /** What was said beforehand; it is asked for otherwise. */
  onInterrupt: OnInterrupt | undefined;
  /** Ctrl-C rather than a signal of the system, which waits for no answer. */
  byPerson: boolean;
  /** This command began it and nobody has said yes yet: left alone, its plan would wait for somebody who is gone. */
  wouldWait: boolean;
  /** It was pressed, or sent, before. */
  again: boolean;
};

export function reactionTo({ moment, interactive, onInterrupt, byPerson, wouldWait, again }: Interrupted): Reaction {
  // Nobody to ask: what is applied goes on, and what would wait unseen does not stay.
  const unasked = onInterrupt ?? (wouldWait ? "cancel" : "leave");
  switch (moment) {
    case "nothing":
      return "exit";
    case "creating":
      return again ? "leave" : "wait";
    case "watching":
      return onInterrupt === undefined && interactive && byPerson ? "ask" : unasked;
    case "question":
      return unasked === "cancel" ? "skip" : "leave";
    case "asking":
      return byPerson ? "leave" : unasked;
    // Pressed again: no more waiting.
    case "cancelling":
      return "leave";
  }
}
