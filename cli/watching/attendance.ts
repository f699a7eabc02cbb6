/**
 * Whoever started something attends to it: Ctrl-C, signals and `--timeout` end the watching, and say what becomes of
 * the deployment.
 */
import { answerOf } from "../../clients/api/client.ts";
import { EXIT, type ExitCode } from "../exit/exitCodes.ts";
import { Failure } from "../exit/failure.ts";
import type { Session } from "../service/session.ts";
import { choose } from "../terminal/ask.ts";
import type { Screen } from "../terminal/screen.ts";
import { type Moment, type OnInterrupt, reactionTo } from "./interrupt.ts";
import type { DeploymentPath } from "./watch.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export type AttendanceOptions = { onInterrupt?: OnInterrupt | undefined; timeoutMs?: number | undefined };

export class Attendance implements Disposable {
  readonly #screen: Screen;
  readonly #onInterrupt: OnInterrupt | undefined;
  readonly #stop = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #handler = (signal: NodeJS.Signals) => void this.#interrupted(signal === "SIGINT");
  #moment: Moment = "nothing";
  #waiting: boolean | null = null;
  #begun: { session: Session; path: DeploymentPath } | null = null;
  /** A signal, and no person, asked for the end. */
  #bySignal = false;

  constructor(screen: Screen, { onInterrupt, timeoutMs }: AttendanceOptions) {
    this.#screen = screen;
    this.#onInterrupt = onInterrupt;
    for (const signal of SIGNALS) process.on(signal, this.#handler);
    if (timeoutMs !== undefined) {
      this.#timer = setTimeout(() => this.#end(EXIT.timeout, "The time is over."), timeoutMs);
    }
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Between this and `watching` there may be a deployment that nobody knows the id of. */
  creating(): void {
    this.#moment = "creating";
  }

  /** What is attended to from here on. */
  async watching(session: Session, path: DeploymentPath): Promise<void> {
    this.#begun = { session, path };
    this.#moment = "watching";
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting !== null) await this.#interrupted(waiting);
    this.signal.throwIfAborted();
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
    const reaction = reactionTo({ moment: this.#moment, interactive, onInterrupt: this.#onInterrupt, byPerson });
    this.#bySignal ||= !interactive || !byPerson;
    if (reaction === "wait") this.#waiting = byPerson;
    else if (reaction === "ask") await this.#ask();
    else if (reaction === "cancel") await this.#cancel();
    else this.#end(EXIT.interrupted, reaction === "exit" ? "Interrupted." : "");
  }

  async #ask(): Promise<void> {
    this.#moment = "asking";
    const answer = await choose(this.#screen, "The deployment goes on. What now?", [
      { value: "on", label: "Go on watching" },
      { value: "cancel", label: "Cancel it" },
      { value: "leave", label: "Leave it running" },
    ]);
    this.#moment = "watching";
    if (answer === "cancel") await this.#cancel();
    else if (answer !== "on") this.#end(EXIT.interrupted, "");
  }

  async #cancel(): Promise<void> {
    if (this.#begun === null) return;
    this.#moment = "cancelling";
    const { session, path } = this.#begun;
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

  #end(code: ExitCode, why: string): void {
    const goesOn = this.#begun === null ? "" : `Deployment ${this.#begun.path.id} goes on.`;
    const hint =
      this.#begun === null ? undefined : `Watch it: deploy watch ${this.#begun.path.stackId}/${this.#begun.path.id}`;
    this.#stop.abort(new Failure(code, [why, goesOn].filter((part) => part !== "").join(" ") || "Interrupted.", hint));
  }

  [Symbol.dispose](): void {
    for (const signal of SIGNALS) process.off(signal, this.#handler);
    clearTimeout(this.#timer);
  }
}
