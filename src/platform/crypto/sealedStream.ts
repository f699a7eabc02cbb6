/**
 * A sealed stream: the header of an envelope (version 2), seven random nonce bytes, then frames of 1 MiB of plaintext,
 * each followed by its tag; only the last may be shorter. A frame's nonce is prefix, frame counter and a final flag, so
 * frames cannot be reordered, dropped, repeated or cut off at the end without the next check failing.
 */
import { createCipheriv, randomBytes } from "node:crypto";
import {
  associatedData,
  CIPHER,
  headerLength,
  newHeader,
  openBytes,
  type Place,
  readHeader,
  TAG_BYTES,
} from "./envelope.ts";
import type { KeyWrapper } from "./wrapping.ts";
import { DecryptionError } from "./wrapping.ts";

export const FRAME_BYTES = 1_048_576;
const PREFIX_BYTES = 7;
const VERSION_STREAM = 2;
/** A header is some 60 bytes, a few hundred with a cloud key service; more than this is not one of ours. */
const MAX_HEADER_BYTES = 66_000;

export async function* sealFrames(
  keys: KeyWrapper,
  place: Place,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer, void> {
  const { dataKey, header } = await newHeader(keys, VERSION_STREAM);
  const prefix = randomBytes(PREFIX_BYTES);
  const aad = associatedData(header, place);
  yield Buffer.concat([header, prefix]);
  let counter = 0;
  for await (const frame of rechunk(source, FRAME_BYTES)) {
    const cipher = createCipheriv(CIPHER, dataKey, frameNonce(prefix, counter++, frame.final)).setAAD(aad);
    yield Buffer.concat([cipher.update(frame.bytes), cipher.final(), cipher.getAuthTag()]);
  }
}

/** How long a stream is, and how long what it was made of. */
export type StreamLengths = { sealed: number; plain: number };

/**
 * With `lengths` a stream that was cut is known by its beginning.
 * @throws DecryptionError at the first frame that is not what was sealed.
 */
export async function* openFrames(
  keys: KeyWrapper,
  place: Place,
  source: AsyncIterable<Uint8Array>,
  lengths?: StreamLengths,
): AsyncGenerator<Buffer, void> {
  const chunks = source[Symbol.asyncIterator]();
  try {
    const { header, prefix, rest } = await readStart(chunks);
    if (lengths && lengths.sealed !== sealedLength(header, lengths.plain)) throw new DecryptionError();
    const dataKey = await readHeader(keys, VERSION_STREAM, header);
    const aad = associatedData(header, place);
    let counter = 0;
    for await (const frame of rechunk(resume(rest, chunks), FRAME_BYTES + TAG_BYTES)) {
      if (frame.bytes.length < TAG_BYTES) throw new DecryptionError();
      const plaintext = openBytes(dataKey, frameNonce(prefix, counter++, frame.final), aad, frame.bytes);
      if (plaintext.length > 0) yield plaintext;
    }
  } finally {
    // Whatever ended this, the file or socket behind the source is let go.
    await chunks.return?.();
  }
}

function sealedLength(header: Buffer, plain: number): number {
  const frames = Math.max(1, Math.ceil(plain / FRAME_BYTES));
  return header.length + PREFIX_BYTES + plain + frames * TAG_BYTES;
}

async function readStart(chunks: AsyncIterator<Uint8Array>): Promise<{ header: Buffer; prefix: Buffer; rest: Buffer }> {
  let start: Buffer = Buffer.alloc(0);
  for (;;) {
    const length = headerLength(start);
    if (length !== null && start.length >= length + PREFIX_BYTES) {
      const end = length + PREFIX_BYTES;
      return { header: start.subarray(0, length), prefix: start.subarray(length, end), rest: start.subarray(end) };
    }
    const next = await chunks.next();
    if (next.done || start.length > MAX_HEADER_BYTES) throw new DecryptionError();
    start = Buffer.concat([start, next.value]);
  }
}

async function* resume(first: Buffer, chunks: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  yield first;
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
}

/** Cuts a stream into pieces of exactly `size`, and one last piece of 0 to `size` bytes marked final. */
async function* rechunk(
  source: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<{ bytes: Buffer; final: boolean }, void> {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  for await (const chunk of source) {
    pending.push(chunk);
    pendingBytes += chunk.length;
    if (pendingBytes <= size) continue;
    const joined = joinedBytes(pending, pendingBytes);
    let at = 0;
    // Strictly more than one piece must remain, since only the end of the source tells which piece is final.
    for (; pendingBytes - at > size; at += size) yield { bytes: joined.subarray(at, at + size), final: false };
    pending = [joined.subarray(at)];
    pendingBytes -= at;
  }
  yield { bytes: joinedBytes(pending, pendingBytes), final: true };
}

/** A single piece is not copied: most objects are one. */
function joinedBytes(pieces: readonly Uint8Array[], length: number): Buffer {
  const [first] = pieces;
  if (first === undefined || pieces.length > 1) return Buffer.concat(pieces, length);
  return Buffer.from(first.buffer, first.byteOffset, first.byteLength);
}

function frameNonce(prefix: Buffer, counter: number, final: boolean): Buffer {
  const nonce = Buffer.alloc(PREFIX_BYTES + 5);
  prefix.copy(nonce);
  nonce.writeUInt32BE(counter, PREFIX_BYTES);
  nonce[PREFIX_BYTES + 4] = final ? 1 : 0;
  return nonce;
}
