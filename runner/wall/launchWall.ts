/**
 * The wall that an operator's own command makes: a container, a virtual machine or a pod for each run. It is given the
 * image's name and gets its run over standard input, and nothing else of this machine.
 */
import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import type { PollAnswer } from "../../src/core/runs/protocol.ts";
import type { RunnerConfig } from "../config/config.ts";
import { signalGroup } from "../process/processGroup.ts";
import { runDirectoryName } from "./cell.ts";
import type { Confined, RunDirectory, Wall } from "./confined.ts";
import { openEnvironment } from "./environment.ts";
import type { FromEphemeral, ToEphemeral } from "./messages.ts";
import { passOnErrors } from "./ownOutput.ts";
import { ProcessChannel } from "./processChannel.ts";

/** How long a command may take to end what it launched, once that is not believed any more. */
const END_MS = 10_000;

export class LaunchWall implements Wall {
  readonly #config: RunnerConfig;
  readonly #command: string;

  constructor(config: RunnerConfig, command: string) {
    this.#config = config;
    this.#command = command;
  }

  /** The command itself is the operator's, so it works with the operator's environment. */
  start(): Confined {
    const { launchImage, workDir } = this.#config;
    const names = { RUN_NAME: `run-${crypto.randomUUID()}`, RUN_IMAGE: launchImage ?? "", RUN_DIRECTORY: workDir };
    const child = spawn("/bin/sh", ["-c", this.#command], {
      cwd: "/",
      env: { ...openEnvironment(), ...names },
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    return new Launched(passOnErrors(child), workDir);
  }
}

class Launched implements Confined {
  readonly child: ChildProcess;
  readonly #workDir: string;
  readonly #channel: ProcessChannel;

  constructor(child: ChildProcess, workDir: string) {
    this.child = child;
    this.#workDir = workDir;
    this.#channel = new ProcessChannel({
      // There are none when the coordinator itself has too many files open.
      input: child.stdout ?? null,
      output: child.stdin ?? null,
      onText: (line) => process.stdout.write(`${line}\n`),
      onLie: () => this.#endLiar(),
    });
  }

  get reachable(): boolean {
    return this.#isAtWork && this.#channel.open;
  }

  get lie(): string | null {
    return this.#channel.lie;
  }

  tell(message: ToEphemeral): void {
    if (this.reachable) this.#channel.tell(message);
  }

  onMessage(listener: (message: FromEphemeral) => void): void {
    this.#channel.onMessage(listener);
  }

  async assign(assignment: PollAnswer): Promise<RunDirectory> {
    return { inside: path.join(this.#workDir, runDirectoryName(assignment)), outside: null };
  }

  async copyOf(): Promise<null> {
    return null;
  }

  dismiss(): void {
    this.#channel.end();
  }

  /** What it launched may be no process of this machine, so that is asked to end by itself. */
  kill(): void {
    this.tell({ type: "kill" });
    if (this.child.pid !== undefined) signalGroup(this.child.pid, "SIGTERM");
  }

  async endPrograms(): Promise<void> {
    // They are behind the command's wall and end with it.
  }

  async clear(): Promise<void> {
    if (this.child.pid !== undefined) signalGroup(this.child.pid, "SIGKILL");
  }

  get #isAtWork(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** It may not listen either, and its run is over no sooner than the command. */
  #endLiar(): void {
    if (!this.#isAtWork) {
      this.#channel.close();
      return;
    }
    this.kill();
    const timer = setTimeout(() => void this.clear(), END_MS);
    this.child.once("exit", () => {
      clearTimeout(timer);
      this.#channel.close();
    });
  }
}
