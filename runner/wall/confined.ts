import type { ChildProcess } from "node:child_process";
import type { PollAnswer } from "../../src/core/runs/protocol.ts";
import type { FromEphemeral, ToEphemeral } from "./messages.ts";

/** A process for one run, behind its wall, as the coordinator has it. It is started before there is a run. */
export interface Confined {
  readonly child: ChildProcess;
  /** Whether it can still be told anything. */
  readonly reachable: boolean;
  /** What it did over its channel that no process of ours does; it was killed for that. */
  readonly lie: string | null;
  tell(message: ToEphemeral): void;
  onMessage(listener: (message: FromEphemeral) => void): void;
  /** Makes the private directory of its run. */
  assign(assignment: PollAnswer): Promise<RunDirectory>;
  /**
   * Brings a copy of a repository of this machine to where the run sees it. To be called before the run executes
   * anything. Null where it sees the machine's folders anyway, or must not have this one. Never rejects.
   */
  copyOf(repository: string): Promise<string | null>;
  /** Lets one that waits end by itself. */
  dismiss(): void;
  kill(): void;
  /** Interrupts what its run left at work when the process died, and kills it after the grace. */
  endPrograms(group: number | null, graceMs: number): Promise<void>;
  /** To be called once the process is gone: ends and removes whatever is left of it. Never rejects. */
  clear(): Promise<void>;
}

/** One directory, by the name it has for the run and by that it has for the coordinator. */
export interface RunDirectory {
  inside: string;
  /** Null where it is on another machine. */
  outside: string | null;
}

/** Starts processes for runs, each behind a wall of its own. */
export interface Wall {
  /** @throws when the process cannot be started */
  start(): Confined;
}
