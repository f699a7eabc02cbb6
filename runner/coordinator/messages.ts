/** What the coordinator and an ephemeral runner tell each other over their IPC channel, so that no secret is in argv. */
import type { RunSettings } from "../config/config.ts";

export interface StartMessage {
  type: "start";
  runId: string;
  runnerId: string;
  token: string;
  /** Private directory of this run; removed at the end. */
  directory: string;
  settings: RunSettings;
}

export type ToEphemeral = StartMessage | { type: "token"; token: string } | { type: "interrupt" };

export type FromEphemeral =
  | { type: "accepted" }
  /** Process group of the child that works right now, so that the coordinator can end it when this process dies. */
  | { type: "group"; group: number | null }
  | { type: "finished" };
