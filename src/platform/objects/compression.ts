/**
 * Objects that are compressed before they are sealed: what engines print and what they plan is mostly said before. The
 * object's name alone says which they are, so that none needs a row of its own for it and older ones are read as ever.
 */
import { pipeline, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { createZstdCompress, createZstdDecompress, zstdCompress, zstdDecompress } from "node:zlib";
import { DecryptionError } from "../crypto/wrapping.ts";

const ENDING = ".zst";
/** Up to this size an object is inflated in one piece, without the price of a stream. */
const ONE_PIECE_BYTES = 1_048_576;

const compressed = promisify(zstdCompress);
const inflated = promisify(zstdDecompress);

export function compressedName(key: string): string {
  return key + ENDING;
}

export function isCompressed(key: string): boolean {
  return key.endsWith(ENDING);
}

/** An error of `source` passes through. */
export async function* compress(source: AsyncIterable<Uint8Array>, onePiece: boolean): AsyncGenerator<Uint8Array> {
  if (!onePiece) yield* through(source, createZstdCompress());
  else for await (const piece of source) yield await compressed(piece);
}

/**
 * @param size what was compressed
 * @throws DecryptionError when it is not of that size in the end; an error of `source` passes through
 */
export async function* inflate(source: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let left = size;
  const pieces = size > ONE_PIECE_BYTES ? through(source, createZstdDecompress()) : inOnePiece(source, size);
  for await (const piece of pieces) {
    left -= piece.length;
    if (left < 0) throw new DecryptionError();
    yield piece;
  }
  if (left > 0) throw new DecryptionError();
}

async function* inOnePiece(source: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  const stored = await buffer(source);
  if (size === 0) return;
  yield await inflated(stored, { maxOutputLength: Math.max(size, 1) }).catch(() => {
    throw new DecryptionError();
  });
}

function through(
  source: AsyncIterable<Uint8Array>,
  step: ReturnType<typeof createZstdCompress> | ReturnType<typeof createZstdDecompress>,
): AsyncIterable<Uint8Array> {
  // Whoever reads the step hears of what went wrong before it.
  pipeline(Readable.from(source, { objectMode: false }), step, () => {});
  return step;
}
