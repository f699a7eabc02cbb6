/** Sends a file as it is read, says how far it is, and sends it again after a short outage. */
import { createReadStream } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { errorOf } from "../../clients/api/problem.ts";
import type { Session } from "../service/session.ts";
import { isHopeless, isUnreachable } from "../service/unreachable.ts";
import type { Screen } from "../terminal/screen.ts";

export type Sending = {
  path: string;
  file: string;
  size: number;
  headers: Record<string, string>;
  signal: AbortSignal;
};

const ATTEMPTS = 3;

/** To a call that may be made twice. @throws ApiError */
export async function sendFile(
  session: Session,
  screen: Screen,
  { path, file, size, headers, signal }: Sending,
): Promise<Response> {
  let sent = 0;
  const share = () => `uploading ${megabytes(size)} (${size === 0 ? 100 : Math.floor((100 * sent) / size)}%)`;
  await screen.status(share, `uploading ${megabytes(size)}`);
  try {
    for (let attempt = 1; ; attempt++) {
      sent = 0;
      try {
        const body = counted(file, (bytes) => {
          sent += bytes;
        });
        const response = await session.send(path, {
          method: "POST",
          headers: { ...headers, "content-length": String(size) },
          body,
          duplex: "half",
          signal,
        } as RequestInit);
        if (response.ok) return response;
        if (response.status < 500 || attempt === ATTEMPTS) throw await errorOf(response);
      } catch (error) {
        if (signal.aborted || attempt === ATTEMPTS || !isUnreachable(error) || isHopeless(error)) throw error;
      }
      screen.note("The upload was interrupted; it is sent again.");
      await pause(500 * attempt, undefined, { signal });
    }
  } finally {
    await screen.status(null);
  }
}

/** Bytes are asked for as they are sent. */
function counted(file: string, onSent: (bytes: number) => void): ReadableStream<Uint8Array> {
  const pieces = createReadStream(file)[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done) return controller.close();
        onSent(value.length);
        controller.enqueue(value);
      },
      async cancel() {
        await pieces.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

function megabytes(bytes: number): string {
  return bytes < 100_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
