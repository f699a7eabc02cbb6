/** A copy of a repository of this machine, for a run that does not see the folder it is in. */
import { execFile } from "node:child_process";
import { realpath } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { RunnerConfig } from "../config/config.ts";

const run = promisify(execFile);

const COPY_MS = 600_000;

/**
 * A copy and no mount: whoever sees a folder can connect to the sockets in it, though it is there to read alone. Git
 * itself refuses one that belongs to another user than the coordinator's.
 * @param into must not be there yet; readable to everybody who gets that far
 * @returns whether there is a copy now
 */
export async function copyRepository(
  folder: string,
  into: string,
  { repositories, hide }: Pick<RunnerConfig, "repositories" | "hide">,
): Promise<boolean> {
  try {
    const real = await realpath(folder);
    if (!(await isIn(real, repositories)) || (await isIn(real, hide))) return false;
    const clone = ["clone", "--quiet", "--mirror", "--template=", "--", pathToFileURL(real).href, into];
    await run("/bin/sh", ["-c", 'umask 022 && exec git "$@"', "git", ...clone], { cwd: "/", env, timeout: COPY_MS });
    return true;
  } catch {
    return false;
  }
}

/** Nothing that is set on this machine takes part. Who called `sudo` counts as the owner, as for git itself. */
const env = {
  PATH: process.env.PATH,
  ...(process.env.SUDO_UID === undefined ? {} : { SUDO_UID: process.env.SUDO_UID }),
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ALLOW_PROTOCOL: "file",
  GIT_TERMINAL_PROMPT: "0",
};

async function isIn(file: string, folders: readonly string[]): Promise<boolean> {
  const real = await Promise.all(folders.map((folder) => realpath(folder).catch(() => null)));
  return real.some((folder) => folder !== null && !path.relative(folder, file).startsWith(".."));
}
