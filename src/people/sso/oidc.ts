/** Signing in at an OpenID Connect provider: the organization's own, or the workspace provider. */
import * as oauth from "oauth4webapi";
import type { Egress } from "../../platform/egress/egress.ts";
import { protocolHttp } from "./egressFetch.ts";
import { SignInRefusedError, translated } from "./errors.ts";
import type { Callback, Provider, ProviderKey, SignedIn } from "./provider.ts";

export type Claims = Readonly<Record<string, unknown>>;

export type OidcClient = {
  key: ProviderKey;
  displayName: string;
  issuer: string;
  clientId: string;
  /** Absent for a public client. */
  clientSecret: string | undefined;
  scopes: readonly string[];
  /** More query parameters of the authorization request; hints. */
  hints?: Readonly<Record<string, string>>;
  /** The issuer's description of itself. @throws DiscoveryError */
  discover(): Promise<oauth.AuthorizationServer>;
  /**
   * What was kept of the issuer, its keys too, is asked for again; null while that was in vain a moment ago.
   * @throws DiscoveryError
   */
  discoverAnew(): Promise<oauth.AuthorizationServer | null>;
  /** What was asked for again did not help either. */
  wasInVain(): void;
  /** A claim that decides is looked for at the user info endpoint when the ID token has none. */
  needsUserInfo(claims: Claims): boolean;
  signedIn(claims: Claims & { sub: string }): SignedIn;
};

export function oidcProvider(client: OidcClient, egress: Egress): Provider {
  const http = protocolHttp(egress, client.issuer);
  return {
    key: client.key,
    displayName: client.displayName,
    issuer: client.issuer,
    async authorizationUrl({ redirectUri, state, nonce, codeChallenge }) {
      const server = await client.discover();
      const url = new URL(server.authorization_endpoint as string);
      const parameters = {
        response_type: "code",
        client_id: client.clientId,
        redirect_uri: redirectUri,
        scope: client.scopes.join(" "),
        state,
        nonce,
        code_challenge: codeChallenge,
        code_challenge_method: "S256",
        ...client.hints,
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url;
    },
    async complete(callback) {
      try {
        return client.signedIn(await provenClaims(client, http, callback));
      } catch (error) {
        throw translated(error);
      }
    },
  };
}

type Http = ReturnType<typeof protocolHttp>;

/**
 * Everything is checked before anything is believed: `state` and `iss` of the answer, then of the ID token its issuer,
 * audience, expiry, nonce and signature.
 */
async function provenClaims(client: OidcClient, http: Http, callback: Callback): Promise<Claims & { sub: string }> {
  const server = await client.discover();
  const registration = { client_id: client.clientId };
  const parameters = oauth.validateAuthResponse(server, registration, callback.parameters, callback.state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    registration,
    clientAuthentication(server, client.clientSecret),
    parameters,
    callback.redirectUri,
    callback.codeVerifier,
    http,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, registration, response, {
    expectedNonce: callback.nonce,
    requireIdToken: true,
  });
  await checkSignature(client, http, server, response);
  const claims = oauth.getValidatedIdTokenClaims(tokens) as (Claims & { sub: string }) | undefined;
  if (claims === undefined) throw new SignInRefusedError("The identity provider sent no ID token.");
  if (server.userinfo_endpoint === undefined || !client.needsUserInfo(claims)) return claims;
  const answer = await oauth.userInfoRequest(server, registration, tokens.access_token, http);
  const more = await oauth.processUserInfoResponse(server, registration, claims.sub, answer);
  // What was signed wins over what was only fetched.
  return { ...more, ...claims };
}

/**
 * By the issuer's keys as they are known. They are kept for minutes, and a token that they refuse may be signed by
 * newer ones, so the issuer is asked once more.
 */
async function checkSignature(
  client: OidcClient,
  http: Http,
  server: oauth.AuthorizationServer,
  response: Response,
): Promise<void> {
  try {
    return await oauth.validateApplicationLevelSignature(server, response, http);
  } catch (error) {
    const anew = isRefusedByKeys(error) ? await client.discoverAnew().catch(() => null) : null;
    if (anew === null) throw error;
    try {
      await oauth.validateApplicationLevelSignature(anew, response, http);
    } catch (again) {
      client.wasInVain();
      throw again;
    }
  }
}

/** No key fits, or the one that does says no. */
function isRefusedByKeys(error: unknown): boolean {
  const codes: unknown[] = [oauth.KEY_SELECTION, oauth.INVALID_RESPONSE];
  return error instanceof oauth.OperationProcessingError && codes.includes(error.code);
}

function clientAuthentication(server: oauth.AuthorizationServer, secret: string | undefined): oauth.ClientAuth {
  if (secret === undefined) return oauth.None();
  const methods = server.token_endpoint_auth_methods_supported;
  // The protocol's default when the issuer does not say.
  const basic = methods === undefined || methods.includes("client_secret_basic");
  return basic ? oauth.ClientSecretBasic(secret) : oauth.ClientSecretPost(secret);
}
