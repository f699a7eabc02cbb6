import type { Readable, Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { EgressAnswerError } from "./errors.ts";

const DECODERS: Record<string, () => Transform> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * The whole body, inflated. The cap counts inflated bytes as they come, so a small body that would inflate to
 * gigabytes is dropped at the cap. Only one layer of encoding is undone: nobody sends two in good faith.
 * @throws EgressAnswerError
 */
export async function readAnswer(raw: Readable, encoding: string, maxBytes: number): Promise<Buffer> {
  const name = encoding.trim().toLowerCase();
  if (name === "" || name === "identity") return readCapped(raw, maxBytes);
  const decoder = DECODERS[name]?.();
  // Destroying a body early makes the client emit an error on it; a failing one must end the decoder too, or the reader
  // below would wait for ever.
  raw.on("error", (error) => decoder?.destroy(error));
  if (decoder === undefined) {
    raw.destroy();
    throw new EgressAnswerError("undecodable");
  }
  raw.pipe(decoder);
  try {
    return await readCapped(decoder, maxBytes);
  } catch (error) {
    throw isZlibError(error) ? new EgressAnswerError("undecodable", error) : error;
  } finally {
    raw.destroy();
    decoder.destroy();
  }
}

async function readCapped(source: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new EgressAnswerError("too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function isZlibError(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return typeof code === "string" && /^(?:Z_|ERR__ERROR_|ERR_BROTLI|ERR_ZLIB)/.test(code);
}
