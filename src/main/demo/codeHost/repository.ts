/** What the demo's code host says about its repository, read from git itself. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

export type HostRepository = {
  /** The commit at the head of a branch, or null. */
  head(branch: string): Promise<string | null>;
  commit(sha: string): Promise<object>;
  /** The commit that an id leads to, or null. */
  peeled(id: string): Promise<string | null>;
  /** As a host compares: from the common ancestor. Null when one of the two is unknown. */
  compare(before: string, after: string): Promise<{ status: string; files: { filename: string }[] } | null>;
  /** Files in which a branch differs from where it left its base. */
  changedFiles(base: string, head: string): Promise<{ filename: string }[]>;
  moveBranch(branch: string, to: string): Promise<void>;
};

export function hostRepository(bare: string): HostRepository {
  const git = async (...args: string[]) => (await run("git", ["-C", bare, ...args])).stdout.trim();
  const orNull = (text: Promise<string>) => text.catch(() => null);
  const ancestorOf = (one: string, other: string) => orNull(git("merge-base", one, other));

  async function changedFiles(base: string, head: string): Promise<{ filename: string }[]> {
    const names = await git("diff", "--name-only", "--no-renames", "-z", (await ancestorOf(base, head)) ?? base, head);
    return names
      .split("\0")
      .filter((name) => name !== "")
      .map((filename) => ({ filename }));
  }

  return {
    changedFiles,
    head: (branch) => orNull(git("rev-parse", "--verify", "--quiet", `refs/heads/${branch}`)),
    peeled: (id) => orNull(git("rev-parse", "--verify", "--quiet", "--end-of-options", `${id}^{commit}`)),
    async commit(sha) {
      const [name, message] = (await git("show", "--no-patch", "--format=%an%x00%B", sha)).split("\0");
      return { sha, author: null, commit: { message: message?.trim(), author: { name } } };
    },
    async compare(before, after) {
      const from = await ancestorOf(before, after);
      if (from === null) return null;
      const apart = from === after ? "behind" : "diverged";
      const status = before === after ? "identical" : from === before ? "ahead" : apart;
      return { status, files: await changedFiles(before, after) };
    },
    async moveBranch(branch, to) {
      await git("update-ref", `refs/heads/${branch}`, to);
    },
  };
}
