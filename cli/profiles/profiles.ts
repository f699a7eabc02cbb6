/** Where one is signed in: a file of names and addresses, without any token. */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Failure } from "../exit/failure.ts";

export type Profile = {
  host: string;
  /** The organization that its token is for. */
  orgId: string;
  orgName: string;
  login: string;
  tokenId: string | null;
  expiresAt: string | null;
};

export type Profiles = { current: string | null; profiles: Record<string, Profile> };

const NONE: Profiles = { current: null, profiles: {} };

function profilesFile(folder: string): string {
  return join(folder, "profiles.json");
}

export async function readProfiles(folder: string): Promise<Profiles> {
  const file = profilesFile(folder);
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return NONE;
    throw error;
  }
  try {
    const { current, profiles } = JSON.parse(text) as Profiles;
    return { current, profiles: { ...profiles } };
  } catch {
    throw new Failure(1, `${file} cannot be read; remove it and sign in again.`);
  }
}

/** Whoever reads meanwhile sees the file before or after, never half of it. */
export async function writeProfiles(folder: string, profiles: Profiles): Promise<void> {
  await replaceFile(profilesFile(folder), `${JSON.stringify(profiles, null, 2)}\n`);
}

/** Private from its first byte. */
export async function replaceFile(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const next = `${file}.${process.pid}`;
  await writeFile(next, text, { mode: 0o600 });
  await rename(next, file);
}
