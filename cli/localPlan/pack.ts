/** Packs the files of a local plan into a private file, with its digest. */
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { create } from "tar/create";
import { privateFolder } from "../transfer/privateFolder.ts";
import type { Tree } from "./collect.ts";
import { LEAVE_OUT, MAX_PACKED_BYTES, MAX_RATIO, RATIO_FROM_BYTES, refused } from "./entryRules.ts";

export type Packed = { file: string; sha256: string; size: number; remove(): Promise<void> };

/** @throws Failure: usage; the signal's reason */
export async function pack({ root, paths, bytes }: Tree, signal?: AbortSignal): Promise<Packed> {
  const folder = await privateFolder();
  const file = join(folder, "source.tar.gz");
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const hash = createHash("sha256");
    // Which are dangling, whose they are and what else the machine knows of them is no business of a plan.
    const archive = create({ cwd: root, gzip: { level: 6 }, portable: true, noDirRecurse: true, follow: false }, paths);
    await pipeline(
      Readable.from(archive as AsyncIterable<Buffer>),
      async function* (pieces: AsyncIterable<Buffer>) {
        for await (const piece of pieces) {
          hash.update(piece);
          yield piece;
        }
      },
      createWriteStream(file, { mode: 0o600 }),
      { signal },
    );
    const { size } = await stat(file);
    if (size > MAX_PACKED_BYTES)
      throw refused(`it is ${size} bytes packed, and ${MAX_PACKED_BYTES} may be sent`, LEAVE_OUT);
    if (bytes > RATIO_FROM_BYTES && bytes > size * MAX_RATIO) {
      throw refused(`it unpacks to more than ${MAX_RATIO} times its size`, LEAVE_OUT);
    }
    return { file, sha256: hash.digest("hex"), size, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
