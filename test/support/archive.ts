/** Archives as a person would upload them, and as nobody should. */
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { Header, type HeaderData } from "tar";

export type Entry = {
  path: string;
  type?: HeaderData["type"];
  body?: string | Buffer;
  linkpath?: string;
  mode?: number;
  /** What the header says, whatever the body is. */
  size?: number;
};

const BLOCK = 512;

/** The bytes of a tar file with these entries, in this order, none of them checked. */
export function tarOf(entries: readonly Entry[], { end = true }: { end?: boolean } = {}): Buffer {
  const parts = entries.flatMap(({ path, type = "File", body = "", linkpath, mode = 0o644, size }) => {
    const bytes = Buffer.from(body);
    const header = Buffer.alloc(BLOCK);
    new Header({
      path,
      type,
      mode,
      size: size ?? bytes.length,
      ...(linkpath === undefined ? {} : { linkpath }),
    }).encode(header);
    return [header, bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)];
  });
  return Buffer.concat([...parts, Buffer.alloc(end ? 2 * BLOCK : 0)]);
}

/** The same, packed as it is uploaded. */
export function archiveOf(entries: readonly Entry[]): Buffer<ArrayBuffer> {
  return gzipSync(tarOf(entries));
}

/** An archive of plain files. */
export function archiveOfFiles(files: Record<string, string>): Buffer<ArrayBuffer> {
  return archiveOf(Object.entries(files).map(([path, body]) => ({ path, body })));
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
