/** Whether an upload can be a source at all, found out from its first bytes while they pass. */
import { once } from "node:events";
import { createGunzip, type Gunzip } from "node:zlib";
import { Header } from "tar";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";

/** A tar file begins with a header of this size, which carries a checksum. */
const BLOCK = 512;

/**
 * The same bytes, unless they do not begin as a gzipped tar does. Only the first block is inflated: a later fault is
 * found by the run that unpacks them.
 * @throws InvalidValueError
 */
export async function* tarOnly(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const gunzip = createGunzip({ chunkSize: BLOCK });
  let fault: string | null | undefined;
  const judged = faultOf(gunzip).then((found) => {
    fault = found;
  });
  try {
    for await (const chunk of body) {
      if (fault === undefined && !gunzip.write(chunk)) await Promise.race([once(gunzip, "drain"), judged]);
      if (typeof fault === "string") break;
      yield chunk;
    }
    gunzip.end();
    await judged;
  } finally {
    gunzip.destroy();
  }
  if (typeof fault === "string") throw new InvalidValueError([{ field: "body", message: fault }]);
}

/** Never rejects. Reading stops, and the inflating with it, once there is a block. */
async function faultOf(gunzip: Gunzip): Promise<string | null> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of gunzip as AsyncIterable<Buffer>) {
      pieces.push(piece);
      size += piece.length;
      if (size >= BLOCK) break;
    }
  } catch {
    return "is not a gzip archive";
  }
  if (size < BLOCK) return "is not a tar file packed by gzip";
  const { cksumValid, nullBlock } = new Header(Buffer.concat(pieces));
  if (nullBlock) return "is an archive without files";
  return cksumValid ? null : "is not a tar file packed by gzip";
}
