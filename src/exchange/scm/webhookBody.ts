/**
 * Reads a delivery's raw body, anyone's until its signature is checked: never more than the cap of one, nor more than
 * a share of the process's memory for all that arrive at once. What counts is what has arrived, not what was
 * announced, and deliveries of ordinary size never wait for large ones: strangers who send slowly must not keep a
 * host's deliveries out.
 */

import { bodyStream, readBody } from "../../http/requestBody.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { MalformedRequestError } from "../../platform/problems/requestErrors.ts";

class BusyError extends ProblemError {
  constructor() {
    const detail = "Too many deliveries arrive at once; deliver it again later.";
    super({ status: 503, code: "rate_limited", detail, retryAfterSeconds: 5 });
  }
}

/** Memory of all bodies that are being read at one moment, but for the ordinary part of each. */
const ALL_BYTES = 64 * 1_048_576;
/** Most deliveries are smaller; so much of each is free. */
const ORDINARY_BYTES = 65_536;
/** Longest time that a large body may take to arrive. */
const ARRIVE_MS = 30_000;

export type WebhookBodies = {
  /**
   * @throws PayloadTooLargeError as soon as the cap is passed, BusyError, MalformedRequestError for one that breaks off
   * or dawdles
   */
  read(request: Request): Promise<Buffer>;
};

export function webhookBodies(maxBytes: number, allBytes = ALL_BYTES, arriveMs = ARRIVE_MS): WebhookBodies {
  let bufferedBytes = 0;

  async function counted(request: Request): Promise<Buffer> {
    const chunks: Uint8Array[] = [];
    const arriving = bodyStream(request, maxBytes);
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new MalformedRequestError("The body took too long.")), arriveMs);
    let [size, taken] = [0, 0];
    try {
      for (;;) {
        const next = await Promise.race([arriving.next(), late.promise]);
        if (next.done) return Buffer.concat(chunks);
        size += next.value.length;
        const more = Math.max(size - ORDINARY_BYTES, 0) - taken;
        if (bufferedBytes + more > allBytes) throw new BusyError();
        bufferedBytes += more;
        taken += more;
        chunks.push(next.value);
      }
    } finally {
      clearTimeout(timer);
      bufferedBytes -= taken;
      void arriving.return().catch(() => {});
    }
  }

  return {
    read(request) {
      const length = request.headers.get("content-length");
      // With a length the server hands over exactly so many bytes.
      const plain = length !== null && (Number(length) <= ORDINARY_BYTES || Number(length) > maxBytes);
      return plain ? readBody(request, maxBytes) : counted(request);
    },
  };
}
