/** A cloud integration as a form holds it, and as the service takes it. Pure. */
import type { CloudIntegration } from "../../data/types.ts";

export const CLOUDS = { cloud_a: "AWS", cloud_b: "Google Cloud" } as const;
export type CloudProvider = keyof typeof CLOUDS;

/** What trusts runs by an identity of their own. Declared by the API; shown here, and taken away. */
const IDENTITIES = {
  aws_identity: "AWS, by identity",
  google_identity: "Google Cloud, by identity",
  azure_identity: "Azure, by identity",
  vault_identity: "Vault, by identity",
  identity_files: "Tokens in files",
} as const;

export const TITLES = { ...CLOUDS, ...IDENTITIES };
export type ShownProvider = keyof typeof TITLES;

/** One that can be edited here. */
export function isKnown(provider: string): provider is CloudProvider {
  return Object.hasOwn(CLOUDS, provider);
}

/** One that this console does not know is left out. */
export function isShown(provider: string): provider is ShownProvider {
  return Object.hasOwn(TITLES, provider);
}

export type RoleDraft = { name: string; role_arn: string; inline_policy: string; use_in_previews: boolean };
export type CloudDraft = { roles: readonly RoleDraft[]; service_account_email: string };

export const NEW_ROLE: RoleDraft = { name: "default", role_arn: "", inline_policy: "", use_in_previews: true };

export function cloudDraftOf(integration: CloudIntegration | undefined): CloudDraft {
  const config = (integration?.config ?? {}) as { roles?: Partial<RoleDraft>[]; service_account_email?: string };
  return {
    roles: config.roles?.map((role) => ({ ...NEW_ROLE, ...role })) ?? [NEW_ROLE],
    service_account_email: config.service_account_email ?? "",
  };
}

export function cloudConfigOf(
  provider: CloudProvider,
  { roles, service_account_email }: CloudDraft,
): Record<string, unknown> {
  if (provider === "cloud_b") return { service_account_email: service_account_email.trim() };
  return {
    roles: roles.map(({ name, role_arn, inline_policy, use_in_previews }) => ({
      ...{ name: name.trim(), role_arn: role_arn.trim(), use_in_previews },
      ...(inline_policy.trim() !== "" && { inline_policy }),
    })),
  };
}

/** In a line: what runs act as. */
export function cloudText({ config }: CloudIntegration): string {
  const { roles, service_account_email, files, ...other } = config as {
    roles?: RoleDraft[];
    service_account_email?: string;
    files?: { name: string; audience: string }[];
    workload_identity_provider?: string;
    client_id?: string;
    address?: string;
  };
  const lists = [
    ...(roles ?? []).map(({ name, role_arn }) => `${name}: ${role_arn}`),
    ...(files ?? []).map(({ name, audience }) => `${name}: ${audience}`),
  ];
  if (lists.length > 0) return lists.join(", ");
  return service_account_email ?? other.workload_identity_provider ?? other.client_id ?? other.address ?? "";
}
