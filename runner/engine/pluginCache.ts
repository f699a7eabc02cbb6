/** The cache of providers that an engine works with. */
import { mkdir, readdir, symlink } from "node:fs/promises";
import path from "node:path";

/** Host, namespace, name, version and platform of a provider: one folder each. */
const DEPTH = 5;

/**
 * A cache of the run's own, in which every provider of the shared one is a link: the engine finds those, and what it
 * fetches besides is seen by no other run.
 */
export async function privateCache(shared: string, directory: string): Promise<string> {
  const own = path.join(directory, "plugins");
  await mkdir(own, { recursive: true, mode: 0o700 });
  await link(shared, own, DEPTH);
  return own;
}

async function link(from: string, to: string, levels: number): Promise<void> {
  const entries = await readdir(from, { withFileTypes: true }).catch(() => []);
  for (const entry of entries.filter((each) => each.isDirectory())) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (levels === 1) {
      await symlink(source, target).catch(ignoreExisting);
    } else {
      await mkdir(target, { recursive: true, mode: 0o700 });
      await link(source, target, levels - 1);
    }
  }
}

/** An apply has what its plan left. */
function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}
