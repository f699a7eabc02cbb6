/** A repository of a few files that the demo writes as a team would: a working copy and the bare one that is served. */
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export type SmallRepository = {
  bare: string;
  /** Commit these files on what is there, and push them to `branch`. @returns the commit's id */
  commit(message: string, files: Record<string, string>, branch?: string): Promise<string>;
  /** Note a commit of another repository as what stands at `path`; the next commit takes it along. */
  addSubmodule(path: string, url: string, commit: string): Promise<void>;
  /** The commits of a branch stay where they are, and no branch leads to them any more. */
  removeBranch(branch: string): Promise<void>;
};

export async function smallRepository(folder: string, name: string): Promise<SmallRepository> {
  const [bare, work] = [join(folder, `${name}.git`), join(folder, name)];
  await run("git", ["init", "--quiet", "--bare", "--initial-branch=main", bare]);
  await run("git", ["clone", "--quiet", bare, work]);
  const git = (...args: string[]) =>
    run("git", ["-C", work, "-c", "user.name=Demo", "-c", "user.email=demo@example.com", ...args]);
  await git("checkout", "--quiet", "-B", "main");
  return {
    bare,
    async commit(message, files, branch = "main") {
      for (const [file, content] of Object.entries(files)) {
        await mkdir(dirname(join(work, file)), { recursive: true });
        await writeFile(join(work, file), content);
      }
      await git("add", "--all");
      await git("commit", "--quiet", "--message", message);
      await git("push", "--quiet", "origin", `HEAD:refs/heads/${branch}`);
      const commit = (await git("rev-parse", "HEAD")).stdout.trim();
      if (branch !== "main") await git("reset", "--quiet", "--hard", "HEAD~1");
      return commit;
    },
    async addSubmodule(path, url, commit) {
      await writeFile(join(work, ".gitmodules"), `[submodule "${path}"]\n\tpath = ${path}\n\turl = ${url}\n`);
      // Git takes the empty folder for a submodule that nobody has fetched yet.
      await mkdir(join(work, path), { recursive: true });
      await git("update-index", "--add", "--cacheinfo", `160000,${commit},${path}`);
    },
    async removeBranch(branch) {
      await run("git", ["-C", bare, "update-ref", "-d", `refs/heads/${branch}`]);
    },
  };
}
