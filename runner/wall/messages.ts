/**
 * What the coordinator and an ephemeral runner tell each other over their channel, a line each, so that no secret is in
 * argv.
 */
import type { RunSettings } from "../config/config.ts";
import type { KnownEngine } from "../engine/knownEngine.ts";
import type { ProbeTargets } from "./probe.ts";

export interface StartMessage {
  type: "start";
  runId: string;
  runnerId: string;
  token: string;
  /** Private directory of this run; removed at the end. */
  directory: string;
  settings: RunSettings;
  /** Engines that need not be asked for their version. */
  engines: KnownEngine[];
}

export type ToEphemeral =
  | StartMessage
  | { type: "token"; token: string }
  | { type: "interrupt" }
  /** To end at once, for one that no signal reaches. */
  | { type: "kill" }
  /** Where the copy is that the run asked for; null: there is none. */
  | { type: "copy"; folder: string | null }
  /** Instead of a run: what can be reached from where it is. */
  | { type: "probe"; targets: ProbeTargets };

export type FromEphemeral =
  /** It knows of its run. Until then it has done nothing for it. */
  | { type: "begun" }
  | { type: "accepted" }
  /** Process group of the child that works right now, so that the coordinator can end it when this process dies. */
  | { type: "group"; group: number | null }
  | { type: "finished" }
  /** Its repository is in a folder of this machine that it does not see. */
  | { type: "copy_of"; folder: string }
  | { type: "probed"; reached: string[]; enters: boolean };

/** The file descriptor of the socket that a process of a run has for it, unless it talks over its standard ones. */
export const CHANNEL = 3;

/** On standard output, what is no message is the process's own log. */
export const MARK = "to_coordinator";

export function lineOf(message: FromEphemeral): string {
  return `${JSON.stringify({ [MARK]: message })}\n`;
}
