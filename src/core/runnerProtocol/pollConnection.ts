/**
 * Whether the poller is still there. A run must not be claimed for a client that has left, and a claim whose answer
 * nobody read is handed back.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Context } from "hono";

/** How long after the answer a reset of the connection still means that it was not read. */
const RESET_WATCH_MS = 2_000;

export type PollConnection = {
  /** Aborts when the client leaves before the answer. */
  gone: AbortSignal;
  /** Whether the client has left, once everything its kernel has told ours has been looked at. */
  hasLeft(): Promise<boolean>;
  /** Call `lost` once if the answer could not be delivered. */
  watchAnswer(lost: () => void): void;
};

/** The watch over the last poll's answer on a connection; the next poll on it proves that the answer was read. */
const watches = new WeakMap<Socket, () => void>();

export function pollConnection(c: Context): PollConnection {
  const { incoming, outgoing } = (c.env ?? {}) as { incoming?: IncomingMessage; outgoing?: ServerResponse };
  // Not behind a socket: called in process.
  if (incoming === undefined || outgoing === undefined) {
    const { signal } = c.req.raw;
    return { gone: signal, hasLeft: async () => signal.aborted, watchAnswer: () => {} };
  }
  watches.get(incoming.socket)?.();
  const left = new AbortController();
  const onLeave = () => {
    if (!outgoing.writableFinished) left.abort();
  };
  // A client that closes its side while it waits for an answer does not want it any more.
  incoming.socket.once("end", onLeave);
  outgoing.once("close", () => {
    incoming.socket.off("end", onLeave);
    onLeave();
  });
  if (outgoing.destroyed || incoming.socket.destroyed) left.abort();
  return {
    gone: left.signal,
    hasLeft: async () => {
      // A close that has arrived but was not read yet would make the coming answer look delivered. The first only ends
      // the present round of the event loop, whose news were collected at its begin; before the second, it has asked
      // again.
      for (let i = 0; i < 2; i++) await new Promise(setImmediate);
      return left.signal.aborted;
    },
    watchAnswer: (lost) => watch(left.signal, incoming, outgoing, lost),
  };
}

/**
 * The answer counts as lost when the response closes unfinished, or when the connection is reset just after it: a
 * client that closed before reading makes its kernel answer our bytes with a reset, one that read them closes in order.
 */
function watch(gone: AbortSignal, { socket }: IncomingMessage, outgoing: ServerResponse, lost: () => void): void {
  let over = false;
  const end = (isLost: boolean) => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    socket.off("close", onSocketClose);
    watches.delete(socket);
    if (isLost) lost();
  };
  const onSocketClose = (hadError: boolean) => end(hadError || !outgoing.writableFinished);
  const timer = setTimeout(() => end(false), RESET_WATCH_MS).unref();
  socket.once("close", onSocketClose);
  watches.set(socket, () => end(false));
  gone.addEventListener("abort", () => end(true), { once: true });
  if (gone.aborted || socket.destroyed) end(true);
}
