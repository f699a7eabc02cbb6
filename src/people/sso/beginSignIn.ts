/** The first half of a sign-in: the row that will decide, the cookie that ties it to this browser, and where to go. */
import { randomBytes } from "node:crypto";
import type { Context } from "hono";
import { calculatePKCECodeChallenge, generateRandomCodeVerifier, generateRandomNonce } from "oauth4webapi";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { BrowserOrigin } from "../sessions/browserOrigin.ts";
import { readCookie, writeCookie } from "../sessions/cookies.ts";
import { translated } from "./errors.ts";
import type { Provider } from "./provider.ts";
import { type Begun, LIFETIME_SECONDS, storeSignIn } from "./signInState.ts";

/** The one redirect address that is registered at every provider. */
export function redirectUri({ baseUrl }: BrowserOrigin): string {
  return `${baseUrl}/api/v1/auth/sso/callback`;
}

export type BeginDeps = { db: Queryable; keyring: Keyring; origin: BrowserOrigin };

/** @returns where the browser is to go, at the provider. @throws ProviderUnavailableError */
export async function beginSignIn(
  c: Context,
  { db, keyring, origin }: BeginDeps,
  provider: Provider,
  begun: Begun,
): Promise<string> {
  // One value serves all of a browser's tabs; each sign-in still has a state of its own.
  const browser = readCookie(c, origin, "signIn") ?? randomBytes(32).toString("base64url");
  const secrets = { nonce: generateRandomNonce(), codeVerifier: generateRandomCodeVerifier(), issuer: provider.issuer };
  const state = await storeSignIn(db, keyring, { ...begun, browser, secrets });
  const codeChallenge = await calculatePKCECodeChallenge(secrets.codeVerifier);
  let url: URL;
  try {
    url = await provider.authorizationUrl({
      redirectUri: redirectUri(origin),
      state,
      nonce: secrets.nonce,
      codeChallenge,
    });
  } catch (error) {
    throw translated(error);
  }
  writeCookie(c, origin, "signIn", browser, LIFETIME_SECONDS);
  return url.href;
}

const HERE = "http://here.invalid";

/** A path of this service, or undefined: a sign-in must not end on another site. Pure. */
export function localPath(path: string): string | undefined {
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(path) || path.includes("\\")) return undefined;
  const url = URL.parse(path, HERE);
  // "/.//x" is of this origin, but the path that is left of it names another.
  if (url?.origin !== HERE || url.pathname.startsWith("//")) return undefined;
  return `${url.pathname}${url.search}${url.hash}`;
}
