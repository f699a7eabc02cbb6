/** Configuration for git in a private file: its environment and its arguments are for others to see. */
import { rm, writeFile } from "node:fs/promises";

/** A setting as `git config` names it. */
export type Entry = readonly [key: string, value: string];

/**
 * Writes the file, and one for a login that the configuration may point to, and removes both once the work is through,
 * whatever becomes of it.
 */
export async function withGitConfig<T>(
  file: string,
  { login, entries }: { login: string | null; entries(loginFile: string): Entry[] },
  work: () => Promise<T>,
): Promise<T> {
  const loginFile = `${file}.login`;
  try {
    if (login !== null) await writeFile(loginFile, login, { mode: 0o600 });
    await writeFile(file, configText(entries(loginFile)), { mode: 0o600 });
    return await work();
  } finally {
    await Promise.all([file, loginFile].map((each) => rm(each, { force: true })));
  }
}

function configText(entries: readonly Entry[]): string {
  return entries.map(([key, value]) => `${section(key)} = ${quoted(value)}\n`).join("");
}

/** What is between the first and the last dot may hold dots itself, as addresses do. */
function section(key: string): string {
  const first = key.indexOf(".");
  const last = key.lastIndexOf(".");
  const below = first === last ? "" : ` ${quoted(key.slice(first + 1, last))}`;
  return `[${key.slice(0, first)}${below}]\n\t${key.slice(last + 1)}`;
}

function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, "\\$&")}"`;
}
