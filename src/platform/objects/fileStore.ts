import { randomUUID } from "node:crypto";
import { access, constants, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { assertKey, type ObjectStore, StorageUnavailableError, WatchedSource } from "./store.ts";

/** Starts with a dot, which no key segment does. */
const UNFINISHED = ".unfinished";
const PIECE_BYTES = 262_144;
const UNFINISHED_MAX_AGE_MS = 24 * 3_600_000;

/** Objects as files below `root`, which may be shared by several processes on one file system. */
export function fileStore(root: string): ObjectStore {
  return {
    async put(key, source) {
      assertKey(key);
      const watched = new WatchedSource(source);
      const unfinished = join(root, UNFINISHED, randomUUID());
      try {
        await mkdir(join(root, UNFINISHED), { recursive: true, mode: 0o700 });
        await writeDurably(unfinished, watched);
        await publish(root, unfinished, join(root, key));
        return { size: watched.size };
      } catch (error) {
        await rm(unfinished, { force: true }).catch(() => undefined);
        throw watched.blame(error);
      }
    },

    async get(key) {
      assertKey(key);
      try {
        const file = await open(join(root, key), constants.O_RDONLY);
        const { size } = await file.stat();
        // An object never changes, so that nothing is read beyond its end, and no more room is taken than it needs.
        const piece = Math.max(1, Math.min(size, PIECE_BYTES));
        return { size, body: file.createReadStream({ highWaterMark: piece, end: Math.max(0, size - 1) }) };
      } catch (error) {
        if (hasCode(error, "ENOENT")) return null;
        throw new StorageUnavailableError(error);
      }
    },

    async delete(key) {
      assertKey(key);
      try {
        await rm(join(root, key), { force: true });
      } catch (error) {
        throw new StorageUnavailableError(error);
      }
    },

    async check() {
      try {
        await mkdir(join(root, UNFINISHED), { recursive: true, mode: 0o700 });
        await access(root, constants.R_OK | constants.W_OK | constants.X_OK);
        await removeAbandoned(join(root, UNFINISHED));
      } catch (error) {
        throw new StorageUnavailableError(error);
      }
    },
  };
}

async function writeDurably(path: string, source: WatchedSource): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    for await (const chunk of source.bytes()) await file.writeFile(chunk);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Renames into place and syncs the folders touched: without that a power cut can lose a file already acknowledged. */
async function publish(root: string, unfinished: string, target: string): Promise<void> {
  const folder = dirname(target);
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  await rename(unfinished, target);
  await syncFolder(folder);
  if (made === undefined) return;
  const parts = relative(root, folder).split(sep);
  for (let depth = parts.length - 1; depth >= 0; depth--) await syncFolder(join(root, ...parts.slice(0, depth)));
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** A process that was killed leaves its half-written file; a day later no upload can still be writing it. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > UNFINISHED_MAX_AGE_MS) await rm(path, { force: true });
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === code;
}
