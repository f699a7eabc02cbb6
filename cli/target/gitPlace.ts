/** Where one stands in a git repository, as git itself says. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { usage } from "../exit/failure.ts";
import type { RepositoryPlace } from "./stackChoice.ts";

const run = promisify(execFile);

async function git(directory: string, ...args: string[]): Promise<string> {
  const { DEPLOY_TOKEN: _, ...env } = process.env;
  return (await run("git", ["-C", directory, ...args], { maxBuffer: 4_194_304, env })).stdout.trim();
}

/** Null outside of a repository, or without git. */
export async function gitPlace(directory: string): Promise<RepositoryPlace | null> {
  try {
    const prefix = await git(directory, "rev-parse", "--show-prefix");
    const remotes = await git(directory, "config", "--get-regexp", "^remote\\..*\\.url$").catch(() => "");
    const addresses = remotes
      .split("\n")
      .map((line) => line.slice(line.indexOf(" ") + 1))
      .filter((url) => url !== "");
    // A clone without a remote may itself be what a stack is of.
    const root = await git(directory, "rev-parse", "--show-toplevel");
    return { remotes: [...addresses, root], directory: prefix.replace(/\/$/, "") || "." };
  } catch {
    return null;
  }
}

/** The root of the repository, or null. */
export async function gitRoot(directory: string): Promise<string | null> {
  return git(directory, "rev-parse", "--show-toplevel").catch(() => null);
}

/** The commit that is checked out, or null. */
export async function gitHead(directory: string): Promise<string | null> {
  return git(directory, "rev-parse", "--verify", "HEAD^{commit}").catch(() => null);
}

const SHA = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** The commit of a name that git knows here. @throws Failure: usage */
export async function commitOf(ref: string, directory: string): Promise<string> {
  if (SHA.test(ref)) return ref;
  const sha = await git(directory, "rev-parse", "--verify", "--end-of-options", `${ref}^{commit}`).catch(() => null);
  if (sha === null || !SHA.test(sha)) throw usage(`git knows no commit ${ref} here.`);
  return sha;
}
