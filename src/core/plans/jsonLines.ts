/** Lines of JSON out of a stream of any size, one at a time; between lines other work gets its turn. */
import { isDeeperThan } from "../../http/jsonDepth.ts";
import { parseLossless } from "../../platform/json/losslessJson.ts";

/** Parsing this much takes some milliseconds; then the event loop is given back. */
const BYTES_PER_TURN = 262_144;
const NEWLINE = 0x0a;
/** What is parsed may be nested deeper than it can be written again; values of resources are some levels deep. */
const MAX_DEPTH = 500;

export type Line = {
  value: unknown;
  /** Offset in the stream of the byte after the line and its end. */
  end: number;
  bytes: number;
};

/** A line is longer than the limit, or is no JSON. */
export class UnreadableLineError extends Error {
  override name = "UnreadableLineError";
}

/** No line begins at the byte that was asked for. */
export class NoLineError extends Error {
  override name = "NoLineError";
}

/**
 * The lines from byte `from` on, where one begins, or the end; what comes before is not parsed. The last line needs no
 * end. @throws UnreadableLineError, NoLineError, and whatever `source` throws
 */
export async function* jsonLines(
  source: AsyncIterable<Uint8Array>,
  from: number,
  maxLineBytes: number,
): AsyncGenerator<Line, void> {
  let end = from;
  let turn = 0;
  for await (const bytes of lines(skipped(source, from), maxLineBytes)) {
    end += bytes.length;
    turn += bytes.length;
    if (turn >= BYTES_PER_TURN) {
      turn = 0;
      await new Promise(setImmediate);
    }
    yield { value: parsed(bytes), end, bytes: bytes.length };
  }
}

async function* skipped(source: AsyncIterable<Uint8Array>, count: number): AsyncGenerator<Uint8Array, void> {
  let left = count;
  let before: number | undefined = NEWLINE;
  for await (const chunk of source) {
    if (left > 0) before = chunk[Math.min(left, chunk.length) - 1] ?? before;
    if (left < chunk.length) {
      if (before !== NEWLINE) throw new NoLineError("no line begins there");
      yield left === 0 ? chunk : chunk.subarray(left);
    }
    left = Math.max(0, left - chunk.length);
  }
  if (left > 0) throw new NoLineError("the text ends before");
}

/** Each with its end. */
async function* lines(source: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Buffer, void> {
  let partial: Uint8Array[] = [];
  let partialBytes = 0;
  for await (const chunk of source) {
    let at = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, at)) {
      const line = Buffer.concat([...partial, chunk.subarray(at, end + 1)]);
      partial = [];
      partialBytes = 0;
      at = end + 1;
      if (line.length > maxBytes) throw new UnreadableLineError("a line is too long");
      yield line;
    }
    partial.push(chunk.subarray(at));
    partialBytes += chunk.length - at;
    if (partialBytes > maxBytes) throw new UnreadableLineError("a line is too long");
  }
  if (partialBytes > 0) yield Buffer.concat(partial);
}

function parsed(line: Buffer): unknown {
  let value: unknown;
  try {
    value = parseLossless(line.toString("utf8"));
  } catch {
    throw new UnreadableLineError("a line is no JSON");
  }
  if (isDeeperThan(value, MAX_DEPTH)) throw new UnreadableLineError("a line is nested too deep");
  return value;
}
