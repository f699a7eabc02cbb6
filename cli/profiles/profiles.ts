/** Where one is signed in: a file of names and addresses, without any token. */
import { access, constants, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { EXIT } from "../exit/exitCodes.ts";
import { Failure } from "../exit/failure.ts";

export type Profile = {
  host: string;
  /** The organization that its token is for. */
  orgId: string;
  orgName: string;
  login: string;
  tokenId: string | null;
  expiresAt: string | null;
  /** The token was made for this program, and is used by no other. */
  made?: boolean;
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
    const { current, profiles } = JSON.parse(text) as Partial<Profiles>;
    return { current: current ?? null, profiles: { ...profiles } };
  } catch {
    throw Failure.of(EXIT.failed, `${file} cannot be read.`, "Remove it, and sign in again: deploy login");
  }
}

const SOON_MS = 7 * 86_400_000;

/** What a person should know of a sign-in that ends soon. Pure. */
export function expiryNote(name: string, expiresAt: string | null, now = Date.now()): string | null {
  if (expiresAt === null) return null;
  const left = Date.parse(expiresAt) - now;
  if (left > SOON_MS) return null;
  const when = left <= 0 ? "ended" : "ends";
  return `The sign-in ${name} ${when} on ${expiresAt.slice(0, 16).replace("T", " ")} UTC. Sign in again: deploy login`;
}

/** Whoever reads meanwhile sees the file before or after, never half of it. */
export async function writeProfiles(folder: string, profiles: Profiles): Promise<void> {
  await replaceFile(profilesFile(folder), `${JSON.stringify(profiles, null, 2)}\n`);
}

/** @throws with the folder's name where nothing can be kept in it */
export async function assertWritable(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await access(folder, constants.W_OK | constants.X_OK);
}

/** Private from its first byte. */
export async function replaceFile(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const next = `${file}.${process.pid}`;
  await writeFile(next, text, { mode: 0o600 });
  await rename(next, file);
}
