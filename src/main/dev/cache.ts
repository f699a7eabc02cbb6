/**
 * Where downloaded tools live between runs: one folder per tool and version, filled by rename so it is whole or absent.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { chmod, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

/** `$XDG_CACHE_HOME/deployment-orchestrator`, or the same below `~/.cache`. */
export function cacheRoot(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "deployment-orchestrator");
}

/** SHA-256 of a file in hex, or undefined when it cannot be read. */
export async function sha256Of(path: string): Promise<string | undefined> {
  const hash = createHash("sha256");
  try {
    await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  } catch {
    return undefined;
  }
  return hash.digest("hex");
}

/**
 * Run `fill` on an empty folder beside `target` and move the file it returns to `target` when its hash is the pinned
 * one. Two processes that fetch at once each do their own download; the last rename wins, with equal bytes.
 * @throws when the hash differs: what was downloaded is thrown away.
 */
export async function installPinned(
  target: string,
  sha256: string,
  fill: (folder: string) => Promise<string>,
): Promise<string> {
  const parent = join(target, "..");
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, ".download-"));
  try {
    const file = await fill(folder);
    const actual = await sha256Of(file);
    if (actual !== sha256) throw new Error(`${file} has SHA-256 ${actual ?? "(unreadable)"}, expected ${sha256}`);
    await chmod(file, 0o755);
    await rename(file, target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return target;
}
