/** Sends a packed tree, and says how far it is. */
import { createReadStream } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { errorOf } from "../../clients/api/problem.ts";
import type { Session } from "../service/session.ts";
import type { Screen } from "../terminal/screen.ts";
import type { Packed } from "./pack.ts";

export type Uploaded = { local_source_key: string; local_source_sha256: string };

const ATTEMPTS = 3;

/** @throws ApiError */
export async function upload(
  session: Session,
  screen: Screen,
  { stackId, packed, signal }: { stackId: string; packed: Packed; signal: AbortSignal },
): Promise<Uploaded> {
  const path = `/api/v1/orgs/${session.orgId}/stacks/${encodeURIComponent(stackId)}/local-sources?sha256=${packed.sha256}`;
  let sent = 0;
  const share = () => `uploading ${megabytes(packed.size)} (${Math.floor((100 * sent) / packed.size)}%)`;
  await screen.status(share, `uploading ${megabytes(packed.size)}`);
  try {
    for (let attempt = 1; ; attempt++) {
      sent = 0;
      try {
        const body = counted(packed.file, (bytes) => {
          sent += bytes;
        });
        const headers = { "content-type": "application/gzip", "content-length": String(packed.size) };
        const response = await session.send(path, {
          method: "POST",
          headers,
          body,
          duplex: "half",
          signal,
        } as RequestInit);
        if (response.ok) return (await response.json()) as Uploaded;
        if (response.status < 500 || attempt === ATTEMPTS) throw await errorOf(response);
      } catch (error) {
        if (signal.aborted || attempt === ATTEMPTS || (error as Error).name === "ApiError") throw error;
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
