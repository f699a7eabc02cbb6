/**
 * The wall that an operator's own command makes: a container, a virtual machine or a pod for each run. It is given the
 * image's name and gets its run over standard input, and nothing else of this machine.
 */
import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import type { PollAnswer } from "../../src/core/runs/protocol.ts";
import type { RunnerConfig } from "../config/config.ts";
import { signalGroup } from "../process/processGroup.ts";
import { runDirectoryName } from "./cell.ts";
import { messageIn } from "./channel.ts";
import type { Confined, RunDirectory, Wall } from "./confined.ts";
import { openEnvironment } from "./environment.ts";
import type { FromEphemeral, ToEphemeral } from "./messages.ts";
import { passOnErrors } from "./ownOutput.ts";

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
  readonly #listeners: ((message: FromEphemeral) => void)[] = [];

  constructor(child: ChildProcess, workDir: string) {
    this.child = child;
    this.#workDir = workDir;
    // A command that is gone takes nothing any more.
    child.stdin?.on("error", () => {});
    if (child.stdout !== null) createInterface({ input: child.stdout }).on("line", (line) => this.#hear(line));
  }

  get reachable(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null && this.child.stdin?.writable === true;
  }

  tell(message: ToEphemeral): void {
    if (this.reachable) this.child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  onMessage(listener: (message: FromEphemeral) => void): void {
    this.#listeners.push(listener);
  }

  async assign(assignment: PollAnswer): Promise<RunDirectory> {
    return { inside: path.join(this.#workDir, runDirectoryName(assignment)), outside: null };
  }

  async copyOf(): Promise<null> {
    return null;
  }

  dismiss(): void {
    this.child.stdin?.end();
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

  #hear(line: string): void {
    const message = messageIn(line);
    if (message === null) process.stdout.write(`${line}\n`);
    else for (const listener of this.#listeners) listener(message);
  }
}
