/** Files as they lie here, from a dirty tree to the runner that unpacks them. */
import { execFileSync } from "node:child_process";
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect } from "vitest";
import { EXIT } from "../../cli/exit/exitCodes.ts";
import { unpackArchive } from "../../runner/archive/unpackArchive.ts";
import { PLANS, cliTest as test } from "../support/cliTest.ts";

const git = (directory: string, ...args: string[]) =>
  execFileSync("git", ["-C", directory, "-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { encoding: "utf8" });

async function write(root: string, files: Record<string, string>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), content);
  }
}

describe("plan --local", () => {
  test("sends a dirty tree without what its rules leave out, notes its commit, and shows the plan", async ({
    world,
    folder,
  }) => {
    const stack = await world.stack();
    const root = join(folder, "repository");
    await write(root, {
      "main.tf": "committed",
      ".gitignore": "*.secret\nout/\n",
      ".terraformignore": "docs/\n!out/\n",
      "docs/large.pdf": "x",
      "a.secret": "never",
      "out/made.zip": "made",
    });
    git(root, "init", "-q");
    git(root, "add", "-A");
    git(root, "commit", "-qm", "first");
    await write(root, { "main.tf": "changed and not committed", "new.tf": "not added", ".terraform/providers/p": "x" });
    const program = world.start(["plan", stack, "--local", "--json"], { cwd: join(root, "docs") });
    const run = await world.nextRun();
    const answer = await run.call("GET", `/runs/${run.run_id}/source`);
    expect(answer.status).toBe(200);
    const archive = join(folder, "source.tar.gz");
    await writeFile(archive, Buffer.from(await answer.arrayBuffer()));
    const into = join(folder, "into");
    await mkdir(into);
    await unpackArchive(archive, into);
    const names = (await readdir(into, { recursive: true })).sort();
    expect(names).toEqual(
      [".gitignore", ".terraform", ".terraformignore", "main.tf", "new.tf", "out", "out/made.zip"].sort(),
    );
    expect(execFileSync("cat", [join(into, "main.tf")], { encoding: "utf8" })).toBe("changed and not committed");
    await world.finish(run, PLANS.changes);
    expect(await program.exited).toBe(EXIT.done);
    const events = program.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.at(-1).deployment).toMatchObject({
      origin_type: "local",
      mode: "plan_unlocked",
      commit_sha: git(root, "rev-parse", "HEAD").trim(),
    });
  });

  test("refuses before it sends what a runner would refuse", async ({ world, folder, api }) => {
    const stack = await world.stack();
    await write(folder, { "main.tf": "" });
    await symlink("/etc", join(folder, "etc"));
    const { code, stderr } = await world.run(["plan", stack, "--local"]);
    expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining('"etc" leads out')]);
    const missing = await world.run(["plan", stack, "--local", "nowhere"]);
    expect(missing.code).toBe(EXIT.usage);
    expect(await api.database.sql`select from local_sources where org_id = ${world.org}`).toHaveLength(0);
  });
});
