import type { RunLog } from "../output/runLog.ts";
import type { Sink } from "../output/sink.ts";
import { RunFailed } from "../service/outcome.ts";
import { type Exit, type GroupOptions, runInGroup, SpawnFailed } from "./processGroup.ts";
import type { StopSignal } from "./stop.ts";

/** Puts a span around a step. */
export interface StepSpans {
  step<T>(name: string, work: () => Promise<T>): Promise<T>;
}

export interface StepOptions {
  cwd: string;
  env: Record<string, string>;
  /** Where the program's output goes; the run's log when absent. */
  stdout?: Sink | { file: string };
  /** Where its errors go; the run's log when absent. */
  stderr?: Sink;
  /** Forms of further secrets, hidden in what goes to the run's log. */
  sensitive?: readonly Buffer[];
}

/** Runs one program after another for one run, with the run's log, stop, grace and trace. */
export class Steps {
  readonly log: RunLog;
  readonly stop: StopSignal;
  readonly trace: StepSpans;
  readonly #graceMs: number;
  readonly #onGroup: GroupOptions["onGroup"];

  constructor(log: RunLog, stop: StopSignal, graceMs: number, onGroup: GroupOptions["onGroup"], trace: StepSpans) {
    this.log = log;
    this.stop = stop;
    this.trace = trace;
    this.#graceMs = graceMs;
    this.#onGroup = onGroup;
  }

  /**
   * @throws RunFailed when the program cannot be started; Stopped when a stop was requested before it started or while
   * it ran and it did not succeed all the same
   */
  async run(program: string, args: readonly string[], options: StepOptions): Promise<Exit> {
    let exit: Exit;
    try {
      exit = await runInGroup(program, args, {
        cwd: options.cwd,
        env: options.env,
        stop: this.stop,
        graceMs: this.#graceMs,
        stdout: options.stdout ?? this.log.stream(options.sensitive),
        stderr: options.stderr ?? this.log.stream(options.sensitive),
        onGroup: this.#onGroup,
      });
    } catch (error) {
      if (error instanceof SpawnFailed)
        throw new RunFailed(`${program} cannot be started on this runner (${error.message}).`);
      throw error;
    }
    if (exit.code !== 0) this.stop.check();
    return exit;
  }
}
