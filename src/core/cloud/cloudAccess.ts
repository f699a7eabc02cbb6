/**
 * What a run gets of its stack's integrations when a runner accepts it, with no lock and no connection held
 * (docs/rules/cloud.md#minted-at-accept), and new tokens of its identities while it goes on.
 */
import type { Queryable } from "../../platform/db/client.ts";
import { phaseOf } from "../identity/claims.ts";
import type { IdentityIssuer, IdentityToken } from "../identity/issuer.ts";
import type { ContextSubject } from "../runnerProtocol/contextSubject.ts";
import type { RunContext, RunIdentity } from "../runs/protocol.ts";
import { type Access, accessOf } from "./access.ts";
import { CloudRefusedError } from "./errors.ts";
import { integrationsOf } from "./integrations.ts";
import type { CloudConfig, RuntimeProviders } from "./provider.ts";

export type CloudAccess = Pick<RunContext, "runtime_credentials"> & { identities: RunIdentity[] };

type Deps = {
  db: Queryable;
  providers: RuntimeProviders;
  /** Null where the service has no public address. */
  issuer: Pick<IdentityIssuer, "tokens"> | null;
};

type Provider = RuntimeProviders extends ReadonlyMap<unknown, infer P> ? P : never;
/** An integration with what of it the run may have. */
type Granted = { type: string; provider: Provider; config: CloudConfig };

/**
 * Credentials and identities of every integration of the stack. Foreign code gets none; a preview, and whatever else
 * runs code that nobody merged, gets what is meant for it (docs/rules/cloud.md#who-gets-none).
 * @throws CloudRefusedError when no runner could get them, CloudUnavailableError when a later accept may
 */
export async function cloudAccess(deps: Deps, subject: ContextSubject, signal: AbortSignal): Promise<CloudAccess> {
  const access = accessOf(subject);
  const granted = await grantedOf(deps, subject, access);
  const minted = granted.map(async ({ type, provider, config }) =>
    "mint" in provider ? [{ provider_type: type, ...(await provider.mint(config, subject, signal)) }] : [],
  );
  const [credentials, identities] = await Promise.all([settled(minted), tokensOf(deps, subject, access, granted)]);
  return { runtime_credentials: credentials.flat(), identities };
}

/** New tokens, of the integrations as they are by now. The caller knows that the run goes on. */
export async function renewedIdentities(deps: Deps, subject: ContextSubject): Promise<RunIdentity[]> {
  const access = accessOf(subject);
  return tokensOf(deps, subject, access, await grantedOf(deps, subject, access));
}

async function grantedOf({ db, providers }: Deps, { stackKey }: ContextSubject, access: Access): Promise<Granted[]> {
  if (access === "none") return [];
  const integrations = await integrationsOf(db, stackKey);
  return integrations.flatMap(({ provider_type: type, config }) => {
    const provider = providers.get(type);
    if (provider === undefined) {
      throw new CloudRefusedError(`This installation does not offer the cloud provider ${type} any more.`, null);
    }
    const allowed = access === "previews" ? provider.forPreview(config) : config;
    return allowed === null ? [] : [{ type, provider, config: allowed }];
  });
}

async function tokensOf(
  { issuer }: Deps,
  subject: ContextSubject,
  access: Access,
  granted: readonly Granted[],
): Promise<RunIdentity[]> {
  const uses = granted.flatMap(({ type, provider, config }) =>
    "uses" in provider ? provider.uses(config, subject).map((use) => ({ type, ...use })) : [],
  );
  if (access === "none" || uses.length === 0) return [];
  if (issuer === null) throw new CloudRefusedError("This installation is no issuer of identities any more.", null);
  const phase = phaseOf(subject, access);
  const tokens = await issuer.tokens(
    subject,
    phase,
    uses.map(({ audience }) => audience),
  );
  return uses.map(({ type, name, audience, settings }) => {
    return { provider_type: type, name, settings, ...(tokens.get(audience) as IdentityToken) };
  });
}

/** All of them, or the error that matters most: a refusal, since it is final, before an outage, which is not. */
export async function settled<T>(work: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(work);
  const failures = results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
  if (failures.length > 0) throw failures.find((error) => error instanceof CloudRefusedError) ?? failures[0];
  return results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
}
