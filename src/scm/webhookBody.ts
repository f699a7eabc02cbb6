/**
 * Reads a delivery's raw body, anyone's until its signature is checked: never more than the cap of one, nor more than a
 * share of the process's memory for all that arrive at once (C35).
 */
import { ProblemError } from "../http/problem.ts";
import { bodyStream, readBody } from "../http/requestBody.ts";

class BusyError extends ProblemError {
  constructor() {
    const detail = "Too many deliveries arrive at once; deliver it again later.";
    super({ status: 503, code: "rate_limited", detail, retryAfterSeconds: 5 });
  }
}

/** Memory of all bodies that are being read at one moment. */
const ALL_BYTES = 64 * 1_048_576;

export type WebhookBodies = {
  /** @throws PayloadTooLargeError as soon as the cap is passed, BusyError, MalformedRequestError for one that breaks off */
  read(request: Request): Promise<Buffer>;
};

export function webhookBodies(maxBytes: number, allBytes = ALL_BYTES): WebhookBodies {
  let held = 0;
  const take = (bytes: number) => {
    if (held + bytes > allBytes) throw new BusyError();
    held += bytes;
  };

  /** With a length the server hands over exactly so many bytes. */
  async function whole(request: Request, length: number): Promise<Buffer> {
    if (length > maxBytes) return readBody(request, maxBytes);
    take(length);
    try {
      return await readBody(request, maxBytes);
    } finally {
      held -= length;
    }
  }

  async function chunked(request: Request): Promise<Buffer> {
    const chunks: Uint8Array[] = [];
    let taken = 0;
    try {
      for await (const chunk of bodyStream(request, maxBytes)) {
        take(chunk.length);
        taken += chunk.length;
        chunks.push(chunk);
      }
      return Buffer.concat(chunks);
    } finally {
      held -= taken;
    }
  }

  return {
    read(request) {
      const length = request.headers.get("content-length");
      return length === null ? chunked(request) : whole(request, Number(length));
    },
  };
}
