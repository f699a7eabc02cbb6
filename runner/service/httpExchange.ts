/**
 * One request and its answer. By `node:http` and not by `fetch`: a process that serves one run makes a dozen calls, and
 * would spend more CPU time on loading and warming up `fetch` than on the rest of the run.
 */
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import http, { type ClientRequest, type IncomingMessage } from "node:http";
import { pipeline } from "node:stream";

const SMALL_BYTES = 65_536;

export type HttpBody = string | Uint8Array | { file: string };

export interface HttpRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: HttpBody | null;
  /** For all of it, the reading of the answer too. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** Sends the request and returns what `read` makes of the answer. No redirect is followed. @throws what went wrong */
export async function exchange<T>(request: HttpRequest, read: (answer: IncomingMessage) => Promise<T>): Promise<T> {
  const { method, url, headers, timeoutMs, signal } = request;
  const { body, length } = await measured(request.body);
  signal?.throwIfAborted();
  const { request: open } = url.startsWith("https:") ? process.getBuiltinModule("node:https") : http;
  const measure = length === null ? {} : { "content-length": String(length) };
  const outgoing = open(url, { method, headers: { ...headers, ...measure } });
  let cutShort: Error | null = null;
  const cut = (why: Error) => {
    cutShort ??= why;
    outgoing.destroy(why);
  };
  const abort = () => cut(signal?.reason);
  const timer = setTimeout(() => cut(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  signal?.addEventListener("abort", abort);
  let answer: IncomingMessage | null = null;
  try {
    answer = await answerTo(outgoing, body);
    return await read(answer);
  } catch (error) {
    throw cutShort ?? error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
    // An answer may come before everything was sent, and need not be read. No other request may follow there then.
    if (!outgoing.writableFinished || answer?.readableEnded !== true) outgoing.destroy();
  }
}

/** The whole body as text. */
export async function textOf(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

function answerTo(outgoing: ClientRequest, body: HttpBody | null): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once("response", resolve);
    // Once there is an answer it is what counts.
    outgoing.on("error", reject);
    if (body === null) outgoing.end();
    else if (typeof body === "string" || body instanceof Uint8Array) outgoing.end(body);
    else pipeline(createReadStream(body.file), outgoing, (error) => error && reject(error));
  });
}

/** The body with its length. A small file is read at once: a stream costs more than what is in it. */
async function measured(body: HttpBody | null): Promise<{ body: HttpBody | null; length: number | null }> {
  if (body === null) return { body, length: null };
  if (typeof body === "string") return { body, length: Buffer.byteLength(body) };
  if (body instanceof Uint8Array) return { body, length: body.byteLength };
  const { size } = await stat(body.file);
  if (size > SMALL_BYTES) return { body, length: size };
  const bytes = await readFile(body.file);
  return { body: bytes, length: bytes.length };
}
