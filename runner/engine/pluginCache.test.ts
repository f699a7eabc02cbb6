import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { privateCache } from "./pluginCache.ts";

const scratch = mkdtempSync(path.join(tmpdir(), "plugins-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test("a run's cache shows every shared provider, and what it fetches stays in it", async () => {
  const shared = path.join(scratch, "shared");
  const provider = "registry.example.com/acme/net/1.0.0/linux_amd64";
  mkdirSync(path.join(shared, provider), { recursive: true });
  writeFileSync(path.join(shared, provider, "terraform-provider-net"), "program");
  const run = path.join(scratch, "run");
  mkdirSync(run);
  const own = await privateCache(shared, run);
  expect(lstatSync(path.join(own, provider)).isSymbolicLink()).toBe(true);
  expect(readFileSync(path.join(own, provider, "terraform-provider-net"), "utf8")).toBe("program");
  mkdirSync(path.join(own, "registry.example.com/acme/net/1.1.0/linux_amd64"), { recursive: true });
  expect(readdirSync(path.join(shared, "registry.example.com/acme/net"))).toEqual(["1.0.0"]);
});

test("a shared cache that is not there is an empty one", async () => {
  const run = path.join(scratch, "other");
  mkdirSync(run);
  expect(readdirSync(await privateCache(path.join(scratch, "none"), run))).toEqual([]);
});
