/** How calls to a host are authorized: an app's installation tokens, minted, kept and renewed, or one fixed token. */
import { createAppAuth } from "@octokit/auth-app";
import { readCache } from "../../../platform/cache/readCache.ts";
import type { AuthConfig } from "../authConfig.ts";
import { HostError } from "./errors.ts";
import { type octokitOver, translated, transportOver } from "./transport.ts";

export type CloneCredentials = { username: string; password: string };

export type HostCredentials = {
  /** Value of the authorization header for API calls about `owner`'s repositories; null: anonymous. */
  authorization(owner: string, renew: boolean): Promise<string | null>;
  /** A token that git clones this one repository with; null for a public one. */
  clone(owner: string, name: string): Promise<CloneCredentials | null>;
  /** Whether another token may work where this one was refused. */
  renewable: boolean;
};

/** Git is given a token that works at least this much longer. */
const LEFT_FOR_CLONE_MS = 15 * 60_000;
/** Of one app; one that lost its place costs a call. */
const KEPT_INSTALLATIONS = 1_000;

/** @throws HostError from each method */
export function credentialsOf(auth: AuthConfig, request: ReturnType<typeof octokitOver>): HostCredentials {
  if (auth.kind === "app") return appCredentials(auth, request);
  const { token } = auth;
  if (auth.kind === "none" || token === undefined) {
    return { renewable: false, authorization: async () => null, clone: async () => null };
  }
  return {
    renewable: false,
    authorization: async () => `token ${token}`,
    // The user's name is not looked at when the password is a token.
    clone: async () => ({ username: "x-access-token", password: token }),
  };
}

function appCredentials(auth: AuthConfig, request: ReturnType<typeof octokitOver>): HostCredentials {
  const app = createAppAuth({
    appId: auth.app_id ?? "",
    privateKey: auth.private_key ?? "",
    request,
    log: { warn() {} },
  });
  const installations = readCache(lookUp, { max: KEPT_INSTALLATIONS });

  /** An app that is installed by several owners has an installation for each. */
  function installationOf(owner: string): Promise<number> {
    if (auth.installation_id !== undefined) return Promise.resolve(Number(auth.installation_id));
    return installations.forceFetch(owner);
  }

  async function lookUp(owner: string): Promise<number> {
    const { token } = await app({ type: "app" });
    const authorization = `bearer ${token}`;
    const { data } = await transportOver(request)({
      route: "GET /users/{owner}/installation",
      parameters: { owner },
      authorization,
    });
    const { id } = data as { id?: unknown };
    if (typeof id !== "number") throw new HostError("nonsense");
    return id;
  }

  async function installationToken(owner: string, options: object): Promise<{ token: string; expiresAt: string }> {
    try {
      return await app({ type: "installation", installationId: await installationOf(owner), ...options });
    } catch (error) {
      throw translated(error);
    }
  }

  return {
    renewable: true,
    authorization: async (owner, renew) => `token ${(await installationToken(owner, { refresh: renew })).token}`,
    async clone(owner, name) {
      const narrow = { repositoryNames: [name], permissions: { contents: "read" } };
      let minted = await installationToken(owner, narrow);
      if (Date.parse(minted.expiresAt) - Date.now() < LEFT_FOR_CLONE_MS) {
        minted = await installationToken(owner, { ...narrow, refresh: true });
      }
      return { username: "x-access-token", password: minted.token };
    },
  };
}
