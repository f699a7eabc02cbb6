import { type FileHandle, open, writeFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from "yauzl";

const LOCK_FILE = Buffer.from(".terraform.lock.hcl");
/** An entry of the directory is this long without its name, extra field and comment. */
const BARE_ENTRY_BYTES = 46;
const MAX_DIRECTORY_BYTES = 16 * 1_048_576;
const MAX_LOCK_BYTES = 4 * 1_048_576;

/**
 * Writes the dependency lock file that a saved plan carries to `target`. A repository without a committed lock file
 * would otherwise let `init` choose newer providers at apply than at plan, and the engine would then refuse the plan.
 * Returns false when the plan is no zip (an encrypted one) or carries none.
 */
export async function restoreLockFile(planFile: string, target: string): Promise<boolean> {
  const handle = await open(planFile, "r");
  try {
    const content = await lockFileOf(handle);
    if (content === null) return false;
    await writeFile(target, content, { mode: 0o600 });
    return true;
  } finally {
    await handle.close();
  }
}

/** Null when there is none, or none that can be read. @throws when the file itself cannot be read */
async function lockFileOf(handle: FileHandle): Promise<Buffer | null> {
  const { size } = await handle.stat();
  try {
    // Names stay bytes, so that no name of another entry is judged.
    const options = { decodeStrings: false, autoClose: false };
    const zip = await fromRandomAccessReaderPromise(new PlanReader(handle), size, options);
    const entry = await lockFileEntry(zip);
    if (entry === null || Math.max(entry.compressedSize, entry.uncompressedSize) > MAX_LOCK_BYTES) return null;
    const parts: Buffer[] = [];
    for await (const part of await zip.openReadStreamPromise(entry)) parts.push(part as Buffer);
    return Buffer.concat(parts);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall !== undefined) throw error;
    return null;
  }
}

async function lockFileEntry(zip: ZipFile): Promise<Entry | null> {
  let bytes = 0;
  for await (const entry of zip.eachEntry()) {
    bytes += BARE_ENTRY_BYTES + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
    if (bytes > MAX_DIRECTORY_BYTES) return null;
    if (entry.fileNameRaw.equals(LOCK_FILE)) return entry;
  }
  return null;
}

/**
 * The plan, read at the places that the zip names. The library's own reader hands a place beyond any file to `fs.read`.
 * That throws where nobody catches it and ends the process.
 */
class PlanReader extends RandomAccessReader {
  readonly #handle: FileHandle;

  constructor(handle: FileHandle) {
    super();
    this.#handle = handle;
  }

  override read(into: Buffer, offset: number, length: number, position: number, done: (error: Error | null) => void) {
    this.#fill(into.subarray(offset, offset + length), position).then(() => done(null), done);
  }

  override _readStreamForRange(start: number, end: number): Readable {
    const whole = async function* (this: PlanReader) {
      yield await this.#fill(Buffer.alloc(end - start), start);
    };
    return Readable.from(whole.call(this));
  }

  async #fill(bytes: Buffer, position: number): Promise<Buffer> {
    const { bytesRead } = await this.#handle.read(bytes, 0, bytes.length, position);
    if (bytesRead < bytes.length) throw new Error("the plan ends early");
    return bytes;
  }
}
