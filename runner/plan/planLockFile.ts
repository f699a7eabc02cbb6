import { open, writeFile } from "node:fs/promises";
import { inflateRawSync } from "node:zlib";

const LOCK_FILE = ".terraform.lock.hcl";
const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_HEADER_BYTES = 30;
/** The end record is 22 bytes and a comment of up to 64 KiB. */
const MAX_END_BYTES = 22 + 65_535;
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
    const { size } = await handle.stat();
    const read = async (position: number, length: number): Promise<Buffer> => {
      const bytes = Buffer.alloc(length);
      const { bytesRead } = await handle.read(bytes, 0, length, position);
      return bytes.subarray(0, bytesRead);
    };
    const content = await readZipEntry(LOCK_FILE, size, read);
    if (content === null) return false;
    await writeFile(target, content, { mode: 0o600 });
    return true;
  } finally {
    await handle.close();
  }
}

type Read = (position: number, length: number) => Promise<Buffer>;

/** One entry of a plain zip (no zip64, no encryption), or null when there is none or it cannot be read. */
async function readZipEntry(name: string, size: number, read: Read): Promise<Buffer | null> {
  const tail = await read(Math.max(0, size - MAX_END_BYTES), Math.min(size, MAX_END_BYTES));
  const end = tail.lastIndexOf(littleEndian(END_OF_DIRECTORY));
  if (end === -1 || end + 22 > tail.length) return null;
  const directoryBytes = tail.readUInt32LE(end + 12);
  const directoryAt = tail.readUInt32LE(end + 16);
  if (directoryBytes > MAX_DIRECTORY_BYTES || directoryAt + directoryBytes > size) return null;
  const directory = await read(directoryAt, directoryBytes);
  for (let at = 0; at + 46 <= directory.length && directory.readUInt32LE(at) === DIRECTORY_ENTRY; ) {
    const nameLength = directory.readUInt16LE(at + 28);
    const entryName = directory.toString("utf8", at + 46, at + 46 + nameLength);
    if (entryName === name) return readContent(directory, at, size, read);
    at += 46 + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return null;
}

async function readContent(directory: Buffer, at: number, size: number, read: Read): Promise<Buffer | null> {
  const method = directory.readUInt16LE(at + 10);
  const packedBytes = directory.readUInt32LE(at + 20);
  const headerAt = directory.readUInt32LE(at + 42);
  if (packedBytes > MAX_LOCK_BYTES || headerAt + LOCAL_HEADER_BYTES > size) return null;
  const header = await read(headerAt, LOCAL_HEADER_BYTES);
  const contentAt = headerAt + LOCAL_HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
  const packed = await read(contentAt, packedBytes);
  if (method === 0) return packed;
  if (method !== 8) return null;
  try {
    return inflateRawSync(packed, { maxOutputLength: MAX_LOCK_BYTES });
  } catch {
    return null;
  }
}

function littleEndian(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
