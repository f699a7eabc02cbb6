import { closeSync, constants, linkSync, mkdirSync, openSync, symlinkSync, unlinkSync, writeSync } from "node:fs";
import path from "node:path";
import { RunFailed } from "../service/outcome.ts";

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const MAX_NAME = 1_024;
/** Of one step of a path, in bytes: what file systems take. */
const MAX_STEP = 255;

/** The refusal of an uploaded archive; `why` may name what is inside it, as the one who uploaded it is told. */
export function refuseArchive(why: string): RunFailed {
  return new RunFailed(`The uploaded source cannot be unpacked: ${why}.`);
}

/**
 * The files of an archive as they are written. No write can leave the root: names are taken apart and put together
 * again without `..`, and symbolic links come into being last, when there is nothing left to write through them. A link
 * may climb only at the beginning of its target, where it starts from a real directory, and never above the root; so
 * whatever links follow one another, the end is inside.
 */
export class UnpackedTree {
  /** Files, links and directories so far. */
  entries = 0;
  readonly #root: string;
  readonly #maxEntries: number;
  readonly #directories = new Set<string>([""]);
  readonly #files = new Set<string>();
  readonly #symbolicLinks = new Map<string, string>();
  #fd: number | null = null;

  constructor(root: string, maxEntries: number) {
    this.#root = root;
    this.#maxEntries = maxEntries;
  }

  directory(name: string): void {
    this.#makeDirectories(partsOf(name));
  }

  /**
   * Begins a file; returns how to write to it, until the next entry begins. A later file of the same name replaces it.
   */
  file(name: string, executable: boolean): (bytes: Buffer) => void {
    const parts = this.#place(name);
    const fd = openSync(this.#path(parts), NEW_FILE, executable ? 0o700 : 0o600);
    this.#fd = fd;
    this.#files.add(parts.join("/"));
    return (bytes) => {
      for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
    };
  }

  /** A second name of a file that came before. */
  hardLink(name: string, target: string): void {
    const from = partsOf(target);
    if (!this.#files.has(from.join("/")))
      throw refuseArchive(`the link ${shown(name)} does not lead to a file before it`);
    const parts = partsOf(name);
    if (parts.join("/") === from.join("/")) throw refuseArchive(`the link ${shown(name)} leads to itself`);
    this.#place(name);
    linkSync(this.#path(from), this.#path(parts));
    this.#files.add(parts.join("/"));
  }

  symbolicLink(name: string, target: string): void {
    const parts = partsOf(name);
    const steps = target.split("/").filter((step) => step !== "" && step !== ".");
    const down = steps.findIndex((step) => step !== "..");
    const climbs = down === -1 ? steps.length : down;
    const outside = target.startsWith("/") || climbs >= parts.length || steps.slice(climbs).includes("..");
    if (outside || target === "" || isUnfit(target)) throw refuseArchive(`the link ${shown(name)} leads out of it`);
    this.#count();
    this.#makeDirectories(parts.slice(0, -1));
    this.#symbolicLinks.set(parts.join("/"), target);
  }

  /** Makes the symbolic links; nothing may be written afterwards. */
  makeLinks(): void {
    for (const [name, target] of this.#symbolicLinks) {
      if (this.#files.has(name) || this.#directories.has(name)) throw refuseArchive(`it holds ${shown(name)} twice`);
      symlinkSync(target, path.join(this.#root, name));
    }
  }

  close(): void {
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }

  /** Makes room for a file: its directories, and no earlier file of that name. */
  #place(name: string): string[] {
    this.close();
    const parts = partsOf(name);
    const key = parts.join("/");
    if (this.#directories.has(key)) throw refuseArchive(`it holds ${shown(name)} as a file and as a directory`);
    this.#count();
    this.#makeDirectories(parts.slice(0, -1));
    if (this.#files.delete(key)) unlinkSync(this.#path(parts));
    return parts;
  }

  #makeDirectories(parts: string[]): void {
    for (let depth = 1; depth <= parts.length; depth++) {
      const key = parts.slice(0, depth).join("/");
      if (this.#directories.has(key)) continue;
      if (this.#files.has(key)) throw refuseArchive(`it holds ${shown(key)} as a file and as a directory`);
      this.#count();
      mkdirSync(path.join(this.#root, key), { mode: 0o700 });
      this.#directories.add(key);
    }
  }

  #count(): void {
    this.entries += 1;
    if (this.entries > this.#maxEntries) throw refuseArchive(`it holds more than ${this.#maxEntries} entries`);
  }

  #path(parts: string[]): string {
    return path.join(this.#root, ...parts);
  }
}

/** The name in steps from the root; none for the root itself. */
function partsOf(name: string): string[] {
  if (isUnfit(name)) throw refuseArchive(`the name ${shown(name)} is too long or has control characters`);
  if (name.startsWith("/")) throw refuseArchive(`the path ${shown(name)} is absolute`);
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) throw refuseArchive(`the path ${shown(name)} leads out of it`);
  return parts;
}

function isUnfit(name: string): boolean {
  return (
    name.length > MAX_NAME || /\p{Cc}/u.test(name) || name.split("/").some((step) => Buffer.byteLength(step) > MAX_STEP)
  );
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 200));
}
