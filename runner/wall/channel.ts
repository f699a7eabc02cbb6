/** How the process of a run and its coordinator reach each other: by Node's IPC, or by lines of JSON. */
import { createInterface } from "node:readline";
import type { FromEphemeral, ToEphemeral } from "./messages.ts";

export interface Channel {
  readonly open: boolean;
  onMessage(listener: (message: ToEphemeral) => void): void;
  onClose(listener: () => void): void;
  /** Resolves when the message is on its way; a coordinator that is gone is no error. */
  send(message: FromEphemeral): Promise<void>;
}

/** Set by what a launch command starts (`runner/launched.ts`). */
export const BY_LINES = "RUN_CHANNEL_BY_LINES";
/** What is no message on standard output is the process's own log. */
const MARK = "to_coordinator";

export function coordinatorChannel(): Channel {
  return process.env[BY_LINES] === undefined ? ipcChannel() : lineChannel();
}

function ipcChannel(): Channel {
  return {
    get open() {
      return process.connected;
    },
    onMessage: (listener) => void process.on("message", listener),
    onClose: (listener) => void process.on("disconnect", listener),
    send: (message) =>
      new Promise((resolve) => {
        if (process.connected && process.send !== undefined) process.send(message, () => resolve());
        else resolve();
      }),
  };
}

function lineChannel(): Channel {
  let open = true;
  const lines = createInterface({ input: process.stdin });
  lines.once("close", () => {
    open = false;
  });
  // Where nobody reads any more the run goes on all the same.
  process.stdout.on("error", () => {});
  return {
    get open() {
      return open;
    },
    onMessage: (listener) => void lines.on("line", (line) => listener(JSON.parse(line) as ToEphemeral)),
    onClose: (listener) => void lines.once("close", listener),
    send: (message) =>
      new Promise((resolve) => process.stdout.write(`${JSON.stringify({ [MARK]: message })}\n`, () => resolve())),
  };
}

/** The message in a line of a process's standard output, or null: then it is a line of its log. */
export function messageIn(line: string): FromEphemeral | null {
  if (!line.startsWith(`{"${MARK}":`)) return null;
  try {
    return (JSON.parse(line) as Record<string, FromEphemeral>)[MARK] ?? null;
  } catch {
    return null;
  }
}
