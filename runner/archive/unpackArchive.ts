import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { Parser } from "tar/parse";
import type { ReadEntry } from "tar/read-entry";
import { RunFailed } from "../service/outcome.ts";
import { ArchiveRefused, shown } from "./entryRules.ts";
import { UnpackedTree } from "./unpackedTree.ts";

export interface UnpackLimits {
  /** Files, links and directories, also those that are only implied by a path. */
  entries: number;
  /** What the archive may inflate to. */
  bytes: number;
  /** Inflated bytes per packed byte, once there are more than `RATIO_FROM_BYTES`: many small files pack very well. */
  ratio: number;
  /** Modes and times as they were packed; else files are private. */
  exact?: boolean;
}

const LIMITS: UnpackLimits = { entries: 50_000, bytes: 536_870_912, ratio: 200 };
const RATIO_FROM_BYTES = 16_777_216;

/** No name begins with this byte, and a gzip inside a gzip would be inflated behind our back. */
const GZIP_FIRST_BYTE = 0x1f;

/**
 * Unpacks a gzipped tar into an empty directory. The archive comes from a person and the directory lies beside other
 * runs, so it may write only below `into`: what else it tries fails the run, and nothing is quietly left out. Bytes are
 * handled as they come, so memory stays flat whatever they inflate to.
 * @param check is called between two pieces; what it throws ends the work
 * @throws RunFailed that says what is wrong with the archive
 */
export async function unpackArchive(
  archive: string,
  into: string,
  check: () => void = () => {},
  limits: UnpackLimits = LIMITS,
): Promise<{ entries: number; bytes: number }> {
  const { size } = await stat(archive);
  const tree = new UnpackedTree(into, limits.entries, limits.exact);
  const parser = new TreeParser(tree);
  let bytes = 0;
  try {
    await pipeline(createReadStream(archive), createGunzip(), async (pieces: AsyncIterable<Buffer>) => {
      for await (const piece of pieces) {
        check();
        if (bytes === 0 && piece[0] === GZIP_FIRST_BYTE) throw new ArchiveRefused("it is packed twice");
        bytes += piece.length;
        if (bytes > limits.bytes) throw new ArchiveRefused(`it unpacks to more than ${limits.bytes} bytes`);
        if (bytes > RATIO_FROM_BYTES && bytes > size * limits.ratio) {
          throw new ArchiveRefused(`it unpacks to more than ${limits.ratio} times its size`);
        }
        parser.push(piece);
      }
      parser.end();
    });
    tree.complete();
  } catch (error) {
    throw asFailure(error);
  } finally {
    tree.close();
  }
  if (tree.entries === 0) throw new ArchiveRefused("it is empty");
  return { entries: tree.entries, bytes };
}

/** The tar format itself is read by a library that many have attacked; what its entries may do is decided here. */
class TreeParser {
  readonly #parser: Parser;
  readonly #tree: UnpackedTree;
  #over = false;

  constructor(tree: UnpackedTree) {
    this.#tree = tree;
    // Strict: a damaged header is an error, not a warning. Nothing but plain tar is looked for.
    this.#parser = new Parser({ strict: true, brotli: false, zstd: false });
    this.#parser.on("error", (error: Error) => {
      throw error;
    });
    this.#parser.on("entry", (entry: ReadEntry) => this.#take(entry));
    this.#parser.on("ignoredEntry", ({ path, type }: ReadEntry) => {
      throw new ArchiveRefused(`it holds ${shown(path)} of the unknown kind ${type}`);
    });
    this.#parser.on("eof", () => {
      this.#over = true;
    });
  }

  /** What follows the archive's end is padding; the library would collect it. */
  push(piece: Buffer): void {
    if (!this.#over) this.#parser.write(piece);
  }

  end(): void {
    this.#parser.end();
  }

  #take(entry: ReadEntry): void {
    switch (entry.type) {
      case "File":
      case "OldFile":
      case "ContiguousFile": {
        const write = this.#tree.file(entry.path, entry);
        entry.on("data", write);
        break;
      }
      case "Directory":
        this.#tree.directory(entry.path, entry);
        break;
      case "Link":
        this.#tree.hardLink(entry.path, entry.linkpath ?? "");
        break;
      case "SymbolicLink":
        this.#tree.symbolicLink(entry.path, entry.linkpath ?? "");
        break;
      default:
        throw new ArchiveRefused(`it holds ${shown(entry.path)}, which is no file, directory or link`);
    }
    entry.resume();
  }
}

/** Zlib, tar and file system errors in the words of whoever uploaded the archive. */
function asFailure(error: unknown): unknown {
  const { code, tarCode, message } = error as { code?: string; tarCode?: string; message?: string };
  if (error instanceof RunFailed || code === undefined) return error;
  if (code.startsWith("Z_")) return new ArchiveRefused(`it is no whole gzip file (${code})`);
  if (tarCode !== undefined) return new ArchiveRefused(`it is no whole tar file (${message})`);
  return new ArchiveRefused(`a file could not be written (${code})`, code);
}
