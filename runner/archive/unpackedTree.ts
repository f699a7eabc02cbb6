import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  futimesSync,
  linkSync,
  mkdirSync,
  openSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { ArchiveRefused, linkParts, partsOf, shown } from "./entryRules.ts";

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const PERMISSIONS = 0o777;

/** What an archive says of a file or directory besides its name. */
export interface Attributes {
  mode?: number | undefined;
  mtime?: Date | undefined;
}

/**
 * The files of an archive as they are written. No write can leave the root: names are taken apart and put together
 * again without `..`, and symbolic links come into being last, when there is nothing left to write through them.
 */
export class UnpackedTree {
  /** Files, links and directories so far. */
  entries = 0;
  readonly #root: string;
  readonly #maxEntries: number;
  readonly #directories = new Set<string>([""]);
  readonly #files = new Set<string>();
  readonly #symbolicLinks = new Map<string, string>();
  readonly #modes = new Map<string, number>();
  readonly #exact: boolean;
  #fd: number | null = null;
  #mtime: Date | undefined;

  /** @param exact whether files are as they were packed, modes and times too; else they are private */
  constructor(root: string, maxEntries: number, exact = false) {
    this.#root = root;
    this.#maxEntries = maxEntries;
    this.#exact = exact;
  }

  directory(name: string, { mode }: Attributes = {}): void {
    const parts = partsOf(name);
    this.#makeDirectories(parts);
    if (this.#exact && mode !== undefined) this.#modes.set(parts.join("/"), mode & PERMISSIONS);
  }

  /**
   * Begins a file; returns how to write to it, until the next entry begins. A later file of the same name replaces it.
   */
  file(name: string, { mode = 0, mtime }: Attributes = {}): (bytes: Buffer) => void {
    const parts = this.#place(name);
    const fd = openSync(this.#path(parts), NEW_FILE, (mode & 0o111) !== 0 ? 0o700 : 0o600);
    this.#fd = fd;
    if (this.#exact) {
      fchmodSync(fd, mode & PERMISSIONS);
      this.#mtime = mtime;
    }
    this.#files.add(parts.join("/"));
    return (bytes) => {
      for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
    };
  }

  /** A second name of a file that came before. */
  hardLink(name: string, target: string): void {
    const from = partsOf(target);
    if (!this.#files.has(from.join("/")))
      throw new ArchiveRefused(`the link ${shown(name)} does not lead to a file before it`);
    const parts = partsOf(name);
    if (parts.join("/") === from.join("/")) throw new ArchiveRefused(`the link ${shown(name)} leads to itself`);
    this.#place(name);
    linkSync(this.#path(from), this.#path(parts));
    this.#files.add(parts.join("/"));
  }

  symbolicLink(name: string, target: string): void {
    // Made last, a link cannot lead a write out, and a tree of our own has the links its repository had.
    const parts = this.#exact ? partsOf(name) : linkParts(name, target);
    this.#count();
    this.#makeDirectories(parts.slice(0, -1));
    this.#symbolicLinks.set(parts.join("/"), target);
  }

  /** Makes the symbolic links and closes what is to be closed; nothing may be written afterwards. */
  complete(): void {
    this.close();
    for (const [name, target] of this.#symbolicLinks) {
      if (this.#files.has(name) || this.#directories.has(name))
        throw new ArchiveRefused(`it holds ${shown(name)} twice`);
      symlinkSync(target, path.join(this.#root, name));
    }
    // The deepest first: one that nobody may enter could hide those below it.
    const deepestFirst = [...this.#modes].sort(([a], [b]) => b.length - a.length);
    for (const [name, mode] of deepestFirst) chmodSync(path.join(this.#root, name), mode);
  }

  close(): void {
    if (this.#fd === null) return;
    if (this.#mtime !== undefined) futimesSync(this.#fd, this.#mtime, this.#mtime);
    closeSync(this.#fd);
    this.#fd = null;
    this.#mtime = undefined;
  }

  /** Makes room for a file: its directories, and no earlier file of that name. */
  #place(name: string): string[] {
    this.close();
    const parts = partsOf(name);
    const key = parts.join("/");
    if (this.#directories.has(key)) throw new ArchiveRefused(`it holds ${shown(name)} as a file and as a directory`);
    this.#count();
    this.#makeDirectories(parts.slice(0, -1));
    if (this.#files.delete(key)) unlinkSync(this.#path(parts));
    return parts;
  }

  #makeDirectories(parts: string[]): void {
    for (let depth = 1; depth <= parts.length; depth++) {
      const key = parts.slice(0, depth).join("/");
      if (this.#directories.has(key)) continue;
      if (this.#files.has(key)) throw new ArchiveRefused(`it holds ${shown(key)} as a file and as a directory`);
      this.#count();
      mkdirSync(path.join(this.#root, key), { mode: 0o700 });
      this.#directories.add(key);
    }
  }

  #count(): void {
    this.entries += 1;
    if (this.entries > this.#maxEntries) throw new ArchiveRefused(`it holds more than ${this.#maxEntries} entries`);
  }

  #path(parts: string[]): string {
    return path.join(this.#root, ...parts);
  }
}
