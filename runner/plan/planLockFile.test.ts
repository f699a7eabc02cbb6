import { copyFileSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
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
