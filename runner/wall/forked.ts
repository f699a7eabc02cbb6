/** A process for a run that talks over a socket: the part that is the same behind every wall of one machine. */
import { type ChildProcess, spawn } from "node:child_process";
import { chown, mkdir } from "node:fs/promises";
import path from "node:path";
import type { Duplex } from "node:stream";
import type { PollAnswer } from "../../src/core/runs/protocol.ts";
import { signalGroup } from "../process/processGroup.ts";
import { SOURCE } from "../program/bundle.ts";
import { recordRun, runDirectoryName } from "./cell.ts";
import type { RunDirectory } from "./confined.ts";
import { CHANNEL, type FromEphemeral, type ToEphemeral } from "./messages.ts";
import { passOn } from "./ownOutput.ts";
import { ProcessChannel } from "./processChannel.ts";

export interface ForkedStart {
  file: string;
  /** Its whole environment. */
  env: Record<string, string>;
  /** What the program is started by; Node's own program is the last of it. Empty: by Node itself. */
  through: readonly string[];
}

/**
 * Starts it as the leader of a process group of its own, so that a signal to the coordinator's terminal does not reach
 * it. What it has to know comes over the channel, which is not Node's own: what a run may write to that one ends the
 * process that reads it. The source's name among its arguments says what it is, to whoever looks at the list of
 * processes.
 */
export function startForked({ file, env, through }: ForkedStart): ChildProcess {
  const [program = process.execPath, ...args] = through;
  const stdio = ["ignore", ...Array<"pipe">(CHANNEL).fill("pipe")] as const;
  return passOn(spawn(program, [...args, file, SOURCE], { env, detached: true, stdio: [...stdio] }));
}

interface Place {
  /** The coordinator's folder for this process. */
  cell: string;
  /** The directory of all runs, as the process sees it. */
  workDir: string;
  /** The same as the coordinator sees it. */
  outside: string;
  /** Whose the run's directory is to be; null: the coordinator's own user. */
  uid: number | null;
}

export abstract class Forked {
  readonly child: ChildProcess;
  readonly #place: Place;
  readonly #channel: ProcessChannel;

  constructor(child: ChildProcess, place: Place) {
    this.child = child;
    this.#place = place;
    // There is none when the coordinator itself has too many files open.
    const socket = (child.stdio?.[CHANNEL] ?? null) as Duplex | null;
    const onLie = () => this.kill();
    this.#channel = new ProcessChannel({ input: socket, output: socket, onText: null, onLie });
    // Something that it left may hold the other end.
    child.once("exit", () => this.#channel.close());
  }

  get reachable(): boolean {
    return this.#channel.open;
  }

  get lie(): string | null {
    return this.#channel.lie;
  }

  tell(message: ToEphemeral): void {
    this.#channel.tell(message);
  }

  onMessage(listener: (message: FromEphemeral) => void): void {
    this.#channel.onMessage(listener);
  }

  /** The directory is its run's alone, and is not there before the cell says whose it is. */
  async assign(assignment: PollAnswer): Promise<RunDirectory> {
    const { cell, workDir, outside, uid } = this.#place;
    const name = runDirectoryName(assignment);
    const directory = path.join(outside, name);
    await recordRun(cell, { pid: this.child.pid as number, assignment, directory });
    await mkdir(directory, { mode: 0o700 });
    if (uid !== null) await chown(directory, uid, uid);
    return { inside: path.join(workDir, name), outside: directory };
  }

  async copyOf(_repository: string): Promise<string | null> {
    return null;
  }

  dismiss(): void {
    this.#channel.end();
  }

  /** All of its group: the program that made the wall may be another process than the one behind it. */
  kill(): void {
    if (this.child.pid !== undefined) signalGroup(this.child.pid, "SIGKILL");
  }
}
