/**
 * Where tokens are kept: in the system's keyring where there is one, else in a file that only its owner may read.
 * None is ever an argument, an output or part of an error.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { EXIT } from "../exit/exitCodes.ts";
import { Failure } from "../exit/failure.ts";
import { replaceFile } from "./profiles.ts";

const SERVICE = "deploy";

export type TokenStore = {
  read(profile: string): Promise<string | null>;
  /** @returns where it is now, in words */
  write(profile: string, token: string): Promise<string>;
  remove(profile: string): Promise<void>;
};

/** Both are looked at, so that a keyring that comes or goes hides nothing. */
export async function openTokens(folder: string, env: NodeJS.ProcessEnv): Promise<TokenStore> {
  const file = fileTokens(folder);
  const keyring = env.DEPLOY_KEYRING === "off" ? null : await keyringTokens(folder);
  if (keyring === null) return file;
  return {
    read: async (profile) => (await file.read(profile)) ?? (await keyring.read(profile).catch(() => null)),
    async write(profile, token) {
      try {
        const place = await keyring.write(profile, token);
        // A keyring without anybody to unlock it takes a token and forgets it.
        if ((await keyring.read(profile)) === token) {
          await file.remove(profile);
          return place;
        }
      } catch {
        // No keyring to speak of: the file does.
      }
      return file.write(profile, token);
    },
    async remove(profile) {
      await file.remove(profile);
      await keyring.remove(profile).catch(() => {});
    },
  };
}

function fileTokens(folder: string): TokenStore {
  const file = join(folder, "tokens.json");
  const all = async (): Promise<Record<string, string>> => {
    try {
      return JSON.parse(await readFile(file, "utf8")) as Record<string, string>;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
      throw Failure.of(EXIT.failed, `${file} cannot be read.`, "Remove it, and sign in again: deploy login");
    }
  };
  return {
    read: async (profile) => (await all())[profile] ?? null,
    async write(profile, token) {
      await replaceFile(file, `${JSON.stringify({ ...(await all()), [profile]: token }, null, 2)}\n`);
      return file;
    },
    async remove(profile) {
      const { [profile]: removed, ...rest } = await all();
      if (removed !== undefined) await replaceFile(file, `${JSON.stringify(rest, null, 2)}\n`);
    },
  };
}

/** Null where the optional package, or its part for this system, is not installed. */
async function keyringTokens(folder: string): Promise<TokenStore | null> {
  const loaded = await import("@napi-rs/keyring").catch(() => null);
  if (loaded === null) return null;
  // Two folders of profiles have two sets of tokens.
  const entry = (profile: string) => new loaded.AsyncEntry(`${SERVICE}:${folder}`, profile);
  return {
    read: async (profile) => (await entry(profile).getPassword()) ?? null,
    async write(profile, token) {
      await entry(profile).setPassword(token);
      return "the system's keyring";
    },
    remove: async (profile) => {
      await entry(profile).deletePassword();
    },
  };
}
