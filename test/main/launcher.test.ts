/** A program that had to be started with another Node than the system's ends with its launcher, however that ends. */
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { waitFor } from "../support/waitFor.ts";

let root: string;

/** A folder like the repository's, whose launcher finds the system's Node too old. */
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "launcher-"));
  const launcher = await readFile(new URL("../../bin/ensure.mjs", import.meta.url), "utf8");
  for (const folder of ["bin", "node_modules/node/bin"]) await mkdir(join(root, folder), { recursive: true });
  await writeFile(join(root, "bin/ensure.mjs"), launcher.replace("NEEDED_MAJOR = 24", "NEEDED_MAJOR = 999"));
  await writeFile(join(root, "package-lock.json"), '{"packages":{}}');
  await writeFile(join(root, "node_modules/.package-lock.json"), '{"packages":{}}');
  await symlink(process.execPath, join(root, "node_modules/node/bin/node"));
  await writeFile(
    join(root, "program.mjs"),
    `import { writeFileSync } from "node:fs";
    setInterval(() => {}, 1000);
    writeFileSync("pid.new", String(process.pid));
    writeFileSync("told", JSON.stringify([process.argv.slice(1), import.meta.main, process.env.ENSURE_LAUNCHER ?? null]));`,
  );
});
afterAll(() => rm(root, { recursive: true, force: true }));

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test.each(["SIGKILL", "SIGTERM"] as const)("by %s", async (signal) => {
  await Promise.all(["pid.new", "told"].map((file) => rm(join(root, file), { force: true })));
  const { npm_lifecycle_event: _, ...env } = process.env;
  const launcher = spawn(process.execPath, ["bin/ensure.mjs", "program.mjs", "one", "two"], {
    cwd: root,
    env,
    stdio: "ignore",
  });
  const told = async () => JSON.parse(await readFile(join(root, "told"), "utf8").catch(() => "null"));
  await waitFor(async () => (await told()) !== null, { what: "the program to run" });
  expect(await told()).toEqual([[join(root, "program.mjs"), "one", "two"], true, null]);
  const pid = Number(await readFile(join(root, "pid.new"), "utf8"));
  expect(pid).not.toBe(launcher.pid);
  launcher.kill(signal);
  await waitFor(() => !isThere(pid), { what: "the program to end with its launcher" });
});
