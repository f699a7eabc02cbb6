/** The one file that `npm run cli:build` makes: it needs nothing beside itself. */
import { execFileSync } from "node:child_process";
import { copyFile, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { EXIT } from "../../cli/exit/exitCodes.ts";
import { version } from "../../cli/version.ts";
import { CTRL_C, ENTER } from "../support/cliProgram.ts";
import { cliTest, PLANS, statusOf } from "../support/cliTest.ts";

const BUILD = fileURLToPath(new URL("../../cli/build.ts", import.meta.url));

const test = cliTest.extend("program", { scope: "file" }, async ({}, { onCleanup }) => {
  const folder = await mkdtemp(join(tmpdir(), "svc-executable-"));
  onCleanup(() => rm(folder, { recursive: true, force: true }));
  execFileSync(process.execPath, [BUILD, "--out", join(folder, "built")], { stdio: "ignore" });
  // Somewhere else, and alone.
  const program = join(folder, "deploy");
  await copyFile(join(folder, "built/deploy"), program);
  await rm(join(folder, "built"), { recursive: true });
  expect(await readdir(folder)).toEqual(["deploy"]);
  return program;
});

test("it tells its version and its exit codes, and completes its commands", async ({ world, program }) => {
  expect((await world.run(["--version"], { program })).stdout).toBe(`${version()}\n`);
  expect((await world.run(["help", "exit-codes"], { program })).stdout).toMatch(/^Exit codes:\n +0 {2}done/);
  expect((await world.run(["completion", "bash"], { program })).stdout).toContain("complete -F _deploy deploy");
});

test("it signs in, plans files as they lie here, asks at a terminal, and ends as it should", async ({
  world,
  program,
  folder,
}) => {
  const signedOut = { DEPLOY_TOKEN: "", DEPLOY_HOST: "", DEPLOY_ORG: "" };
  const login = ["login", "--host", world.api.baseUrl, "--with-token"];
  expect(await world.start(login, { program, env: signedOut, input: world.token }).exited).toBe(EXIT.done);
  expect((await world.run(["whoami"], { program, env: signedOut })).stdout).toContain(world.org);
  const stack = await world.stack();
  await writeFile(join(folder, "main.tf"), "");
  const local = world.start(["plan", stack, "--local", "--json"], { program });
  await world.plan(PLANS.nothing);
  expect(await local.exited).toBe(EXIT.done);
  const up = world.start(["up", stack], { program, terminal: true, columns: 60 });
  await world.plan(PLANS.changes);
  await up.sees(/Apply these changes/);
  up.type(CTRL_C);
  await up.sees(/The plan waits/);
  up.type(ENTER);
  expect(await up.exited).toBe(EXIT.ended);
  expect(await statusOf(world, stack)).toBe("skipped");
});
