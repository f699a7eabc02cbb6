/** Somebody's clone of a repository on Gitea, pushed with their token. */
import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Gitea, Person } from "./gitea.ts";

const run = promisify(execFile);

export class WorkingCopy {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async clone(gitea: Gitea, as: Person, repository: string, folder: string): Promise<WorkingCopy> {
    const url = new URL(`${gitea.url}/${repository}.git`);
    [url.username, url.password] = [as.login, as.token];
    await mkdir(folder, { recursive: true });
    const copy = new WorkingCopy(folder);
    await copy.git("init", "--quiet", "--initial-branch=main");
    await copy.git("remote", "add", "origin", url.href);
    return copy;
  }

  async git(...words: string[]): Promise<string> {
    const env = {
      PATH: process.env.PATH,
      HOME: this.folder,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_TERMINAL_PROMPT: "0",
      GIT_AUTHOR_NAME: "Ann Author",
      GIT_AUTHOR_EMAIL: "ann@corp.example",
      GIT_COMMITTER_NAME: "Ann Author",
      GIT_COMMITTER_EMAIL: "ann@corp.example",
    };
    return (await run("git", ["-C", this.folder, ...words], { env })).stdout.trim();
  }

  /** Commit files (null removes one) on what is checked out. */
  async commit(files: Record<string, string | null>, message = "change"): Promise<string> {
    for (const [path, content] of Object.entries(files)) {
      const at = join(this.folder, path);
      await mkdir(dirname(at), { recursive: true });
      if (content === null) await rm(at);
      else await writeFile(at, content);
    }
    await this.git("add", "--all");
    await this.git("commit", "--quiet", "--allow-empty", "-m", message);
    return this.git("rev-parse", "HEAD");
  }

  /** Push what is checked out. */
  async push(branch: string, force = false): Promise<void> {
    await this.git("push", "--quiet", ...(force ? ["--force"] : []), "origin", `HEAD:refs/heads/${branch}`);
  }
}
