/** Which service is called, as whom, and in which organization. The environment wins over profiles. Pure. */
import { EXIT } from "../exit/exitCodes.ts";
import { Failure, usage } from "../exit/failure.ts";
import type { Profiles } from "../profiles/profiles.ts";

export type Asked = { host?: string | undefined; org?: string | undefined; profile?: string | undefined };

export type Target = {
  host: string;
  /** Null where it has to be found out: the token knows it. */
  org: string | null;
  /** The token itself, or the profile whose token it is. */
  token: { given: string } | { profile: string };
};

const SEE_PROFILES = "deploy profile list shows those that there are";

/** A variable that is empty is none. @throws Failure: usage, not signed in */
export function targetOf(asked: Asked, env: NodeJS.ProcessEnv, { current, profiles }: Profiles): Target {
  const name = asked.profile ?? (env.DEPLOY_PROFILE || current);
  const profile = name === null ? undefined : profiles[name];
  if (name !== null && profile === undefined && name !== current)
    throw usage(`There is no profile ${name}.`, SEE_PROFILES);
  const host = asked.host ?? (env.DEPLOY_HOST || profile?.host);
  const org = asked.org ?? (env.DEPLOY_ORG || undefined);
  const given = env.DEPLOY_TOKEN;
  if (host === undefined) throw notSignedIn();
  const address = hostOf(host, env);
  if (given) return { host: address, org: org ?? (profile?.host === address ? profile.orgId : null), token: { given } };
  if (profile === undefined || name === null) throw notSignedIn();
  // A token is sent to the service that gave it, and to nobody else, whatever the environment says.
  if (profile.host !== address) {
    throw Failure.of(
      EXIT.notSignedIn,
      `Profile ${name} is signed in at ${profile.host}, not at ${address}.`,
      `Run: deploy login --host ${address}`,
    );
  }
  return { host: address, org: org ?? profile.orgId, token: { profile: name } };
}

function notSignedIn(): Failure {
  return Failure.of(
    EXIT.notSignedIn,
    "You are not signed in.",
    "Run: deploy login --host https://..., or set DEPLOY_HOST and DEPLOY_TOKEN",
  );
}

/** Without a slash at the end. A token goes over plain HTTP to this machine alone, unless its person insists. */
export function hostOf(text: string, env: NodeJS.ProcessEnv): string {
  const url = URL.parse(/^[a-z]+:\/\//i.test(text) ? text : `https://${text}`);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:") || url.username || url.password) {
    throw usage(`${text} is no address of a service.`, "Such as https://deploy.example.com");
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname) && env.DEPLOY_INSECURE !== "1") {
    throw usage(
      `${text} is not encrypted: a token sent there can be read on the way.`,
      "Set DEPLOY_INSECURE=1 to do it anyway",
    );
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}
