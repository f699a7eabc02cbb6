import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { OwnLog } from "../output/ownLog.ts";
import { SOURCE } from "../program/bundle.ts";
import type { EphemeralProgram } from "../program/ephemeralProgram.ts";
import { Backoff } from "../service/retry.ts";
import { exitOf } from "./childExit.ts";

/** How long one that waits gets to end by itself. It has nothing to save. */
const END_MS = 2_000;

/**
 * Processes that have loaded the ephemeral runner and wait for their one run, so that no run waits for the loading.
 * Until then they know nothing of any run. Each leads a process group of its own, so that a signal to the coordinator's
 * terminal does not reach it. Each ends by itself once the coordinator is gone.
 */
export class Spares {
  readonly #program: EphemeralProgram;
  readonly #count: number;
  readonly #logger: OwnLog;
  readonly #backoff = new Backoff();
  readonly #waiting = new Set<ChildProcess>();
  #pause: NodeJS.Timeout | null = null;
  #ended = false;

  /** @param count how many wait at a time */
  constructor(program: EphemeralProgram, count: number, logger: OwnLog) {
    this.#program = program;
    this.#count = count;
    this.#logger = logger;
  }

  /** Starts as many as are missing. Never throws. */
  fill(): void {
    while (!this.#ended && this.#pause === null && this.#waiting.size < this.#count) this.#add();
  }

  /** The one that has waited longest, or a new one when none is there. @throws when that cannot be started */
  async take(): Promise<ChildProcess> {
    for (const child of this.#waiting) {
      this.#waiting.delete(child);
      if (child.connected) {
        this.#backoff.reset();
        return child;
      }
      child.kill("SIGKILL");
    }
    const child = startEphemeral(this.#program);
    // Rejects when there is an error instead.
    await once(child, "spawn");
    return child;
  }

  /** Those that wait. */
  pids(): number[] {
    return [...this.#waiting].flatMap(({ pid }) => pid ?? []);
  }

  /** Ends those that wait. None is started any more. */
  async end(): Promise<void> {
    this.#ended = true;
    if (this.#pause !== null) clearTimeout(this.#pause);
    const left = [...this.#waiting];
    this.#waiting.clear();
    await Promise.all(left.map(endWaiting));
  }

  #add(): void {
    let child: ChildProcess;
    try {
      child = startEphemeral(this.#program);
    } catch (err) {
      this.#fillLater({ err });
      return;
    }
    this.#waiting.add(child);
    child.once("exit", (code, signal) => this.#lost(child, { code, signal }));
    child.once("error", (err) => this.#lost(child, { err }));
  }

  #lost(child: ChildProcess, how: object): void {
    if (this.#waiting.delete(child)) this.#fillLater(how);
  }

  /** The next one may end as fast, so it comes no sooner than after a pause. */
  #fillLater(how: object): void {
    const pauseMs = this.#backoff.nextMs();
    this.#logger.warn({ ...how, pauseMs: Math.round(pauseMs) }, "a process that waited for its run is gone");
    this.#pause ??= setTimeout(() => {
      this.#pause = null;
      this.fill();
    }, pauseMs);
  }
}

async function endWaiting(child: ChildProcess): Promise<void> {
  const exited = exitOf(child);
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), END_MS);
  await exited;
  clearTimeout(timer);
}

/**
 * No setting of the coordinator is in its environment, and what it has to know comes over the IPC channel. The source's
 * name among its arguments says what it is, to whoever looks at the list of processes.
 */
function startEphemeral({ file, env }: EphemeralProgram): ChildProcess {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("RUNNER_"));
  return fork(file, [SOURCE], {
    env: { ...Object.fromEntries(inherited), ...env },
    detached: true,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
}
