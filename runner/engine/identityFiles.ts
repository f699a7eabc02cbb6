/**
 * The identities of a run as its tools look for them: a file of a token each, which is replaced while the run goes on,
 * what leads to it, and the variables that lead to that. They are at the same path in each run of a lane, since a
 * configuration may keep a path in its plan.
 */
import { mkdir, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import type { RunIdentity } from "../../src/core/runs/protocol.ts";
import { RunFailed } from "../service/outcome.ts";

type Variables = Record<string, string>;

/** Writes all of it and returns the variables of the engine's environment. @throws RunFailed */
export async function writeIdentities(identities: readonly RunIdentity[], folder: string): Promise<Variables> {
  if (identities.length === 0) return {};
  await mkdir(folder, { mode: 0o700 });
  await writeTokens(identities, folder);
  const variables: Variables = {};
  for (const [type, own] of Map.groupBy(identities, ({ provider_type }) => provider_type)) {
    const lead = LEADING[type];
    if (lead === undefined) throw new RunFailed(`This runner's version does not know identities of ${type}.`);
    Object.assign(variables, await lead(own, folder));
  }
  return variables;
}

/** A reader gets the old token or the new one, never a part. */
export async function writeTokens(identities: readonly RunIdentity[], folder: string): Promise<void> {
  for (const identity of identities) {
    const file = tokenFile(identity, folder);
    await writeFile(`${file}.new`, identity.token, { mode: 0o600 });
    await rename(`${file}.new`, file);
  }
}

function tokenFile({ provider_type, name }: RunIdentity, folder: string): string {
  const file = `${provider_type}-${name}`;
  if (!/^[A-Za-z0-9_.@-]{1,100}$/.test(file)) throw malformed();
  return path.join(folder, file);
}

const LEADING: Record<string, (identities: RunIdentity[], folder: string) => Promise<Variables>> = {
  aws_identity: leadAws,
  google_identity: async ([identity], folder) => leadGoogle(identity as RunIdentity, folder),
  azure_identity: async ([identity], folder) => leadAzure(identity as RunIdentity, folder),
  vault_identity: async ([identity], folder) => leadVault(identity as RunIdentity, folder),
  identity_files: async (identities, folder) =>
    Object.fromEntries(identities.map((each) => [setting(each, "variable"), tokenFile(each, folder)])),
};

/**
 * A profile for each role; the role `default` serves whoever names none. Nothing of the machine's own is read.
 */
async function leadAws(identities: RunIdentity[], folder: string): Promise<Variables> {
  const sections = identities.map((each) => {
    const heading = each.name === "default" ? "default" : `profile ${line(each.name)}`;
    const lines = [
      `role_arn = ${setting(each, "role_arn")}`,
      `role_session_name = ${setting(each, "role_session_name")}`,
      `web_identity_token_file = ${tokenFile(each, folder)}`,
    ];
    return `[${heading}]\n${lines.join("\n")}\n`;
  });
  const config = await privateFile(folder, "aws-config", sections.join("\n"));
  const credentials = await privateFile(folder, "aws-credentials", "");
  const own = identities.find(({ name }) => name === "default");
  return {
    AWS_CONFIG_FILE: config,
    AWS_SHARED_CREDENTIALS_FILE: credentials,
    AWS_EC2_METADATA_DISABLED: "true",
    ...(own && {
      AWS_ROLE_ARN: setting(own, "role_arn"),
      AWS_ROLE_SESSION_NAME: setting(own, "role_session_name"),
      AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile(own, folder),
    }),
  };
}

/** As Google's libraries read credentials of a workload elsewhere. */
async function leadGoogle(identity: RunIdentity, folder: string): Promise<Variables> {
  const { service_account_email: account } = identity.settings;
  const credentials = {
    type: "external_account",
    audience: setting(identity, "audience"),
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    token_url: "https://sts.googleapis.com/v1/token",
    credential_source: { file: tokenFile(identity, folder), format: { type: "text" } },
    ...(account && {
      service_account_impersonation_url: `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${account}:generateAccessToken`,
    }),
  };
  const file = await privateFile(folder, "google-credentials.json", JSON.stringify(credentials));
  return { GOOGLE_APPLICATION_CREDENTIALS: file, CLOUDSDK_AUTH_CREDENTIAL_FILE_OVERRIDE: file };
}

/** For the engine's provider, and for the libraries of Azure. */
async function leadAzure(identity: RunIdentity, folder: string): Promise<Variables> {
  const [tenant, client] = [setting(identity, "tenant_id"), setting(identity, "client_id")];
  const file = tokenFile(identity, folder);
  const { subscription_id: subscription } = identity.settings;
  return {
    ARM_USE_OIDC: "true",
    ARM_OIDC_TOKEN_FILE_PATH: file,
    ARM_TENANT_ID: tenant,
    ARM_CLIENT_ID: client,
    ...(subscription && { ARM_SUBSCRIPTION_ID: subscription }),
    AZURE_FEDERATED_TOKEN_FILE: file,
    AZURE_TENANT_ID: tenant,
    AZURE_CLIENT_ID: client,
  };
}

/** Vault's provider takes the token by value, when it logs in. */
async function leadVault(identity: RunIdentity, folder: string): Promise<Variables> {
  const { namespace } = identity.settings;
  return {
    VAULT_ADDR: setting(identity, "address"),
    ...(namespace && { VAULT_NAMESPACE: namespace }),
    TERRAFORM_VAULT_AUTH_JWT: line(identity.token),
    SVC_VAULT_TOKEN_FILE: tokenFile(identity, folder),
  };
}

async function privateFile(folder: string, name: string, content: string): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, content, { mode: 0o600, flag: "wx" });
  return file;
}

function setting({ settings }: RunIdentity, name: string): string {
  return line(settings[name] ?? "");
}

/** A value that would begin a line of its own could make a profile that nobody granted. */
function line(text: string): string {
  if (text === "" || /[\r\n\0]/.test(text)) throw malformed();
  return text;
}

function malformed(): RunFailed {
  return new RunFailed("The service sent a malformed identity.");
}
