/** The clouds whose access a stack can have: `cloud_a` is AWS, `cloud_b` is Google Cloud. */
export const PROVIDER_TYPES = ["cloud_a", "cloud_b"] as const;
export type ProviderType = (typeof PROVIDER_TYPES)[number];
