/** What a cloud has to be able to do for the rest of the service; one implementation per provider type. */
import type { FederatedConfig } from "./federated/config.ts";
import type { ProviderType } from "./providerType.ts";

export type CloudRole = { name: string; role_arn: string; inline_policy?: string; use_in_previews: boolean };
export type AwsConfig = { roles: CloudRole[] };
export type GoogleConfig = { service_account_email: string; use_in_previews: boolean };
export type MintingConfig = AwsConfig | GoogleConfig;
/**
 * As stored and as it is given back: normalized by the provider's parser, roles sorted by name, nothing secret in it.
 */
export type CloudConfig = MintingConfig | FederatedConfig;

/** For whom credentials are minted: ends up in the names that the cloud's own audit log shows. */
export type MintSubject = { orgId: string; stackSlug: string; deploymentId: string };

/** Short-lived credentials by profile name; every value of a profile is a secret. */
export type Minted = { profiles: Record<string, Record<string, string>>; expires_at: string };

type Provider<C extends CloudConfig> = {
  /** @throws InvalidValueError naming each refused field below `config` */
  parseConfig(config: unknown): C;
  /** Whether the organization may have it at all, as far as can be known now. @throws InvalidValueError */
  assertOpen(config: C, orgId: string): Promise<void>;
  /** What of it a run of a preview may have; null when that is nothing. */
  forPreview(config: C): C | null;
  /** Whether the service itself can prove to the cloud who it is. @throws whatever the cloud's SDK throws */
  authenticate(signal: AbortSignal): Promise<void>;
};

/** A cloud that is asked for credentials when a run is accepted. */
export interface RuntimeProvider<C extends CloudConfig> extends Provider<C> {
  /** @throws CloudRefusedError when the cloud says no, CloudUnavailableError when asking again may help */
  mint(config: C, subject: MintSubject, signal: AbortSignal): Promise<Minted>;
}

/** An identity that a run is to have: for whom, and what its tools have to know besides. No secret is in it. */
export type IdentityUse = { name: string; audience: string; settings: Record<string, string> };

/** A cloud that trusts the service as an issuer; a run shows it a token of its own. */
export interface FederatedProvider<C extends CloudConfig> extends Provider<C> {
  uses(config: C, subject: MintSubject): IdentityUse[];
}

/** The providers that `RUNTIME_PROVIDERS` registers. */
export type RuntimeProviders = ReadonlyMap<ProviderType, RuntimeProvider<CloudConfig> | FederatedProvider<CloudConfig>>;
