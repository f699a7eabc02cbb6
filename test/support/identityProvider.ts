/** A real OpenID Connect provider on loopback, whose people sign in without typing anything. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair } from "jose";
import Provider, { type Configuration } from "oidc-provider";
import { memoryAdapters } from "../../src/main/dev/identityProvider/memoryAdapter.ts";

export type IdpUser = Record<string, unknown>;

export type IdentityProvider = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** By subject; may be changed at any time. */
  users: Map<string, IdpUser>;
  /** Who sits in front of the browser at the next sign-in: a subject. */
  next: string;
  /** Requests by path, to see who asked what. */
  asked: string[];
  close(): Promise<void>;
};

export type IdpOptions = {
  redirectUris: string[];
  clientId?: string;
  /** All claims in the ID token; the protocol's own way is to keep them for the user info endpoint. */
  claimsInIdToken?: boolean;
  /** Sends `iss` with its answers, as the protocol's mix-up defence asks. */
  sendsIss?: boolean;
};

const CLIENT_SECRET = "a-client-secret-with-:-and-%-in-it";

export async function startIdentityProvider(options: IdpOptions): Promise<IdentityProvider> {
  const { redirectUris, clientId = "orchestrator", claimsInIdToken = true, sendsIss = true } = options;
  // The issuer is the address, so the server comes first.
  const server = createServer((request, response) => {
    handled.asked.push(`${request.method} ${(request.url ?? "").split("?")[0]}`);
    void answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), use: "sig", alg: "RS256", kid: "k1" };
  const handled: IdentityProvider = {
    issuer,
    clientId,
    clientSecret: CLIENT_SECRET,
    users: new Map(),
    next: "",
    asked: [],
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  const provider = new Provider(issuer, configuration(handled, { claimsInIdToken, jwk }));
  // Asked each time, since a service may learn its address after its provider was started.
  provider.Client.prototype.redirectUriAllowed = (uri: string) => redirectUris.includes(uri);
  const serve = provider.callback();
  const answer = async (
    request: import("node:http").IncomingMessage,
    response: import("node:http").ServerResponse,
  ): Promise<void> => {
    if (request.url?.startsWith("/interaction/")) {
      const { prompt } = await provider.interactionDetails(request, response);
      const result = prompt.name === "login" ? { login: { accountId: handled.next } } : { consent: {} };
      await provider.interactionFinished(request, response, result);
      return;
    }
    if (!sendsIss) dropIss(response);
    await serve(request, response);
  };
  return handled;
}

/** Many providers do not know the parameter. */
function dropIss(response: import("node:http").ServerResponse): void {
  const setHeader = response.setHeader.bind(response);
  response.setHeader = (name, value) => {
    if (name.toLowerCase() !== "location" || typeof value !== "string" || !URL.canParse(value)) {
      return setHeader(name, value);
    }
    const url = new URL(value);
    url.searchParams.delete("iss");
    return setHeader(name, url.href);
  };
}

type Settings = { claimsInIdToken: boolean; jwk: object };

function configuration(idp: IdentityProvider, { claimsInIdToken, jwk }: Settings): Configuration {
  return {
    // Silence: the provider's own defaults announce themselves.
    adapter: memoryAdapters() as unknown as NonNullable<Configuration["adapter"]>,
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 60 },
    clients: [
      {
        client_id: idp.clientId,
        client_secret: idp.clientSecret,
        redirect_uris: [`${idp.issuer}/unused`],
        grant_types: ["authorization_code"],
        response_types: ["code"],
      },
    ],
    jwks: { keys: [jwk as never] },
    cookies: { keys: ["test"] },
    scopes: ["openid", "profile", "email", "groups"],
    claims: {
      openid: ["sub"],
      profile: ["preferred_username", "name", "hd"],
      email: ["email", "email_verified"],
      groups: ["groups", "_claim_names", "_claim_sources"],
    },
    conformIdTokenClaims: !claimsInIdToken,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_ctx, subject) => ({
      accountId: subject,
      claims: async () => ({ sub: subject, ...idp.users.get(subject) }),
    }),
    // Everyone has agreed to everything.
    loadExistingGrant: async (ctx) => {
      const grant = new ctx.oidc.provider.Grant({
        clientId: ctx.oidc.client?.clientId as string,
        accountId: ctx.oidc.session?.accountId as string,
      });
      grant.addOIDCScope("openid profile email groups");
      await grant.save();
      return grant;
    },
  };
}
