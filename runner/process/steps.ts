import type { RunLog } from "../output/runLog.ts";
import type { Sink } from "../output/sink.ts";
import { RunFailed } from "../service/outcome.ts";
import { type Exit, type GroupOptions, runInGroup, SpawnFailed } from "./processGroup.ts";
import type { StopSignal } from "./stop.ts";
import { systemReason } from "./systemReasons.ts";

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

/** Brings a copy of a repository of this machine to where the run sees it; null where that may not be. */
export type CopyOf = (folder: string) => Promise<string | null>;

/** What a process has for the programs of its one run. */
export type Means = Pick<GroupOptions, "stop" | "onGroup" | "pipes"> & { copyOf?: CopyOf };

/** Runs one program after another for one run, with the run's log, stop, grace and trace. */
export class Steps {
  readonly log: RunLog;
  readonly stop: StopSignal;
  readonly trace: StepSpans;
  readonly copyOf: CopyOf | undefined;
  readonly #graceMs: number;
  readonly #means: Means;

  constructor(log: RunLog, means: Means, graceMs: number, trace: StepSpans) {
    this.log = log;
    this.stop = means.stop;
    this.trace = trace;
    this.copyOf = means.copyOf;
    this.#graceMs = graceMs;
    this.#means = means;
  }

  /**
   * @throws RunFailed when the program cannot be started; Stopped when a stop was requested before it started or while
   * it ran and it did not succeed all the same
   */
  async run(program: string, args: readonly string[], options: StepOptions): Promise<Exit> {
    let exit: Exit;
    try {
      exit = await runInGroup(program, args, {
        ...this.#means,
        cwd: options.cwd,
        env: options.env,
        graceMs: this.#graceMs,
        stdout: options.stdout ?? this.log.stream(options.sensitive),
        stderr: options.stderr ?? this.log.stream(options.sensitive),
      });
    } catch (error) {
      if (error instanceof SpawnFailed)
        throw new RunFailed(`${program} cannot be started on this runner: ${whyNot(error, args, options.env)}.`);
      throw error;
    }
    if (exit.code !== 0) this.stop.check();
    return exit;
  }
}

/** Of what is too large, the largest: that is what somebody has to make smaller. Its name is no secret. */
function whyNot({ message: code }: SpawnFailed, args: readonly string[], env: Record<string, string>): string {
  if (code !== "E2BIG") return systemReason(code);
  const sizes = Object.entries(env).map(([name, value]) => ({ name, bytes: Buffer.byteLength(value) }));
  const largest = sizes.reduce((most, each) => (each.bytes > most.bytes ? each : most), { name: "", bytes: 0 });
  const ofArguments = args.reduce((sum, each) => sum + Buffer.byteLength(each), 0);
  const ofVariables = sizes.reduce((sum, each) => sum + each.bytes, 0);
  const parts = `variables ${ofVariables} bytes, the largest ${largest.name} with ${largest.bytes}; arguments ${ofArguments} bytes`;
  return `${systemReason(code)}; ${parts}`;
}
