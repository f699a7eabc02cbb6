/**
 * Request bodies with a hard cap. The cap counts the bytes that arrive, so a chunked body without a length meets it
 * too; a declared length only lets us refuse sooner.
 */

import { buffer as collect } from "node:stream/consumers";
import {
  MalformedRequestError,
  PayloadTooLargeError,
  UnsupportedMediaTypeError,
} from "../platform/problems/requestErrors.ts";
import { isDeeperThan } from "./jsonDepth.ts";

/** Deeper than any body of ours; a deeper one would overflow whatever walks it later. */
const MAX_JSON_DEPTH = 32;

/**
 * The body as it arrives, for what is streamed on to storage. Throws in the middle when the cap is passed.
 * @throws PayloadTooLargeError, UnsupportedMediaTypeError for a compressed body
 */
export async function* bodyStream(request: Request, maxBytes: number): AsyncGenerator<Uint8Array, void> {
  checkHead(request, maxBytes);
  if (request.body === null) return;
  let size = 0;
  for await (const chunk of wholeOrBroken(request.body as AsyncIterable<Uint8Array>)) {
    size += chunk.length;
    if (size > maxBytes) throw new PayloadTooLargeError(maxBytes);
    yield chunk;
  }
}

/** A client that leaves in the middle is no error of ours, whatever the server throws for it. */
function brokenOff(): never {
  throw new MalformedRequestError("The body broke off before its end.");
}

async function* wholeOrBroken(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await chunks.next().catch(brokenOff);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await chunks.return?.().catch(() => {});
  }
}

/** The whole body. @throws PayloadTooLargeError as soon as the cap is passed */
export async function readBody(request: Request, maxBytes: number): Promise<Buffer> {
  checkHead(request, maxBytes);
  // With a length the parser hands over exactly so many bytes, and the server's short cut past web streams is safe.
  if (request.headers.has("content-length")) {
    return Buffer.from(await request.arrayBuffer().catch(brokenOff));
  }
  return collect(bodyStream(request, maxBytes));
}

/**
 * The body as JSON; undefined when there is none.
 * @throws UnsupportedMediaTypeError (415), PayloadTooLargeError (413), MalformedRequestError (400)
 */
export async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  const bytes = await readBody(request, maxBytes);
  if (bytes.length === 0) return undefined;
  if (!isJson(request.headers.get("content-type"))) throw new UnsupportedMediaTypeError("application/json");
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    // The parser's own message quotes the text around the fault.
    throw new MalformedRequestError("The body is not valid JSON in UTF-8.");
  }
  if (isDeeperThan(value, MAX_JSON_DEPTH)) {
    throw new MalformedRequestError(`The body is nested deeper than ${MAX_JSON_DEPTH} levels.`);
  }
  return value;
}

function checkHead(request: Request, maxBytes: number): void {
  const encoding = request.headers.get("content-encoding");
  if (encoding !== null && encoding.toLowerCase() !== "identity") {
    throw new UnsupportedMediaTypeError("it is, without Content-Encoding");
  }
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw new PayloadTooLargeError(maxBytes);
}

function isJson(contentType: string | null): boolean {
  const [type, ...parameters] = (contentType ?? "").toLowerCase().split(";");
  return (
    type?.trim() === "application/json" && parameters.every((parameter) => /^\s*charset="?utf-8"?\s*$/.test(parameter))
  );
}
