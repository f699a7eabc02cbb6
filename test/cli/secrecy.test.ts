/** A token is in nobody's arguments, environment, output, history or readable files but where its person put it. */
import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { EXIT } from "../../cli/exit/exitCodes.ts";
import { PLANS, cliTest as test } from "../support/cliTest.ts";

const NOBODY = { DEPLOY_TOKEN: "", DEPLOY_HOST: "", DEPLOY_ORG: "" };

describe("a token", () => {
  test("is in no argument, and not in the environment of git", async ({ world, folder }) => {
    const bin = join(folder, "bin");
    await mkdir(bin);
    await writeFile(join(bin, "git"), `#!/bin/sh\n{ env; echo "$@"; } >> ${folder}/git.calls\nexit 1\n`);
    await chmod(join(bin, "git"), 0o755);
    await writeFile(join(folder, "main.tf"), "");
    const stack = await world.stack();
    const env = { PATH: `${bin}:${process.env.PATH}` };
    const program = world.start(["plan", stack, "--local"], { env });
    const run = await world.nextRun();
    await program.sees(/planning/);
    const argv = await readFile(`/proc/${program.pid}/cmdline`, "utf8");
    await world.finish(run, PLANS.nothing);
    expect(await program.exited).toBe(EXIT.done);
    const calls = await readFile(join(folder, "git.calls"), "utf8");
    expect(calls).toContain("rev-parse");
    for (const text of [argv, calls, program.stdout, program.stderr]) expect(text).not.toContain(world.token);
  });

  test("that is typed at a terminal is not shown there", async ({ world, folder }) => {
    const args = ["login", "--host", world.api.baseUrl, "--with-token"];
    const program = world.start(args, { terminal: true, env: NOBODY });
    await program.sees(/The token/);
    program.type(`${world.token}\r`);
    expect(await program.exited).toBe(EXIT.done);
    expect(program.stdout).not.toContain(world.token);
    // One file of its owner's alone has it, whatever the file was before.
    const config = join(folder, "config");
    await chmod(join(config, "tokens.json"), 0o644);
    expect(await world.start(args, { input: world.token, env: NOBODY }).exited).toBe(EXIT.done);
    for (const name of await readdir(config)) {
      const { mode } = await stat(join(config, name));
      expect([name, mode & 0o077]).toEqual([name, 0]);
      if (name === "tokens.json") continue;
      expect(await readFile(join(config, name), "utf8")).not.toContain(world.token);
    }
  });

  test("is no header that one may give", async ({ world }) => {
    const args = ["api", "GET", "/stacks", "--header", "Authorization: Bearer x"];
    const { code, stderr } = await world.run(args);
    expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining("A token is no argument")]);
  });

  test("is not asked for where it could not be kept", async ({ world, folder }) => {
    await writeFile(join(folder, "file"), "");
    const env = { ...NOBODY, DEPLOY_CONFIG_DIR: join(folder, "file/config") };
    const { code, stderr } = await world.run(["login", "--host", world.api.baseUrl], { env });
    expect([code, stderr]).toEqual([EXIT.failed, expect.stringMatching(/ENOTDIR[\s\S]*See what this machine/)]);
    expect(stderr).not.toContain("compare this code");
  });
});
