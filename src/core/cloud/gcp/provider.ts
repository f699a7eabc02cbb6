/** Google Cloud: a run acts as the integration's service account by a short-lived access token. */
import { type AuthClient, GoogleAuth, gaxios, Impersonated } from "google-auth-library";
import { renewable } from "../../../platform/cache/renewable.ts";
import type { Egress } from "../../../platform/egress/egress.ts";
import { InvalidValueError } from "../../../platform/problems/requestErrors.ts";
import { unlessAborted } from "../../../platform/time/unlessAborted.ts";
import { CloudRefusedError, CloudUnavailableError } from "../errors.ts";
import type { GoogleConfig, Minted, RuntimeProvider } from "../provider.ts";
import type { CloudSettings } from "../settings.ts";
import { accountForPreviews, parseGoogleConfig } from "./config.ts";
import { egressFetch } from "./egressFetch.ts";
import { mayName } from "./openedProjects.ts";

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
/**
 * Answers that no repetition changes: malformed, not allowed, no such account. 401 is about the service's own identity.
 */
const REFUSALS = new Set([400, 403, 404]);

const NOT_OPENED = "is of a project that the operator has not opened to this organization (SVC_CLOUD_B_PROJECTS)";

/**
 * The service's own identity comes the way Google's library finds it (application default credentials); it needs the
 * role Service Account Token Creator on each service account named by an integration.
 */
export function googleProvider(
  settings: CloudSettings,
  egress: Pick<Egress, "request">,
): RuntimeProvider<GoogleConfig> {
  const open = () =>
    new GoogleAuth({
      scopes: [SCOPE],
      // No call of ours needs the project; without one the library asks another API for it, which may not be allowed.
      projectId: "not-needed",
      clientOptions: { transporterOptions: { fetchImplementation: egressFetch(egress) } },
    });
  // The library keeps its own token for an hour; one that was taken back before is asked for anew.
  const usingAuth = renewable(open, (error) => statusOf((error as Error).cause) === 401 || statusOf(error) === 401);
  return {
    parseConfig: parseGoogleConfig,
    async assertOpen({ service_account_email: email }, orgId) {
      if (mayName(settings.openedProjects, orgId, email)) return;
      throw new InvalidValueError([{ field: "config.service_account_email", message: NOT_OPENED }]);
    },
    forPreview: accountForPreviews,
    async authenticate(signal) {
      const { token } = await usingAuth(async (auth) => {
        const source = await unlessAborted(auth.getClient(), signal);
        return unlessAborted(source.getAccessToken(), signal);
      });
      if (!token) throw new Error("the service's own identity gave no access token");
    },
    async mint({ service_account_email: email }, { orgId }, signal) {
      // The list may have been shortened since.
      if (!mayName(settings.openedProjects, orgId, email)) throw new CloudRefusedError(`${email} ${NOT_OPENED}.`, null);
      return usingAuth((auth) => mintWith(auth, settings, email, signal));
    },
  };
}

async function mintWith(
  auth: GoogleAuth,
  settings: CloudSettings,
  email: string,
  signal: AbortSignal,
): Promise<Minted> {
  const source = await unlessAborted(sourceOf(auth), signal);
  const impersonated = new Impersonated({
    sourceClient: source,
    targetPrincipal: email,
    targetScopes: [SCOPE],
    lifetime: Math.floor(settings.credentialsLifetimeMs / 1_000),
    endpoint: settings.iamCredentialsEndpoint,
  });
  const { token } = await unlessAborted(impersonated.getAccessToken(), signal).catch((error: unknown) => {
    throw signal.aborted ? error : tokenFailure(error, email);
  });
  const expiresAt = impersonated.credentials.expiry_date;
  if (!token || !expiresAt) {
    throw new CloudUnavailableError("Google Cloud", new Error("the answer has no token"));
  }
  return { profiles: { default: { access_token: token } }, expires_at: new Date(expiresAt).toISOString() };
}

async function sourceOf(auth: GoogleAuth): Promise<AuthClient> {
  try {
    const source = await auth.getClient();
    await source.getAccessToken();
    return source;
  } catch (error) {
    throw new CloudUnavailableError("Google Cloud", error);
  }
}

/** A refusal that asking again does not change, or what may be an outage. */
export function tokenFailure(error: unknown, email: string): Error {
  const status = statusOf(error);
  if (status === undefined || !REFUSALS.has(status)) return new CloudUnavailableError("Google Cloud", error);
  return new CloudRefusedError(
    `Google Cloud refused a token for ${email} (${status}). Check that the service account exists and that the service may create tokens for it.`,
    error,
  );
}

function statusOf(error: unknown): number | undefined {
  return error instanceof gaxios.GaxiosError ? error.status : undefined;
}
