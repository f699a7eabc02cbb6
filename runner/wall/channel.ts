/**
 * How the process of a run reaches its coordinator: by lines of JSON, over a socket of their own or, in a container,
 * over standard input and output.
 */
import { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { eachLine } from "./lines.ts";
import { CHANNEL, type FromEphemeral, lineOf, type ToEphemeral } from "./messages.ts";

export interface Channel {
  readonly open: boolean;
  onMessage(listener: (message: ToEphemeral) => void): void;
  onClose(listener: () => void): void;
  /** Resolves when the message is on its way; a coordinator that is gone is no error. */
  send(message: FromEphemeral): Promise<void>;
}

/** Set by what a launch command starts (`runner/launched.ts`). */
export const BY_STANDARD = "RUN_CHANNEL_BY_STANDARD";

export function coordinatorChannel(): Channel {
  if (process.env[BY_STANDARD] !== undefined) return channelOver(process.stdin, process.stdout);
  const socket = inheritedSocket();
  return socket === null ? CLOSED : channelOver(socket, socket);
}

function channelOver(input: Readable, output: Writable): Channel {
  const closed = Promise.withResolvers<void>();
  let open = true;
  const close = () => {
    open = false;
    closed.resolve();
  };
  for (const event of ["end", "close", "error"]) input.on(event, close);
  // Where nobody reads any more the run goes on all the same.
  output.on("error", () => {});
  return {
    get open() {
      return open;
    },
    onMessage: (listener) => eachLine(input, (line) => listener(JSON.parse(line) as ToEphemeral), close),
    onClose: (listener) => void closed.promise.then(listener),
    send: (message) => new Promise((resolve) => output.write(lineOf(message), () => resolve())),
  };
}

/** Null where no coordinator started this process. */
function inheritedSocket(): Socket | null {
  try {
    return new Socket({ fd: CHANNEL });
  } catch {
    return null;
  }
}

const CLOSED: Channel = { open: false, onMessage: () => {}, onClose: () => {}, send: async () => {} };
