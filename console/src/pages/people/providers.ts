/** Ways to sign in, as people know them. */
export const PROVIDERS: Readonly<Record<string, string>> = {
  codehost: "the code host",
  workspace: "the workspace",
  oidc: "an own issuer",
};

export type ProviderKey = "codehost" | "workspace" | "oidc";
export const PROVIDER_KEYS = Object.keys(PROVIDERS) as ProviderKey[];
