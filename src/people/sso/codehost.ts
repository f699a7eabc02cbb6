/** Signing in at the code host: OAuth without ID tokens, then its API. */
import * as oauth from "oauth4webapi";
import type { Egress } from "../../platform/egress/egress.ts";
import { CodehostApi } from "./codehostApi.ts";
import { protocolHttp } from "./egressFetch.ts";
import { translated } from "./errors.ts";
import { type Provider, STATIC_QUESTION } from "./provider.ts";

/** Client id and secret go together; without them nobody signs in here. */
export type CodehostConfig = {
  codehostClientId: string | undefined;
  codehostClientSecret: string | undefined;
  codehostBaseUrl: string;
};

const PUBLIC_HOST = "https://github.com";
const PUBLIC_API = "https://api.github.com";
const SCOPES = ["read:user", "user:email", "read:org"];

/** Where the host's API is; an enterprise installation's is below its own address. */
export function apiOf(codehostBaseUrl: string): string {
  return codehostBaseUrl === PUBLIC_HOST ? PUBLIC_API : `${codehostBaseUrl}/api/v3`;
}

/** Undefined when it is not configured. */
export function codehostProvider(config: CodehostConfig, egress: Egress): Provider | undefined {
  const { codehostClientId: clientId, codehostClientSecret: clientSecret } = config;
  if (clientId === undefined || clientSecret === undefined) return undefined;
  const { codehostBaseUrl: issuer } = config;
  const http = protocolHttp(egress, issuer);
  const registration = { client_id: clientId };
  const server: oauth.AuthorizationServer = {
    issuer,
    authorization_endpoint: `${issuer}/login/oauth/authorize`,
    token_endpoint: `${issuer}/login/oauth/access_token`,
  };
  const api = apiOf(issuer);
  return {
    key: "codehost",
    displayName: "Code host",
    issuer,
    async authorizationUrl({ redirectUri, state, codeChallenge }) {
      const url = new URL(server.authorization_endpoint as string);
      const parameters = {
        response_type: "code",
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: SCOPES.join(" "),
        state,
        code_challenge: codeChallenge,
        code_challenge_method: "S256",
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url;
    },
    async complete(callback) {
      try {
        const parameters = oauth.validateAuthResponse(server, registration, callback.parameters, callback.state);
        const response = await oauth.authorizationCodeGrantRequest(
          server,
          registration,
          oauth.ClientSecretPost(clientSecret),
          parameters,
          callback.redirectUri,
          callback.codeVerifier,
          http,
        );
        const tokens = await oauth.processAuthorizationCodeResponse(server, registration, response);
        return await personAt(new CodehostApi(egress, api, tokens.access_token), issuer);
      } catch (error) {
        throw translated(error);
      }
    },
  };
}

async function personAt(host: CodehostApi, issuer: string) {
  const person = await host.person();
  const [facts, email] = [await host.memberships(), await host.verifiedEmail()];
  return {
    identity: { providerKey: "codehost", issuer, subject: String(person.id) },
    login: person.login,
    displayName: person.name,
    verifiedLogins: [person.login, ...(email === null ? [] : [email])],
    question: { providerKey: "codehost", ...STATIC_QUESTION },
    facts,
  } as const;
}
