import { copyFileSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { restoreLockFile } from "./planLockFile.ts";

/** A plan saved by Terraform 1.11 for a configuration with one provider. */
const REAL = path.join(import.meta.dirname, "testdata", "plan-with-lock-file.bin");

function scratch(): { plan: string; lock: string } {
  const directory = mkdtempSync(path.join(tmpdir(), "lock-file-"));
  return { plan: path.join(directory, "plan"), lock: path.join(directory, ".terraform.lock.hcl") };
}

test("the lock file a real plan was made with is brought back", async () => {
  const { plan, lock } = scratch();
  copyFileSync(REAL, plan);
  expect(await restoreLockFile(plan, lock)).toBe(true);
  expect(readFileSync(lock, "utf8")).toMatch(/^provider "demo\.test\/hashicorp\/local" \{\n {2}version = "1\.4\.1"$/m);
});

test("a damaged or foreign file is left alone and never an error", async () => {
  const real = readFileSync(REAL);
  const damaged = fc.tuple(fc.nat(real.length - 1), fc.nat(255), fc.nat(real.length)).map(([at, byte, length]) => {
    const copy = Buffer.from(real);
    copy[at] = byte;
    return copy.subarray(0, length);
  });
  const anything = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
  await fc.assert(
    fc.asyncProperty(fc.oneof(damaged, anything), async (bytes) => {
      const { plan, lock } = scratch();
      writeFileSync(plan, bytes);
      expect(await restoreLockFile(plan, lock)).toBe(existsSync(lock));
    }),
    { numRuns: 200 },
  );
});

const LOCK_FILE = ".terraform.lock.hcl";
const TOO_LARGE = 4 * 1_048_576 + 1;

/** A zip without checksums. An entry may say that it has another size than what it holds. */
function zipOf(...entries: { name: string; packed: Buffer; size: number; method?: number }[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, packed, size, method = 8 } of entries) {
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(size, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(at, 42);
    directory.push(entry, Buffer.from(name, "latin1"));
    parts.push(local, Buffer.from(name, "latin1"), packed);
    at += local.length + name.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, ...directory, end]);
}

async function restored(zip: Buffer): Promise<string | null> {
  const { plan, lock } = scratch();
  writeFileSync(plan, zip);
  return (await restoreLockFile(plan, lock)) ? readFileSync(lock, "utf8") : null;
}

test("a lock file is found beside whatever names, packed or not", async () => {
  const text = Buffer.from("provider {}\n");
  const other = { name: "../\\tfconfig/C:\xff", packed: Buffer.alloc(0), size: 0, method: 0 };
  const packed = { name: LOCK_FILE, packed: deflateRawSync(text), size: text.length };
  expect(await restored(zipOf(other, packed))).toBe("provider {}\n");
  expect(await restored(zipOf(other, { name: LOCK_FILE, packed: text, size: text.length, method: 0 }))).toBe(
    "provider {}\n",
  );
});

test("a lock file of more than 4 MiB is left out, whatever size it says it has", async () => {
  const packed = deflateRawSync(Buffer.alloc(TOO_LARGE));
  for (const size of [TOO_LARGE, 1_000]) expect(await restored(zipOf({ name: LOCK_FILE, packed, size }))).toBeNull();
  const stored = Buffer.alloc(TOO_LARGE);
  expect(await restored(zipOf({ name: LOCK_FILE, packed: stored, size: stored.length, method: 0 }))).toBeNull();
});

test("a place that no file has is no error", async () => {
  const end = zipOf();
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50);
  locator.writeBigUInt64LE(2n ** 64n - 1n, 8);
  expect(await restored(Buffer.concat([Buffer.alloc(100), locator, end]))).toBeNull();
});

test("a plan that is not there is an error", async () => {
  const { plan, lock } = scratch();
  await expect(restoreLockFile(plan, lock)).rejects.toThrow("ENOENT");
});
