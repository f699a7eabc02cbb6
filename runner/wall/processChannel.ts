/**
 * The coordinator's end of the channel to the process of a run. What the run executes has the same user as that
 * process, so it can take the other end over: nothing that comes may harm the coordinator, whose other runs go on.
 */
import type { Readable, Writable } from "node:stream";
import { heardMessage } from "./heardMessage.ts";
import { eachLine, LONGEST_LINE } from "./lines.ts";
import type { FromEphemeral, ToEphemeral } from "./messages.ts";

/** Lines that say nothing. A newer runner may say a few that this coordinator does not know. */
const MOST_STRANGE = 100;
/** A run says one or two for each program that it starts. */
const MOST_MESSAGES = 100_000;

export interface ChannelEnds {
  /** Null when the process could not be started. */
  input: Readable | null;
  output: Writable | null;
  /** For lines that are the process's log; null: it has another place for that. */
  onText: ((line: string) => void) | null;
  /** Called once, when no process of ours would do this. Nothing is heard of it any more. */
  onLie: () => void;
}

export class ProcessChannel {
  readonly #ends: ChannelEnds;
  readonly #listeners: ((message: FromEphemeral) => void)[] = [];
  #lie: string | null = null;
  #strange = 0;
  #messages = 0;

  constructor(ends: ChannelEnds) {
    this.#ends = ends;
    const { input, output } = ends;
    // Whoever is gone takes nothing any more.
    for (const end of new Set([input, output])) end?.on("error", () => {});
    if (input === null) return;
    const tooLong = () => this.#lied("it wrote a line without an end");
    eachLine(input, (line) => this.#hear(line), tooLong);
  }

  get open(): boolean {
    return this.#ends.output?.writable === true;
  }

  /** What it did that no process of ours does. */
  get lie(): string | null {
    return this.#lie;
  }

  onMessage(listener: (message: FromEphemeral) => void): void {
    this.#listeners.push(listener);
  }

  tell(message: ToEphemeral): void {
    const { output } = this.#ends;
    if (output === null || !output.writable) return;
    output.write(`${JSON.stringify(message)}\n`);
    if (output.writableLength > LONGEST_LINE) this.#lied("it does not read what it is told");
  }

  /** The process hears that there is no coordinator any more. */
  end(): void {
    this.#ends.output?.end();
  }

  close(): void {
    this.#ends.input?.destroy();
    this.#ends.output?.destroy();
  }

  #hear(line: string): void {
    const { onText } = this.#ends;
    const message = heardMessage(line);
    if (message === "text" && onText !== null) onText(line);
    else if (message === null || message === "text") {
      this.#strange += 1;
      if (this.#strange > MOST_STRANGE) this.#lied("it wrote lines that are no messages");
    } else {
      this.#messages += 1;
      if (this.#messages > MOST_MESSAGES) this.#lied("it wrote more messages than any run has to tell");
      else for (const listener of this.#listeners) listener(message);
    }
  }

  #lied(how: string): void {
    if (this.#lie !== null) return;
    this.#lie = how;
    this.#ends.input?.pause();
    this.#ends.onLie();
    this.end();
  }
}
