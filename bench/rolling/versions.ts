/** Earlier versions of the product, out of its own history: each as it was before a migration came. */
import { execFile } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);

export type Step = { migrations: string[]; commit: string };

/** The newest commits that brought migrations, oldest first; several migrations of one commit are one step. */
export async function steps(most: number): Promise<Step[]> {
  const { stdout } = await run(
    "git",
    ["log", "--diff-filter=A", "--format=commit %H", "--name-only", "--", "drizzle/*.sql"],
    {
      cwd: ROOT,
      maxBuffer: 16_777_216,
    },
  );
  return stepsIn(stdout).slice(0, most).reverse();
}

/** Newest first, as the history lists them. Pure. */
export function stepsIn(log: string): Step[] {
  const found: Step[] = [];
  for (const line of log.split("\n")) {
    const [, commit] = /^commit ([0-9a-f]{40})$/.exec(line) ?? [];
    const [, migration] = /^drizzle\/(\d{4}_\w+\.sql)$/.exec(line) ?? [];
    if (commit !== undefined) found.push({ migrations: [], commit });
    else if (migration !== undefined) found.at(-1)?.migrations.push(migration);
  }
  return found.filter(({ migrations }) => migrations.length > 0);
}

/** The product's sources as they were before that commit, with the packages of today. */
export async function before(commit: string, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const archive = `${folder}.tar`;
  await run("git", ["archive", "--format=tar", "-o", archive, `${commit}^`], { cwd: ROOT });
  await run("tar", ["-xf", archive, "-C", folder]);
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** As an operator does it: with the sources of that version. */
export async function migrateWith(root: string, databaseUrl: string): Promise<void> {
  const env = { PATH: process.env.PATH ?? "", SVC_DATABASE_URL: databaseUrl, SVC_EXPLORE_DATABASE_URL: databaseUrl };
  await run(process.execPath, [join(root, "src", "main", "admin.ts"), "migrate"], { cwd: root, env });
}

export const TODAY = ROOT;
