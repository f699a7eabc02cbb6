/**
 * Whoever started something attends to it: Ctrl-C, signals and `--timeout` end the watching, and say what becomes of
 * the deployment.
 */
import { answerOf } from "../../clients/api/client.ts";
import { EXIT, type ExitCode } from "../exit/exitCodes.ts";
import { Failure } from "../exit/failure.ts";
import type { Session } from "../service/session.ts";
import { choose } from "../terminal/ask.ts";
import { whenReaderIsGone } from "../terminal/readerGone.ts";
import type { Screen } from "../terminal/screen.ts";
import { Holding } from "./holding.ts";
import { type Moment, type OnInterrupt, type Reaction, reactionTo } from "./interrupt.ts";
import type { DeploymentPath } from "./watch.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const WHAT_NOW = [
  { value: "on", label: "Go on watching" },
  { value: "cancel", label: "Cancel it" },
  { value: "leave", label: "Leave it running" },
] as const;

export type AttendanceOptions = {
  onInterrupt?: OnInterrupt | undefined;
  timeoutMs?: number | undefined;
  /** Where what is held is noted. */
  folder: string;
};

export class Attendance implements Disposable {
  readonly #screen: Screen;
  readonly #options: AttendanceOptions;
  readonly #stop = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #handler = (signal: NodeJS.Signals) => void this.#interrupted(signal === "SIGINT");
  readonly #holding: Holding;
  #moment: Moment = "nothing";
  #question: AbortController | null = null;
  #pending: { byPerson: boolean } | null = null;
  #givenUp = false;
  /** A signal, and no person, asked for the end. */
  #bySignal = false;

  constructor(screen: Screen, options: AttendanceOptions) {
    this.#screen = screen;
    this.#options = options;
    this.#holding = new Holding(options.folder);
    for (const signal of SIGNALS) process.on(signal, this.#handler);
    whenReaderIsGone(() => this.#withoutReader());
    if (options.timeoutMs !== undefined) {
      this.#timer = setTimeout(() => this.#end(EXIT.timeout, "The time is over."), options.timeoutMs);
    }
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** A signal asked for the end: a plan that comes to rest is skipped, rather than left to wait unseen. */
  get givenUp(): boolean {
    return this.#givenUp;
  }

  /** Between this and `watching` there may be a deployment that nobody knows the id of. */
  creating(where: Pick<Session, "host" | "orgId">, stackId: string, { wouldWait = false } = {}): void {
    this.#moment = "creating";
    this.#holding.creating(where, stackId, wouldWait);
  }

  /** What is attended to from here on. */
  async watching(session: Session, path: DeploymentPath): Promise<void> {
    this.#moment = "watching";
    this.#holding.watching(session, path);
    const pending = this.#pending;
    this.#pending = null;
    if (pending !== null) await this.#interrupted(pending.byPerson);
    this.signal.throwIfAborted();
  }

  sees(deployment: { status: string }): void {
    this.#holding.sees(deployment);
  }

  /** While a question about the plan stands there; a signal takes it away. */
  async question<T>(ask: (gone: AbortSignal) => Promise<T>): Promise<T> {
    this.#question = new AbortController();
    this.#moment = "question";
    try {
      return await ask(AbortSignal.any([this.#question.signal, this.signal]));
    } finally {
      this.#question = null;
      this.#moment = "watching";
    }
  }

  /** What a deployment that was watched to its end exits with. */
  exitWith(code: ExitCode): ExitCode {
    return this.#bySignal ? EXIT.interrupted : code;
  }

  /** Ctrl-C at a question of this program, where no signal comes. */
  leave(): never {
    this.#end(EXIT.interrupted, "");
    throw this.signal.reason;
  }

  async #interrupted(byPerson: boolean): Promise<void> {
    const { interactive } = this.#screen.terminal;
    this.#bySignal ||= !interactive || !byPerson;
    const reaction = reactionTo({
      moment: this.#moment,
      interactive,
      onInterrupt: this.#options.onInterrupt,
      byPerson,
      wouldWait: this.#holding.wouldWait,
      again: this.#pending !== null,
    });
    if (this.#bySignal && (reaction === "cancel" || reaction === "skip")) this.#givenUp = true;
    await this.#react(reaction, byPerson);
  }

  async #react(reaction: Reaction, byPerson: boolean): Promise<void> {
    switch (reaction) {
      case "wait":
        this.#pending = { byPerson };
        this.#screen.note("The service has not said yet whether it begins; Ctrl-C once more does not wait for that.");
        return;
      case "ask":
        return this.#ask();
      case "cancel":
        this.#question?.abort();
        return this.#cancel();
      case "skip":
        return this.#question?.abort();
      default:
        this.#end(EXIT.interrupted, reaction === "exit" ? "Interrupted." : "");
    }
  }

  async #ask(): Promise<void> {
    this.#moment = "asking";
    const gone = new AbortController();
    this.#question = gone;
    const taken = AbortSignal.any([gone.signal, this.signal]);
    const answer = await choose(this.#screen, "The deployment goes on. What now?", WHAT_NOW, taken);
    if (gone.signal.aborted || this.signal.aborted) return;
    this.#question = null;
    this.#moment = "watching";
    if (answer === "cancel") await this.#cancel();
    else if (answer !== "on") this.#end(EXIT.interrupted, "");
  }

  async #cancel(): Promise<void> {
    const { begun } = this.#holding;
    if (begun === null) return;
    this.#moment = "cancelling";
    const { session, path } = begun;
    try {
      await answerOf(
        session.api.POST("/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/cancel", {
          params: { path: { org_id: session.orgId, stack_id: path.stackId, id: path.id } },
          body: {},
        }),
      );
      this.#screen.note("It is being cancelled; Ctrl-C once more leaves it to itself.");
    } catch (error) {
      this.#moment = "watching";
      this.#screen.note(`It could not be cancelled: ${(error as Error).message}`);
    }
  }

  #withoutReader(): void {
    if (this.#holding.wouldWait && this.#moment !== "nothing") void this.#interrupted(false);
    else process.exit(EXIT.done);
  }

  #end(code: ExitCode, why: string): void {
    const [goesOn, hint] = this.#holding.remains();
    const message = [why, goesOn].filter((part) => part !== "").join(" ") || "Interrupted.";
    this.#stop.abort(Failure.of(code as typeof EXIT.interrupted, message, hint));
  }

  [Symbol.dispose](): void {
    for (const signal of SIGNALS) process.off(signal, this.#handler);
    whenReaderIsGone(null);
    clearTimeout(this.#timer);
    this.#holding[Symbol.dispose]();
  }
}
