/** The workspace provider: one for the platform, with a fixed issuer (docs/rules/sign-in.md#providers). */
import type { AuthorizationServer } from "oauth4webapi";
import type { Egress } from "../../platform/egress/egress.ts";
import type { Logger } from "../../platform/telemetry/log.ts";
import { textClaim, trueClaim } from "./claimedIdentity.ts";
import type { Discovery } from "./discovery.ts";
import { oidcProvider } from "./oidc.ts";
import { type Provider, STATIC_QUESTION } from "./provider.ts";

const WORKSPACE_ISSUER = "https://accounts.google.com";

/** Client id and secret go together; without them nobody signs in here. */
export type WorkspaceConfig = {
  workspaceClientId: string | undefined;
  workspaceClientSecret: string | undefined;
  workspaceHostedDomain: string | undefined;
};

type WorkspaceDeps = {
  config: WorkspaceConfig;
  egress: Egress;
  discovery: Discovery;
  log: Pick<Logger, "warn">;
  /** Another one in tests only. */
  issuer?: string;
};

/**
 * Discovery runs once, here, at boot. When it fails there is no such provider until the next boot: a sign-in that would
 * only fail is not offered. Undefined also when it is not configured.
 */
export async function workspaceProvider(deps: WorkspaceDeps): Promise<Provider | undefined> {
  const { config, egress, discovery, log, issuer = WORKSPACE_ISSUER } = deps;
  const { workspaceClientId: clientId, workspaceClientSecret: clientSecret, workspaceHostedDomain: domain } = config;
  if (clientId === undefined) return undefined;
  let server: AuthorizationServer;
  try {
    server = await discovery.fresh(issuer);
  } catch (error) {
    log.warn({ err: error }, "the workspace provider is not offered: its discovery failed");
    return undefined;
  }
  return oidcProvider(
    {
      key: "workspace",
      displayName: "Workspace",
      issuer,
      clientId,
      clientSecret,
      scopes: ["openid", "profile", "email"],
      // A hint for the account chooser; only the claim in the signed token counts.
      ...(domain === undefined ? {} : { hints: { hd: domain } }),
      discover: async () => server,
      async discoverAnew() {
        const anew = await discovery.anew(issuer);
        server = anew ?? server;
        return anew;
      },
      wasInVain: () => discovery.wasInVain(issuer),
      needsUserInfo: (claims) => textClaim(claims, "email") === undefined,
      signedIn: (claims) => ({
        identity: { providerKey: "workspace", issuer, subject: claims.sub },
        login: textClaim(claims, "email") ?? claims.sub,
        displayName: textClaim(claims, "name") ?? null,
        verifiedLogins: [trueClaim(claims, "email_verified") ? textClaim(claims, "email") : undefined].filter(
          (email) => email !== undefined,
        ),
        question: { providerKey: "workspace", ...STATIC_QUESTION },
        facts: { kind: "workspace", hostedDomain: textClaim(claims, "hd") ?? null },
      }),
    },
    egress,
  );
}
