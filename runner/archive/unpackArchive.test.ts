import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { archiveOf, type Entry, tarOf } from "../../test/support/archive.ts";
import { type UnpackLimits, unpackArchive } from "./unpackArchive.ts";

const made: string[] = [];
afterEach(() => {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true });
});

/** A private place: `into` is what may be written, `beside` what an attack would reach. */
function scratch() {
  const home = mkdtempSync(path.join(tmpdir(), "unpack-"));
  made.push(home);
  const into = path.join(home, "run/files");
  mkdirSync(into, { recursive: true });
  writeFileSync(path.join(home, "run/beside"), "untouched");
  return { home, into, archive: path.join(home, "source.tar.gz") };
}

type Unpacked = { into: string; error: string; entries: number; bytes: number };

async function unpack(bytes: Buffer, limits?: UnpackLimits, check?: () => void): Promise<Unpacked> {
  const { home, into, archive } = scratch();
  writeFileSync(archive, bytes);
  const result = await unpackArchive(archive, into, check, limits).then(
    (unpacked) => ({ error: "", ...unpacked }),
    (error: Error) => ({ error: `${error.name}: ${error.message}`, entries: 0, bytes: 0 }),
  );
  // Whatever the archive was, nothing outside its directory was made, changed or removed.
  expect(readdirSync(home).sort()).toEqual(["run", "source.tar.gz"]);
  expect(readdirSync(path.join(home, "run")).sort()).toEqual(["beside", "files"]);
  expect(readFileSync(path.join(home, "run/beside"), "utf8")).toBe("untouched");
  return { into, ...result };
}

const file = (name: string, body = "x"): Entry => ({ path: name, body });
const link = (name: string, linkpath: string): Entry => ({ path: name, type: "SymbolicLink", linkpath });
const hard = (name: string, linkpath: string): Entry => ({ path: name, type: "Link", linkpath });

describe("what people upload", () => {
  test("files, directories, links inside and the executable bit arrive; nobody else may read them", async () => {
    const { into, error, entries } = await unpack(
      archiveOf([
        { path: "./", type: "Directory" },
        { path: "net/", type: "Directory", mode: 0o777 },
        file("./net/main.tf", "# main\n"),
        { path: "bin/run.sh", body: "#!/bin/sh\n", mode: 0o4755 },
        file("net/empty", ""),
        link("net/shared", "../modules/shared"),
        link("top", "net"),
        link("net/root", ".."),
        file("modules/shared/x.tf", "# shared\n"),
        hard("copy.tf", "./net/main.tf"),
      ]),
    );
    expect(error).toBe("");
    expect(entries).toBe(12);
    expect(readFileSync(path.join(into, "net/main.tf"), "utf8")).toBe("# main\n");
    expect(readFileSync(path.join(into, "copy.tf"), "utf8")).toBe("# main\n");
    expect(readFileSync(path.join(into, "top/shared/x.tf"), "utf8")).toBe("# shared\n");
    expect(readFileSync(path.join(into, "net/empty"), "utf8")).toBe("");
    expect(readlinkSync(path.join(into, "net/shared"))).toBe("../modules/shared");
    expect(statSync(path.join(into, "bin/run.sh")).mode & 0o7777).toBe(0o700);
    expect(statSync(path.join(into, "net/main.tf")).mode & 0o7777).toBe(0o600);
    expect(statSync(path.join(into, "net")).mode & 0o7777).toBe(0o700);
  });

  test("what the tar program and git make, long names and large files included", async () => {
    const { home, archive } = scratch();
    const tree = path.join(home, "tree");
    const long = path.join(...Array.from({ length: 12 }, (_, i) => `a-rather-long-directory-name-${i}`), "ü main.tf");
    mkdirSync(path.dirname(path.join(tree, long)), { recursive: true });
    writeFileSync(path.join(tree, long), "# deep\n");
    writeFileSync(path.join(tree, "big"), Buffer.alloc(3_000_001, "0123456789"));
    symlinkSync(long, path.join(tree, "deep.tf"));
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.com", ...args], { cwd: tree });
    for (const [name, pack] of Object.entries({
      gnu: () => execFileSync("tar", ["--format=gnu", "-czf", archive, "-C", tree, "."]),
      pax: () => execFileSync("tar", ["--format=pax", "-czf", archive, "-C", tree, "."]),
      git: () => {
        git("init", "--quiet");
        git("add", ".");
        git("commit", "--quiet", "--message=x");
        git("archive", "--format=tar.gz", `--output=${archive}`, "HEAD");
      },
    })) {
      pack();
      const { into, error } = await unpack(readFileSync(archive));
      expect(error, name).toBe("");
      expect(readFileSync(path.join(into, "deep.tf"), "utf8"), name).toBe("# deep\n");
      expect(readFileSync(path.join(into, "big")).equals(readFileSync(path.join(tree, "big"))), name).toBe(true);
    }
  });

  test("a file that comes twice has the later content, and its other name keeps the earlier one", async () => {
    const { into } = await unpack(archiveOf([file("a", "old"), hard("b", "a"), file("a", "new")]));
    expect(readFileSync(path.join(into, "a"), "utf8")).toBe("new");
    expect(readFileSync(path.join(into, "b"), "utf8")).toBe("old");
  });
});

describe("what nobody should upload", () => {
  test.each<[string, Entry[], RegExp]>([
    ["a path that climbs out", [file("../beside", "owned")], /path "\.\.\/beside" leads out of it/],
    ["one that climbs in the middle", [file("a/../../beside", "owned")], /leads out of it/],
    ["one that climbs back in", [file("a/../b")], /leads out of it/],
    ["an absolute path", [file("/etc/cron.d/owned")], /path "\/etc\/cron.d\/owned" is absolute/],
    ["a directory outside", [{ path: "../made/", type: "Directory" }], /leads out of it/],
    ["a link to an absolute path", [link("a", "/etc")], /link "a" leads out of it/],
    ["a link above the root", [link("a", "..")], /link "a" leads out of it/],
    ["a link far above", [link("d/a", "../../beside")], /leads out of it/],
    ["a link that goes down and climbs", [link("d", "."), link("a", "d/../beside")], /link "a" leads out of it/],
    ["writing through a link", [link("a", "b"), file("a/x"), file("b/y")], /holds "a" twice/],
    ["a file in place of a link", [link("a", "b"), file("a"), file("b")], /holds "a" twice/],
    ["a hard link out", [hard("a", "../beside")], /leads out of it/],
    ["a hard link to an absolute path", [hard("a", "/etc/passwd")], /is absolute/],
    ["a hard link to a link", [link("l", "x"), hard("a", "l"), file("x")], /does not lead to a file before it/],
    ["a hard link to nothing", [hard("a", "b")], /does not lead to a file before it/],
    ["a hard link to itself", [file("a"), hard("a", "a")], /leads to itself/],
    ["a file that is a directory too", [file("a"), file("a/b")], /as a file and as a directory/],
    ["a directory that is a file too", [file("a/b"), file("a")], /as a file and as a directory/],
    ["the root as a file", [file("./.")], /as a file and as a directory/],
    ["a character device", [{ path: "null", type: "CharacterDevice" }], /"null", which is no file, directory or link/],
    ["a block device", [{ path: "sda", type: "BlockDevice" }], /no file, directory or link/],
    ["a pipe", [{ path: "pipe", type: "FIFO" }], /no file, directory or link/],
    ["a sparse file", [{ path: "s", type: "SparseFile" }], /unknown kind SparseFile/],
    ["a control character", [file("a\u001b[2Jb")], /too long or has control characters/],
    [
      "a name longer than file systems take",
      [{ path: "x", type: "NextFileHasLongPath", body: Buffer.from(`a/${"ü".repeat(128)}`) }, file("a")],
      /"a\/üü.*too long or has control/,
    ],
    ["a line break", [file("a\nb")], /too long or has control characters/],
    ["nothing", [], /no whole tar file/],
    ["only the root", [{ path: "./", type: "Directory" }], /it is empty/],
  ])("refuses %s", async (_, entries, message) => {
    const { error } = await unpack(archiveOf(entries));
    expect(error).toMatch(/^RunFailed: The uploaded source cannot be unpacked: /);
    expect(error).toMatch(message);
  });

  test.each<[string, Buffer, RegExp]>([
    ["no gzip", Buffer.from("PK\u0003\u0004 not an archive"), /no whole gzip file \(Z_DATA_ERROR\)/],
    ["an empty file", Buffer.alloc(0), /no whole gzip file|empty/],
    ["a cut gzip", archiveOf([file("a", "x".repeat(9_999))]).subarray(0, -9), /no whole gzip file \(Z_BUF_ERROR\)/],
    ["a gzip of something else", gzipSync(Buffer.alloc(4_096, "# not tar\n")), /no whole tar file/],
    ["a tar cut in a file", gzipSync(tarOf([file("a", "x".repeat(9_999))]).subarray(0, 4_096)), /no whole tar file/],
    ["a tar packed twice", gzipSync(archiveOf([file("a")])), /packed twice/],
    [
      "a damaged header",
      gzipSync(Buffer.concat([tarOf([file("a")], { end: false }), Buffer.alloc(512, 7), tarOf([file("b")])])),
      /no whole tar file/,
    ],
  ])("refuses %s", async (_, bytes, message) => {
    expect((await unpack(bytes)).error).toMatch(message);
  });

  test("a name of a megabyte is refused, not collected", async () => {
    const body = Buffer.alloc(2 * 1_048_576, "a");
    const { error } = await unpack(archiveOf([{ path: "x", type: "NextFileHasLongPath", body }, file("a")]));
    expect(error).toMatch(/unknown kind NextFileHasLongPath/);
  });
});

describe("bombs", () => {
  const tight = { entries: 10, bytes: 1_048_576, ratio: 200 };

  test("one that inflates to more than the limit is left at the limit", async () => {
    const { error } = await unpack(archiveOf([file("a", "\0".repeat(2_000_000))]), tight);
    expect(error).toMatch(/unpacks to more than 1048576 bytes/);
  });

  test("a small one that inflates out of proportion is refused before the limit", async () => {
    const { error, into } = await unpack(archiveOf([{ path: "a", body: Buffer.alloc(40_000_000) }]));
    expect(error).toMatch(/more than 200 times its size/);
    expect(statSync(path.join(into, "a")).size).toBeLessThan(17_000_000);
  });

  test("padding after the end counts too, and costs no memory", async () => {
    const bytes = gzipSync(Buffer.concat([tarOf([file("a")]), Buffer.alloc(30_000_000)]));
    const before = process.memoryUsage().arrayBuffers;
    const { error } = await unpack(bytes);
    expect(error).toMatch(/more than 200 times its size/);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000);
  });

  test("ten thousand small files are no bomb", async () => {
    const many = Array.from({ length: 10_000 }, (_, i) => file(`m/${i}.tf`, `# ${i}\n`));
    expect((await unpack(archiveOf(many))).error).toBe("");
  });

  test("too many entries, and too many directories in few entries", async () => {
    const many = Array.from({ length: 11 }, (_, i) => file(`${i}`));
    expect((await unpack(archiveOf(many), tight)).error).toMatch(/more than 10 entries/);
    expect((await unpack(archiveOf([file("a/b/c/d/e/f/g/h/i/j/k")]), tight)).error).toMatch(/more than 10 entries/);
  });
});

test("a run that is stopped stops unpacking", async () => {
  const random = Buffer.from(Array.from({ length: 400_000 }, (_, i) => (i * 2_654_435_761) >>> 24));
  let left = 2;
  const check = () => {
    left -= 1;
    if (left < 0) throw new Error("stopped");
  };
  expect((await unpack(archiveOf([{ path: "a", body: random }]), undefined, check)).error).toBe("Error: stopped");
});

test("whatever links and paths an archive combines, nothing in the result leads out of it", async () => {
  const pathOf = (...steps: string[]) =>
    fc.array(fc.constantFrom(...steps), { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
  const names = fc.oneof(
    { weight: 9, arbitrary: pathOf("a", "b", "c", "d") },
    { weight: 1, arbitrary: pathOf("a", "..") },
  );
  const targets = pathOf("a", "b", "c", "d", "..", ".");
  const entry: fc.Arbitrary<Entry> = fc.oneof(
    names.map((name) => file(name)),
    { weight: 3, arbitrary: fc.tuple(names, targets).map(([name, target]) => link(name, target)) },
    fc.tuple(names, names).map(([name, target]) => hard(name, target)),
    names.map((name): Entry => ({ path: `${name}/`, type: "Directory" })),
  );
  let unpacked = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { minLength: 1, maxLength: 6 }), async (entries) => {
      const { into, error } = await unpack(archiveOf(entries));
      if (error !== "") return;
      unpacked += 1;
      for (const where of linksIn(into)) {
        const name = path.relative(into, where);
        // A link that leads nowhere yet must not lead out once somebody makes its end.
        const end = existsSync(where) ? realpathSync(where) : reach(into, name);
        expect(`${end}/`.startsWith(`${into}/`), `${name} in ${JSON.stringify(entries)}`).toBe(true);
      }
    }),
    { numRuns: 400 },
  );
  expect(unpacked).toBeGreaterThan(40);
});

/** Node's own recursive listing follows links, and two of them to their own directory have no end. */
function linksIn(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((found) => {
    const where = path.join(directory, found.name);
    if (found.isSymbolicLink()) return [where];
    return found.isDirectory() ? linksIn(where) : [];
  });
}

/** Where a dangling link would lead, step by step as the kernel goes; `into` for one that goes round in circles. */
function reach(into: string, name: string): string {
  let at = into;
  let todo = name.split("/");
  for (let followed = 0; todo.length > 0 && followed < 40; ) {
    const [next, ...rest] = todo as [string, ...string[]];
    todo = rest;
    const candidate = path.join(at, next);
    if (isLink(candidate)) {
      followed += 1;
      todo = [...readlinkSync(candidate).split("/"), ...rest];
    } else at = candidate;
  }
  return at;
}

function isLink(name: string): boolean {
  try {
    return lstatSync(name).isSymbolicLink();
  } catch {
    return false;
  }
}
