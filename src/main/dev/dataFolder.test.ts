import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { DataFolder } from "./dataFolder.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "svc-folder-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

it("is taken by one launcher at a time, and free again after its release", async () => {
  const data = new DataFolder(folder);
  await data.take();
  await expect(new DataFolder(folder).take()).rejects.toThrow(`in use by process ${process.pid}`);
  await data.release();
  await new DataFolder(folder).take();
});

it("is free after the launcher was killed, also when its process id is in use again", async () => {
  const other = spawn("sleep", ["60"]);
  await once(other, "spawn");
  await writeFile(join(folder, "launcher.pid"), `${other.pid} 1\n`);
  await new DataFolder(folder).take();
  expect(await readFile(join(folder, "launcher.pid"), "utf8")).toMatch(new RegExp(`^${process.pid} `));
  other.kill();
});

it("makes a secret once, readable by its owner alone", async () => {
  const data = new DataFolder(folder);
  const made = await data.secret("encryption.key", 32);
  expect(Buffer.from(made, "base64")).toHaveLength(32);
  expect(await new DataFolder(folder).secret("encryption.key", 32)).toBe(made);
  expect((await stat(join(folder, "encryption.key"))).mode & 0o777).toBe(0o600);
});
