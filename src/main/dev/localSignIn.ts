/** Signing in at a local installation: its own identity provider, registered as a source of its organization. */
import { sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";
import { secretPlace } from "../../people/sso/sourceSecret.ts";
import { createKeyring, type Keyring } from "../../platform/crypto/keyring.ts";
import { connect, type Tx } from "../../platform/db/client.ts";
import type { DataFolder } from "./dataFolder.ts";
import { GROUP_ROLES, MEMBERS_GROUP } from "./identityProvider/people.ts";
import { startIdentityProvider } from "./identityProvider/server.ts";

const HANDLE = "local";
const CLIENT_ID = "local";

export type LocalSignIn = { url: string; firstLink: string; password: string; stop(): Promise<void> };

export type LocalSignInOptions = {
  port: number;
  baseUrl: string;
  databaseUrl: string;
  orgId: string;
};

/** @throws when the port is taken */
export async function startLocalSignIn(data: DataFolder, options: LocalSignInOptions): Promise<LocalSignIn> {
  const { port, baseUrl } = options;
  const [clientSecret, password] = [
    await data.secret("identity-provider-secret", 24),
    await data.secret("sign-in-password", 9),
  ];
  const redirectUri = `${baseUrl}/api/v1/auth/sso/callback`;
  const url = `${baseUrl}/api/v1/auth/sso/orgs/${HANDLE}/sources/${HANDLE}/start`;
  const provider = await startIdentityProvider({
    ...{ port, clientSecret, redirectUri, password },
    clientId: CLIENT_ID,
    startUri: `${url}?return_to=/`,
  });
  try {
    const key = Buffer.from(await data.secret("encryption-key", 32), "base64");
    const keyring = createKeyring({ provider: "aes-256", key, previousKeys: [] });
    await register(provider.issuer, await sealedSecret(keyring, clientSecret), options);
  } catch (error) {
    await provider.stop();
    throw error;
  }
  return {
    url,
    firstLink: provider.firstLink,
    password,
    stop: () => provider.stop(),
  };
}

type Sealed = { id: string; secret: Buffer };

/** A secret opens only for the source it was sealed for, so the source's id comes first. */
async function sealedSecret(keyring: Keyring, secret: string): Promise<Sealed> {
  const id = uuidv7();
  return { id, secret: await keyring.seal(Buffer.from(secret), secretPlace(id)) };
}

async function register(issuer: string, sealed: Sealed, { databaseUrl, orgId }: LocalSignInOptions): Promise<void> {
  const db = connect(databaseUrl, { max: 1, name: "svc-local-sign-in" });
  try {
    await db.transaction((tx) => registerSource(tx, issuer, sealed, orgId));
  } finally {
    await db.$client.end({ timeout: 5 });
  }
}

/** Make what is missing. Only the issuer follows the port; whatever a person changed afterwards stays. */
async function registerSource(tx: Tx, issuer: string, { id, secret }: Sealed, orgId: string): Promise<void> {
  await tx.execute(sql`
    update organizations set login_handle = ${HANDLE} where id = ${orgId} and login_handle is null
      and not exists (select from organizations where login_handle = ${HANDLE})`);
  const known = await tx.execute(sql`
    update identity_sources set oidc_issuer = ${issuer} where org_id = ${orgId} and source_slug = ${HANDLE} returning 1`);
  if (known.length > 0) return;
  await tx.execute(sql`
    insert into identity_sources
      (id, org_id, provider_key, source_slug, display_name, oidc_issuer, oidc_client_id, oidc_groups_claim, groups_scope, client_secret)
    values (${id}, ${orgId}, 'oidc', ${HANDLE}, 'This machine', ${issuer}, ${CLIENT_ID}, 'groups', 'groups', ${secret})`);
  await tx.execute(sql`
    insert into access_rules (identity_source_id, rule_type, rule)
    values (${id}, 'oidc_group', jsonb_build_object('group', ${MEMBERS_GROUP}::text))`);
  await tx.execute(sql`
    with pairs as (select * from jsonb_each_text(${JSON.stringify(GROUP_ROLES)}::jsonb) as w (group_key, role)),
      bindings as (
        insert into group_role_bindings (identity_source_id, group_key) select ${id}::uuid, group_key from pairs
        returning id, group_key
      )
    insert into group_role_binding_roles (binding_id, role_id)
    select b.id, r.id from bindings b join pairs w using (group_key) join roles r on r.name = w.role and r.org_id is null`);
}
