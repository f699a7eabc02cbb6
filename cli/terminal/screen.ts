/**
 * Everything the program says. Data goes to stdout, what is said about it to stderr, and one line at the end of a
 * terminal is written over: what is waited for.
 */
import type { createLogUpdate } from "log-update";
import { cleaned } from "./clean.ts";
import { tolerateClosedTerminal } from "./closedTerminal.ts";
import { type Column, table } from "./table.ts";
import type { Terminal } from "./terminal.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 120;

export class Screen {
  readonly terminal: Terminal;
  readonly json: boolean;
  #line: ReturnType<typeof createLogUpdate> | undefined;
  #status: (() => string) | null = null;
  #said = "";
  #timer: NodeJS.Timeout | undefined;
  #partial = "";
  readonly #troubles = new Set<string>();
  /** What is said while a question stands there. */
  #held: (() => void)[] | null = null;

  constructor(terminal: Terminal, json: boolean) {
    this.terminal = terminal;
    this.json = json;
  }

  /** Data for people. With --json there is none. */
  out(text: string): void {
    if (this.json || text === "") return;
    this.#above(() => process.stdout.write(text));
  }

  /** Rows in columns, as wide as the terminal that shows them. */
  table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): void {
    this.out(table(rows, columns, this.terminal.width));
  }

  /** Data as it comes: while the last line is not over, it waits where it could be written over. */
  stream(text: string): void {
    if (this.json) return;
    if (!this.terminal.animated) {
      process.stdout.write(text);
      return;
    }
    const whole = this.#partial + text;
    const end = whole.lastIndexOf("\n") + 1;
    this.#partial = whole.slice(end);
    if (end > 0) this.#above(() => process.stdout.write(whole.slice(0, end)));
  }

  /** What is left of a stream. */
  endStream(): void {
    const rest = this.#partial;
    this.#partial = "";
    if (rest !== "") this.out(`${rest}\n`);
  }

  /** The one object of --json, or one event of several, on a line. */
  value(value: unknown): void {
    this.valueText(JSON.stringify(value));
  }

  /** The same, of a value whose text keeps digits that `JSON.stringify` would not. */
  valueText(json: string): void {
    if (this.json) process.stdout.write(`${json}\n`);
  }

  /** A sentence about what goes on. */
  note(text: string): void {
    if (this.json) return;
    this.#above(() => process.stderr.write(`${text}\n`));
  }

  /** What keeps it from its work: said when it begins and when it is over (null), however often it is met. */
  trouble(source: "service" | "log", why: string | null): void {
    if (why === null) {
      if (this.#troubles.delete(source) && this.#troubles.size === 0) this.note("The connection is back.");
      return;
    }
    if (this.#troubles.size === 0) this.note(why);
    this.#troubles.add(source);
  }

  /** Something that went wrong, also with --json. */
  error(text: string): void {
    this.#above(() => process.stderr.write(`${text}\n`));
  }

  /**
   * What is waited for, as of now; null: nothing. Without a terminal each new sentence is a line, as `plain` says it,
   * without what changes every second.
   */
  async status(text: (() => string) | null, plain?: string): Promise<void> {
    this.#status = text;
    if (this.terminal.animated) {
      if (text === null) return this.#end();
      // Loaded by whoever waits for something.
      // A cursor that is hidden stays so where the program is killed.
      this.#line ??= (await import("log-update")).createLogUpdate(process.stderr, { showCursor: true });
      this.#timer ??= setInterval(() => this.#draw(), FRAME_MS).unref();
      this.#draw();
    } else if (plain !== undefined && plain !== this.#said) {
      this.#said = plain;
      this.note(cleaned(plain));
    }
  }

  /** While a question is asked nothing else is written; it comes afterwards. */
  async during<T>(question: () => Promise<T>): Promise<T> {
    this.#held = [];
    this.#line?.clear();
    tolerateClosedTerminal();
    try {
      return await question();
    } finally {
      const held = this.#held;
      this.#held = null;
      for (const write of held) this.#above(write);
    }
  }

  #draw(): void {
    if (this.#status === null || this.#held !== null) return;
    const frame = FRAMES[Math.floor(performance.now() / FRAME_MS) % FRAMES.length];
    const room = (process.stderr.columns ?? 80) - 4;
    const text = cleaned(this.#status());
    this.#line?.(`${frame} ${text.length > room ? `${text.slice(0, room - 1)}…` : text}`);
  }

  #end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#line?.clear();
  }

  #above(write: () => void): void {
    if (this.#held !== null) {
      this.#held.push(write);
      return;
    }
    if (this.#timer === undefined) {
      write();
      return;
    }
    this.#line?.clear();
    write();
    this.#draw();
  }
}
