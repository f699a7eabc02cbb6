/** A real OpenID Connect provider for one machine, so that signing in can be tried out without an account anywhere. */
import { generateKeyPairSync } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import Provider, { type Configuration } from "oidc-provider";
import { FirstLink } from "./firstLink.ts";
import { memoryAdapters } from "./memoryAdapter.ts";
import { claimsOf, PREPARED_NAMES } from "./people.ts";
import { askWhoSignsIn } from "./signInPage.ts";

export type LocalIdentityProvider = {
  issuer: string;
  /** Signs the first prepared person in, once. */
  firstLink: string;
  stop(): Promise<void>;
};

export type LocalIdentityProviderOptions = {
  port: number;
  clientId: string;
  clientSecret: string;
  redirectUri: string;
  /** Where a sign-in at the service begins. */
  startUri: string;
  /** What people type, whoever they say they are: others on this machine must not become its admin. */
  password: string;
};

/** Listens on loopback alone. @throws when the port is taken */
export async function startIdentityProvider(options: LocalIdentityProviderOptions): Promise<LocalIdentityProvider> {
  const issuer = `http://127.0.0.1:${options.port}`;
  const provider = new Provider(issuer, configuration(options));
  const protocol = provider.callback();
  const first = new FirstLink();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (first.open(request, response, options.startUri)) return;
    forgetWhoSignedIn(request);
    if (!request.url?.startsWith("/interaction/")) return protocol(request, response);
    const { prompt } = await provider.interactionDetails(request, response);
    if (prompt.name !== "login") return provider.interactionFinished(request, response, { consent: {} });
    const name = first.take(request) ? PREPARED_NAMES[0]! : await askWhoSignsIn(request, response, options.password);
    if (name !== null) await provider.interactionFinished(request, response, { login: { accountId: name } });
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => {
      // A sign-in that was begun before a restart, or twice.
      if (!response.headersSent) response.writeHead(400, { "content-type": "text/plain" });
      response.end("This sign-in is over. Begin again.\n");
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, "127.0.0.1", resolve);
  });
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { issuer, firstLink: issuer + first.path, stop };
}

/**
 * Who signs out of the service wants to sign in as somebody else, and would never be asked while the last one is
 * remembered.
 */
function forgetWhoSignedIn({ headers }: IncomingMessage): void {
  const cookies = (headers.cookie ?? "").split("; ").filter((cookie) => !cookie.startsWith("_session"));
  headers.cookie = cookies.join("; ");
}

const HOUR = 3_600;

function configuration({ clientId, clientSecret, redirectUri, password }: LocalIdentityProviderOptions): Configuration {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  return {
    adapter: memoryAdapters() as unknown as NonNullable<Configuration["adapter"]>,
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        grant_types: ["authorization_code"],
        response_types: ["code"],
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig", alg: "RS256" } as never] },
    cookies: { keys: [password], short: { path: "/" } },
    claims: {
      openid: ["sub"],
      profile: ["preferred_username", "name"],
      email: ["email", "email_verified"],
      groups: ["groups"],
    },
    scopes: ["openid", "profile", "email", "groups"],
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    ttl: { Interaction: HOUR, Grant: HOUR, Session: HOUR, AccessToken: HOUR, IdToken: HOUR, AuthorizationCode: 60 },
    findAccount: (_ctx, subject) => ({ accountId: subject, claims: async () => claimsOf(subject) }),
    // Nobody is asked whether their own machine may know who they are.
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
