/**
 * What a stack's runs can be given access by. `cloud_a` is AWS and `cloud_b` Google Cloud, asked for credentials by the
 * service. Of the others each trusts the service as an issuer of identities, and is not asked.
 */
const MINTING_TYPES = ["cloud_a", "cloud_b"] as const;
export const IDENTITY_TYPES = [
  "aws_identity",
  "google_identity",
  "azure_identity",
  "vault_identity",
  "identity_files",
] as const;
export const PROVIDER_TYPES = [...MINTING_TYPES, ...IDENTITY_TYPES] as const;
export type ProviderType = (typeof PROVIDER_TYPES)[number];
export type IdentityType = (typeof IDENTITY_TYPES)[number];

/** Types whose variables a tool could not tell apart: a stack has one of each pair. */
export const RIVALS: Partial<Record<string, ProviderType>> = {
  cloud_a: "aws_identity",
  aws_identity: "cloud_a",
  cloud_b: "google_identity",
  google_identity: "cloud_b",
};
