/** A process for a run that talks over an IPC channel: the part that is the same behind every wall of one machine. */
import { type ChildProcess, fork, type StdioOptions } from "node:child_process";
import { chown, mkdir } from "node:fs/promises";
import path from "node:path";
import type { PollAnswer } from "../../src/core/runs/protocol.ts";
import { signalGroup } from "../process/processGroup.ts";
import { SOURCE } from "../program/bundle.ts";
import { recordRun, runDirectoryName } from "./cell.ts";
import type { RunDirectory } from "./confined.ts";
import type { FromEphemeral, ToEphemeral } from "./messages.ts";
import { passOn } from "./ownOutput.ts";

export interface ForkedStart {
  file: string;
  /** Its whole environment. */
  env: Record<string, string>;
  /** What the program is started by; Node's own program is the last of it. Empty: by Node itself. */
  through: readonly string[];
}

/**
 * Starts it as the leader of a process group of its own, so that a signal to the coordinator's terminal does not reach
 * it. What it has to know comes over the channel. The source's name among its arguments says what it is, to whoever
 * looks at the list of processes.
 */
export function startForked({ file, env, through }: ForkedStart): ChildProcess {
  const [execPath = process.execPath, ...execArgv] = through;
  const stdio: StdioOptions = ["ignore", "pipe", "pipe", "ipc"];
  return passOn(fork(file, [SOURCE], { execPath, execArgv, env, detached: true, stdio }));
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

  constructor(child: ChildProcess, place: Place) {
    this.child = child;
    this.#place = place;
  }

  get reachable(): boolean {
    return this.child.connected;
  }

  tell(message: ToEphemeral): void {
    if (this.child.connected) this.child.send(message, () => {});
  }

  onMessage(listener: (message: FromEphemeral) => void): void {
    this.child.on("message", listener);
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
    if (this.child.connected) this.child.disconnect();
  }

  /** All of its group: the program that made the wall may be another process than the one behind it. */
  kill(): void {
    if (this.child.pid !== undefined) signalGroup(this.child.pid, "SIGKILL");
  }
}
