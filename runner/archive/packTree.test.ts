/** A tree that was packed is the same tree again where it is unpacked. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { ArchiveRefused } from "./entryRules.ts";
import { packTree, TreeTooLarge } from "./packTree.ts";
import { unpackArchive } from "./unpackArchive.ts";

const made: string[] = [];
afterEach(() => {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true });
});

function scratch() {
  const home = mkdtempSync(path.join(tmpdir(), "pack-"));
  made.push(home);
  const [from, into, archive] = ["from", "into", "tree.tar.gz"].map((name) => path.join(home, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(from);
  mkdirSync(into);
  return { from, into, archive };
}

const ROOMY = { entries: 1_000, bytes: 100_000_000 };
const ANY = { entries: Infinity, bytes: Infinity, ratio: Infinity, exact: true };
const noCheck = () => {};

type Place = ReturnType<typeof scratch>;

async function carried(place: Place, limits = ROOMY, leftOut: string[] = [], skipOdd = false) {
  const roots = [{ name: "files", from: place.from, skipOdd }];
  const packed = await packTree(place.archive, roots, new Set(leftOut), limits, noCheck);
  const unpacked = await unpackArchive(place.archive, place.into, noCheck, ANY);
  return { packed, unpacked };
}

const failure = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  );

/** Everything below, as a person would list it: kind, mode, content or target. */
function listing(directory: string, at = ""): string[] {
  return readdirSync(path.join(directory, at))
    .sort()
    .flatMap((name) => {
      const where = path.join(at, name);
      const stats = lstatSync(path.join(directory, where));
      if (stats.isSymbolicLink()) return [`${where} -> ${readlinkSync(path.join(directory, where))}`];
      const mode = (stats.mode & 0o777).toString(8);
      if (stats.isDirectory()) return [`${where}/ ${mode}`, ...listing(directory, where)];
      const seconds = Math.floor(stats.mtimeMs / 1_000);
      return [`${where} ${mode} ${seconds} ${readFileSync(path.join(directory, where), "latin1")}`];
    });
}

test("files, empty directories, modes, times and links of any kind come back", async () => {
  const place = scratch();
  const { from } = place;
  mkdirSync(path.join(from, "empty"));
  mkdirSync(path.join(from, "deep".repeat(50), "ü".repeat(100)), { recursive: true });
  writeFileSync(path.join(from, "deep".repeat(50), "ü".repeat(100), "name ".repeat(40)), "long names");
  writeFileSync(path.join(from, "nothing"), "");
  writeFileSync(path.join(from, "script"), "#!/bin/sh\n", { mode: 0o750 });
  writeFileSync(path.join(from, "block"), "x".repeat(512));
  writeFileSync(path.join(from, "large"), Buffer.alloc(700_001, "0123456789"));
  utimesSync(path.join(from, "block"), 1_500_000_000, 1_500_000_000);
  symlinkSync("/etc/hostname", path.join(from, "absolute"));
  symlinkSync("../../outside", path.join(from, "outside"));
  symlinkSync("l".repeat(150), path.join(from, "dangling"));
  mkdirSync(path.join(from, "closed"));
  writeFileSync(path.join(from, "closed", "inside"), "x", { mode: 0o400 });
  chmodSync(path.join(from, "closed"), 0o500);
  const { packed, unpacked } = await carried(place);
  expect(listing(path.join(place.into, "files"))).toEqual(listing(from));
  expect(packed.entries).toBe(unpacked.entries);
  expect(packed.bytes).toBe(unpacked.bytes);
  for (const each of [from, path.join(place.into, "files")]) chmodSync(path.join(each, "closed"), 0o700);
});

test("whatever the names and contents are", async () => {
  const name = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 40 })
    .filter((text) => !/[/\p{Cc}]/u.test(text) && text.isWellFormed() && ![".", ".."].includes(text));
  const file = fc.record({
    at: fc.array(name, { minLength: 1, maxLength: 4 }),
    content: fc.string(),
    link: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(file, { maxLength: 8 }), async (files) => {
      const place = scratch();
      for (const { at, content, link } of files) {
        const where = path.join(place.from, ...at);
        try {
          mkdirSync(path.dirname(where), { recursive: true });
          if (link) symlinkSync(at.join("/"), where);
          else writeFileSync(where, content);
        } catch {
          // A file is where a directory would be.
        }
      }
      await carried(place);
      expect(listing(path.join(place.into, "files"))).toEqual(listing(place.from));
    }),
    { numRuns: 150 },
  );
});

test("a program of the system reads it too", async () => {
  const place = scratch();
  writeFileSync(path.join(place.from, "ü".repeat(120)), "x");
  await carried(place);
  expect(execFileSync("tar", ["-xzOf", place.archive], { encoding: "utf8" })).toBe("x");
});

test("what is to be left out is, with all below", async () => {
  const place = scratch();
  mkdirSync(path.join(place.from, ".terraform/providers/x"), { recursive: true });
  mkdirSync(path.join(place.from, ".terraform/modules"));
  await carried(place, ROOMY, [path.join(place.from, ".terraform/providers")]);
  expect(listing(path.join(place.into, "files")).map((line) => line.split(" ")[0])).toEqual([
    ".terraform/",
    ".terraform/modules/",
  ]);
});

describe("what does not fit", () => {
  test("too many bytes, with the largest file by name, and too many entries", async () => {
    const place = scratch();
    for (const each of ["a", "b"]) writeFileSync(path.join(place.from, each), "x".repeat(1_000));
    writeFileSync(path.join(place.from, "huge"), "");
    truncateSync(path.join(place.from, "huge"), 1_000_000_000_000);
    const bytes = await failure(carried(place, { entries: 10, bytes: 10_000 }));
    expect(bytes).toBeInstanceOf(TreeTooLarge);
    expect(String(bytes)).toContain(
      'more than 10000 bytes; its largest file so far is "files/huge" with 1000000000000',
    );
    rmSync(path.join(place.from, "huge"));
    expect(String(await failure(carried(place, { entries: 2, bytes: 10_000 })))).toContain("more than 2 files");
  });

  test.each([
    ["a pipe", (at: string) => void execFileSync("mkfifo", [at]), /"files\/odd" is no file, directory or link/],
    ["a name with a control character", (at: string) => writeFileSync(`${at}\n`, ""), /has control characters/],
    ["a link to such a name", (at: string) => symlinkSync("a\nb", at), /link "files\/odd" has control characters/],
    [
      "a name that is no text",
      (at: string) => writeFileSync(Buffer.concat([Buffer.from(at), Buffer.from([0xff])]), ""),
      /is not UTF-8/,
    ],
  ])("%s is named", async (_, make, message) => {
    const place = scratch();
    make(path.join(place.from, "odd"));
    const error = await failure(carried(place));
    expect(error).toBeInstanceOf(ArchiveRefused);
    expect((error as ArchiveRefused).why).toMatch(message);
  });

  test("a socket is left out where programs leave theirs", async () => {
    const place = scratch();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path.join(place.from, "agent"), resolve));
    expect(await failure(carried(place))).toBeInstanceOf(ArchiveRefused);
    await carried(place, ROOMY, [], true);
    expect(existsSync(path.join(place.into, "files/agent"))).toBe(false);
    await new Promise((resolve) => server.close(resolve));
  });
});

test("a run that is stopped stops packing", async () => {
  const { from, archive } = scratch();
  writeFileSync(path.join(from, "a"), "x");
  const check = () => {
    throw new Error("stopped");
  };
  const work = packTree(archive, [{ name: "files", from, skipOdd: false }], new Set(), ROOMY, check);
  expect(String(await failure(work))).toBe("Error: stopped");
});
