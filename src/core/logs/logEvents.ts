/**
 * A followed log on the wire: server-sent events, each with the offset after it as its id, so that `Last-Event-ID` goes
 * on exactly there. Text travels inside JSON, since the format itself cannot tell line ends apart.
 */
import type { LogPiece } from "./logStream.ts";

/** How long a client waits before it connects again. */
const RETRY_MS = 1_000;
/** Proxies give up connections that say nothing for a minute. */
const KEEP_ALIVE_MS = 15_000;

const OPENING = `retry: ${RETRY_MS}\n\n`;
const KEEP_ALIVE = ": keep-alive\n\n";

/**
 * `log`: `{"stage_id", "offset", "text"}`, and `base64` with the exact bytes where they are no UTF-8. `end`:
 * `{"status"}`, the last event, with `"gaps": true` where a part of the log never came; without it the connection was
 * only interrupted.
 */
export function encodeEvent(piece: LogPiece): string {
  const data = piece.kind === "end" ? endData(piece) : logData(piece);
  return `id: ${piece.end}\nevent: ${piece.kind}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The status, and that a part of the log never came. */
function endData({ status, gaps }: Extract<LogPiece, { kind: "end" }>) {
  return { status, ...(gaps && { gaps }) };
}

function logData({ stageId, bytes, end }: Extract<LogPiece, { kind: "log" }>) {
  const text = bytes.toString("utf8");
  const offset = end - bytes.length;
  const exact = Buffer.byteLength(text) === bytes.length && Buffer.from(text).equals(bytes);
  return { stage_id: stageId, offset, text, ...(exact ? {} : { base64: bytes.toString("base64") }) };
}

/**
 * The response body. One event is made per pull, so a client that reads slowly makes the log wait, not the memory grow.
 * @param stop called when the client has gone or the stream is over
 */
export function eventStream<Piece>(
  pieces: AsyncGenerator<Piece, void>,
  encode: (piece: Piece) => string,
  stop: (why?: unknown) => void,
  keepAliveMs: number = KEEP_ALIVE_MS,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let opened = false;
  let left = false;
  let next: Promise<IteratorResult<Piece, void>> | undefined;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const send = (text: string) => controller.enqueue(encoder.encode(text));
        if (!opened) {
          opened = true;
          return send(OPENING);
        }
        next ??= pieces.next();
        try {
          const result = await orSilence(next, keepAliveMs);
          if (left) return;
          if (result === "silence") return send(KEEP_ALIVE);
          next = undefined;
          if (!result.done) return send(encode(result.value));
          controller.close();
          stop();
        } catch (error) {
          if (left) return;
          // Cut off rather than closed in order: the client comes back to where it was. The server prints what it is
          // given here as it is, so the reason goes to our own log only.
          controller.error(new Error("the event stream broke off"));
          stop(error);
        }
      },
      cancel() {
        left = true;
        stop();
      },
    },
    { highWaterMark: 0 },
  );
}

async function orSilence<T>(next: Promise<T>, ms: number): Promise<T | "silence"> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<"silence">((resolve) => {
    timer = setTimeout(() => resolve("silence"), ms);
  });
  try {
    return await Promise.race([next, silence]);
  } finally {
    clearTimeout(timer);
  }
}
