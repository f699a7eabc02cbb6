/** A folder for copies on their way to the service, which nobody else may read. */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive } from "../terminal/isAlive.ts";

export async function privateFolder(): Promise<string> {
  await removeAbandoned();
  return mkdtemp(join(tmpdir(), `deploy-${process.pid}-`));
}

/** Who is killed removes nothing; the next one does. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = /^deploy-(\d+)-\w+$/.exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    // Somebody else's is not ours to remove, and refuses it.
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {});
  }
}
