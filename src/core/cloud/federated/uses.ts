/** Which tokens a run gets of an integration, and what its tools have to know besides. Pure. */
import { sessionName } from "../aws/sessionName.ts";
import type { IdentityUse, MintSubject } from "../provider.ts";
import type { FederatedConfigs } from "./config.ts";

/** Of tokens that need no name. */
const DEFAULT = "default";

/** Leaves out what is not set. */
function settings(values: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

export const USES: {
  [T in keyof FederatedConfigs]: (config: FederatedConfigs[T], subject: MintSubject) => IdentityUse[];
} = {
  aws_identity: ({ audience, roles }, subject) =>
    roles.map(({ name, role_arn }) => ({
      name,
      audience,
      settings: { role_arn, role_session_name: sessionName(subject) },
    })),
  google_identity: ({ workload_identity_provider: provider, service_account_email, audience }) => [
    {
      name: DEFAULT,
      // What Google asks for where a pool's provider names no audience of its own.
      audience: audience ?? `https://iam.googleapis.com/${provider}`,
      settings: settings({ audience: `//iam.googleapis.com/${provider}`, service_account_email }),
    },
  ],
  azure_identity: ({ audience, tenant_id, client_id, subscription_id }) => [
    { name: DEFAULT, audience, settings: settings({ tenant_id, client_id, subscription_id }) },
  ],
  vault_identity: ({ audience, address, namespace }) => [
    { name: DEFAULT, audience, settings: settings({ address, namespace }) },
  ],
  identity_files: ({ files }) =>
    files.map(({ name, audience, variable }) => ({ name, audience, settings: { variable } })),
};
