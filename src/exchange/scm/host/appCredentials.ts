/**
 * An app's tokens. Which installation an owner has, and its tokens, are kept in memory of this one integration; what
 * the host refuses is dropped and asked for once more, and not again while that was in vain
 * (docs/rules/source-control.md#what-is-kept).
 */
import { createPrivateKey, type KeyObject } from "node:crypto";
import { SignJWT } from "jose";
import { LRUCache } from "lru-cache";
import { readCache } from "../../../platform/cache/readCache.ts";
import type { AuthConfig } from "../authConfig.ts";
import { type HostCredentials, headerOf, passwordOf } from "./credentials.ts";
import { HostError, isNotFound, isRefusal } from "./errors.ts";
import type { Transport } from "./transport.ts";

type Minted = { token: string; expiresAt: number };
/** What a token is for: calls about an owner's repositories, reading all of them, or the clone of one. */
type Purpose = { owner: string; name?: string; reads?: "all" };

/** A token is not used for what may outlast it. */
const LEFT_FOR_CALLS_MS = 60_000;
const LEFT_FOR_CLONE_MS = 15 * 60_000;
/** Of one app; one that lost its place costs a call. */
const KEPT = 1_000;
/** After something new was refused as well, the host is not asked for another so long. */
const IN_VAIN_MS = 30_000;
/** How long what the app signs is good for; hosts allow ten minutes, by their own clock. */
const SIGNED = { from: "60 seconds ago", until: "8 minutes" };

/** @throws HostError from each method */
export function appCredentials(auth: AuthConfig, transport: Transport): HostCredentials {
  const key = createPrivateKey(auth.private_key ?? "");
  const installations = readCache((owner: string) => lookUp(transport, auth, key, owner), { max: KEPT });
  const tokens = readCache((_key: string, purpose: Purpose) => mint(purpose), { max: KEPT });
  const inVain = new LRUCache<string, true>({ max: KEPT, ttl: IN_VAIN_MS });

  async function mint(purpose: Purpose): Promise<Minted> {
    const { owner } = purpose;
    const configured = auth.installation_id;
    const id = configured === undefined ? await installations.forceFetch(owner) : Number(configured);
    try {
      return await mintAt(transport, auth, key, id, purpose);
    } catch (error) {
      const outdated = configured === undefined && (isNotFound(error) || isRefusal(error)) && !inVain.has(owner);
      if (!outdated) throw hiddenIfMissing(error);
    }
    // The app may have been taken away and installed anew, which gives the owner another installation.
    if (installations.peek(owner) === id) installations.delete(owner);
    try {
      return await mintAt(transport, auth, key, await installations.forceFetch(owner), purpose);
    } catch (error) {
      inVain.set(owner, true);
      throw hiddenIfMissing(error);
    }
  }

  /** One that is good for `leftMs` more, and whether it was kept from before. */
  async function token(purpose: Purpose, leftMs: number): Promise<Minted & { kept: boolean }> {
    const name = nameOf(purpose);
    const known = tokens.peek(name);
    if (known !== undefined && known.expiresAt - Date.now() >= leftMs) return { ...known, kept: true };
    if (known !== undefined) tokens.delete(name);
    return { ...(await tokens.forceFetch(name, { context: purpose })), kept: false };
  }

  /** All who were refused the same one share the next. */
  function instead(purpose: Purpose, refused: string): Promise<Minted> {
    const name = nameOf(purpose);
    if (tokens.peek(name)?.token === refused) tokens.delete(name);
    return tokens.forceFetch(name, { context: purpose });
  }

  return {
    authorization: async (owner) => headerOf((await token({ owner }, LEFT_FOR_CALLS_MS)).token),
    async inPlaceOf(owner, refused) {
      const known = tokens.peek(nameOf({ owner }));
      if (known !== undefined && headerOf(known.token) !== refused) return headerOf(known.token);
      if (inVain.has(owner)) return null;
      return headerOf((await instead({ owner }, known?.token ?? "")).token);
    },
    wasInVain: (owner) => void inVain.set(owner, true),
    ofApp: () => signedByApp(auth, key),
    clone: (owner, name) => forGit({ owner, name }, () => repositoryCall(owner, name)),
    cloneOwned: (owner) =>
      forGit({ owner, reads: "all" }, () => ({ route: "GET /installation/repositories?per_page=1" })),
  };

  /** A run holds it for long and cannot ask for another: one that was kept is tried first. */
  async function forGit(purpose: Purpose, attempt: () => TestCall) {
    const minted = await token(purpose, LEFT_FOR_CLONE_MS);
    if (!minted.kept || (await works(transport, attempt(), minted.token))) return passwordOf(minted.token);
    return passwordOf((await instead(purpose, minted.token)).token);
  }
}

type TestCall = { route: string; parameters?: Record<string, unknown> };

function repositoryCall(owner: string, repo: string): TestCall {
  return { route: "GET /repos/{owner}/{repo}", parameters: { owner, repo } };
}

function nameOf({ owner, name = "", reads }: Purpose): string {
  return `${owner}/${name} ${reads ?? ""}`;
}

/** False only when the host says so: with its API away, git may still take the token. */
async function works(transport: Transport, attempt: TestCall, token: string) {
  try {
    await transport({ ...attempt, authorization: headerOf(token) });
    return true;
  } catch (error) {
    return !(isRefusal(error) || isNotFound(error));
  }
}

/** An app that is installed by several owners has an installation for each. */
async function lookUp(transport: Transport, auth: AuthConfig, key: KeyObject, owner: string): Promise<number> {
  try {
    const authorization = await signedByApp(auth, key);
    const { data } = await transport({
      route: "GET /users/{owner}/installation",
      parameters: { owner },
      authorization,
    });
    const { id } = data as { id?: unknown };
    if (typeof id !== "number") throw new HostError("nonsense");
    return id;
  } catch (error) {
    throw hiddenIfMissing(error);
  }
}

async function mintAt(
  transport: Transport,
  auth: AuthConfig,
  key: KeyObject,
  installation_id: number,
  { name, reads }: Purpose,
): Promise<Minted> {
  const narrow = {
    ...(name !== undefined && { repositories: [name] }),
    ...((name !== undefined || reads !== undefined) && { permissions: { contents: "read" } }),
  };
  const { data } = await transport({
    route: "POST /app/installations/{installation_id}/access_tokens",
    parameters: { installation_id, ...narrow },
    authorization: await signedByApp(auth, key),
  });
  const { token, expires_at } = data as { token?: unknown; expires_at?: unknown };
  const expiresAt = Date.parse(String(expires_at));
  if (typeof token !== "string" || Number.isNaN(expiresAt)) throw new HostError("nonsense");
  return { token, expiresAt };
}

/** What an app says of itself to its host. */
export async function signedByApp({ app_id = "" }: AuthConfig, key: KeyObject): Promise<string> {
  const claims = new SignJWT().setProtectedHeader({ alg: "RS256" }).setIssuer(app_id);
  return `bearer ${await claims.setIssuedAt(SIGNED.from).setExpirationTime(SIGNED.until).sign(key)}`;
}

/**
 * Of credentials a 404 says that the app is not installed there, and a 422 that its installation has no such
 * repository: never that a branch is gone.
 */
function hiddenIfMissing(error: unknown): unknown {
  const missing = isNotFound(error) || (error instanceof HostError && error.failure === "unacceptable");
  return missing ? new HostError("hidden", (error as HostError).hostStatus) : error;
}
