/** The account Postgres runs under when we are root, since it refuses to run as root. */
import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { run } from "./run.ts";

export type SystemUser = { uid: number; gid: number };

/**
 * Undefined when we are not root: then Postgres runs as we do. Creates the system user `postgres` when there is none.
 */
export async function postgresUser(): Promise<SystemUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const found = await lookUp("postgres");
  if (found) return found;
  const { ok, output } = await run("useradd", ["--system", "--user-group", "--no-create-home", "postgres"]);
  const created = await lookUp("postgres");
  if (created) return created;
  throw new Error(`Postgres cannot run as root and no user could be created for it: ${ok ? "not found" : output}`);
}

async function lookUp(name: string): Promise<SystemUser | undefined> {
  const [uid, gid] = await Promise.all([run("id", ["-u", name]), run("id", ["-g", name])]);
  return uid.ok && gid.ok ? { uid: Number(uid.stdout), gid: Number(gid.stdout) } : undefined;
}

/** Whether users other than the owner may walk down to `path`: false below a home folder of mode 0700, for example. */
export async function openToOthers(path: string): Promise<boolean> {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}
