/** Packs a tree of our own as it is, modes and times too, into what `unpackArchive` makes a tree of again. */
import {
  closeSync,
  constants,
  createWriteStream,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  type Stats,
} from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { Header, type HeaderData } from "tar/header";
import { Pax } from "tar/pax";
import { systemReason } from "../process/systemReasons.ts";
import { ArchiveRefused, partsOf, shown } from "./entryRules.ts";

const BLOCK = 512;
/** What the compressor is handed at once: each call costs it a turn. */
const PIECE_BYTES = 262_144;
const PERMISSIONS = 0o7777;

export interface PackLimits {
  entries: number;
  bytes: number;
}

export interface Packed {
  entries: number;
  bytes: number;
}

/** What goes in: a directory or file of this machine under its name in the archive. */
export interface Root {
  name: string;
  from: string;
  /** Whether sockets, pipes and devices are left out, where programs may have left them behind. */
  skipOdd: boolean;
}

/** The tree has more entries or bytes than may be; `why` says what is large. */
export class TreeTooLarge extends Error {}

/**
 * Packs `roots` into `archive`.
 * @param leftOut absolute paths that stay out, with all below
 * @param check is called between two pieces; what it throws ends the work
 * @throws ArchiveRefused that names what cannot be packed, TreeTooLarge
 */
export async function packTree(
  archive: string,
  roots: readonly Root[],
  leftOut: ReadonlySet<string>,
  limits: PackLimits,
  check: () => void,
): Promise<Packed> {
  const packer = new Packer(leftOut, limits);
  const pieces = function* () {
    for (const root of roots) yield* packer.add(root.name, root);
    yield* packer.end();
  };
  const checked = function* () {
    for (const piece of pieces()) {
      check();
      yield piece;
    }
  };
  // Modules and git's objects hardly get smaller, whatever it costs.
  await pipeline(Readable.from(checked()), createGzip({ level: 1 }), createWriteStream(archive, { mode: 0o600 }));
  return { entries: packer.entries, bytes: packer.bytes };
}

class Packer {
  entries = 0;
  bytes = 0;
  readonly #leftOut: ReadonlySet<string>;
  readonly #limits: PackLimits;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #largest = { name: "", bytes: 0 };

  constructor(leftOut: ReadonlySet<string>, limits: PackLimits) {
    this.#leftOut = leftOut;
    this.#limits = limits;
  }

  *add(name: string, { from, skipOdd }: Pick<Root, "from" | "skipOdd">): Generator<Buffer, void> {
    if (this.#leftOut.has(from)) return;
    const stats = read(name, () => lstatSync(from));
    // What is not there any more is no part of the tree.
    if (stats === null) return;
    const { mtime, mode } = stats;
    const header = { path: name, mode: mode & PERMISSIONS, mtime, size: 0 };
    if (stats.isDirectory()) {
      this.#entry({ ...header, path: `${name}/`, type: "Directory" });
      const names = read(name, () => readdirSync(from)) ?? [];
      for (const each of names.sort()) yield* this.add(`${name}/${each}`, { from: path.join(from, each), skipOdd });
    } else if (stats.isSymbolicLink()) {
      const linkpath = read(name, () => readlinkSync(from));
      if (linkpath !== null) this.#entry({ ...header, linkpath, type: "SymbolicLink" });
    } else if (stats.isFile()) {
      yield* this.#file(name, from, stats);
    } else if (!skipOdd) {
      throw new ArchiveRefused(`${shown(name)} is no file, directory or link`);
    }
  }

  *end(): Generator<Buffer, void> {
    this.#push(Buffer.alloc(2 * BLOCK));
    yield* this.#drain(0);
  }

  *#file(name: string, from: string, { mode, mtime, dev, ino }: Stats): Generator<Buffer, void> {
    const fd = read(name, () => openSync(from, constants.O_RDONLY | constants.O_NOFOLLOW));
    if (fd === null) return;
    try {
      const stats = fstatSync(fd);
      if (stats.dev !== dev || stats.ino !== ino) throw changed(name);
      const { size } = stats;
      if (size > this.#largest.bytes) this.#largest = { name, bytes: size };
      this.#entry({ path: name, mode: mode & PERMISSIONS, mtime, size, type: "File" }, size);
      for (let left = size; left > 0; ) {
        const bytes = Buffer.allocUnsafe(Math.min(left, PIECE_BYTES));
        const got = readSync(fd, bytes);
        if (got === 0) throw changed(name);
        this.#push(bytes.subarray(0, got));
        left -= got;
        yield* this.#drain(PIECE_BYTES);
      }
      this.#push(Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK));
    } finally {
      closeSync(fd);
    }
  }

  #entry(data: HeaderData & { path: string }, size = 0): void {
    // What reads it has the same rules, and would refuse it after somebody confirmed the plan.
    partsOf(data.path);
    if (/\p{Cc}/u.test(data.linkpath ?? ""))
      throw new ArchiveRefused(`the link ${shown(data.path)} has control characters`);
    this.entries += 1;
    const { entries, bytes } = this.#limits;
    if (this.entries > entries) throw new TreeTooLarge(`more than ${entries} files, directories and links`);
    const header = new Header(data);
    const block = Buffer.alloc(BLOCK);
    if (header.encode(block)) this.#push(new Pax(data).encode());
    this.#push(block);
    if (this.bytes + size > bytes) {
      const { name, bytes: most } = this.#largest;
      throw new TreeTooLarge(`more than ${bytes} bytes; its largest file so far is ${shown(name)} with ${most}`);
    }
  }

  #push(bytes: Buffer): void {
    this.bytes += bytes.length;
    this.#waitingBytes += bytes.length;
    this.#waiting.push(bytes);
  }

  *#drain(from: number): Generator<Buffer, void> {
    if (this.#waitingBytes < from) return;
    yield Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
  }
}

/** Null when it is gone meanwhile. */
function read<T>(name: string, from: () => T): T | null {
  try {
    return from();
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    // A name that is no text has signs that stand for its bytes, and nothing has that name.
    if (name.includes("\uFFFD")) throw new ArchiveRefused(`the name ${shown(name)} is not UTF-8`);
    if (code === "ENOENT") return null;
    throw new ArchiveRefused(`${shown(name)} cannot be read: ${systemReason(code)}`);
  }
}

function changed(name: string): ArchiveRefused {
  return new ArchiveRefused(`${shown(name)} changed while it was read`);
}
