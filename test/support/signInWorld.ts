/** Organizations with sources, rules and bindings, and a person who signs in there. */
import { randomUUID } from "node:crypto";
import { Browser, type Visit } from "./browser.ts";
import type { IdentityProvider } from "./identityProvider.ts";
import type { PeopleApi } from "./peopleApi.ts";

export type TestSource = { id: string; orgId: string; handle: string; slug: string; startPath: string };

type Settings = { clientId?: string; groupsClaim?: string; enabled?: boolean; orgId?: string };

/** An enabled OIDC source in a new organization with a login handle; stored as it is, without asking the issuer. */
export async function addSource(
  api: PeopleApi,
  idp: Pick<IdentityProvider, "issuer" | "clientId" | "clientSecret">,
  { clientId = idp.clientId, groupsClaim = "groups", enabled = true, orgId }: Settings = {},
): Promise<TestSource> {
  const { sql } = api.database;
  const org = orgId ?? (await api.makeOrg());
  const handle = `h-${randomUUID().slice(0, 8)}`;
  const [id, slug] = [randomUUID(), `s-${randomUUID().slice(0, 8)}`];
  await sql`update organizations set login_handle = ${handle}, max_users = 100 where id = ${org}`;
  const secret = await api.keyring.seal(Buffer.from(idp.clientSecret), {
    table: "identity_sources",
    column: "client_secret",
    rowId: id,
  });
  await sql`
    insert into identity_sources (id, org_id, provider_key, source_slug, display_name, oidc_issuer, oidc_client_id, oidc_groups_claim, groups_scope, client_secret, enabled)
    values (${id}, ${org}, 'oidc', ${slug}, 'Test', ${idp.issuer}, ${clientId}, ${groupsClaim}, 'groups', ${secret}, ${enabled})`;
  return { id, orgId: org, handle, slug, startPath: `/api/v1/auth/sso/orgs/${handle}/sources/${slug}/start` };
}

export async function addRule(api: PeopleApi, source: TestSource, type: string, rule: object): Promise<void> {
  const { sql } = api.database;
  await sql`insert into access_rules (identity_source_id, rule_type, rule) values (${source.id}, ${type}, ${sql.json(rule as never)})`;
}

/** Members of the group get the viewer role. */
export async function addBinding(api: PeopleApi, source: TestSource, group: string): Promise<void> {
  const { sql } = api.database;
  await sql`
    with b as (insert into group_role_bindings (identity_source_id, group_key) values (${source.id}, ${group}) returning id)
    insert into group_role_binding_roles select b.id, r.id from b, roles r where r.name = 'viewer'`;
}

/** Groups that count now, in order, whatever question they answer. */
export async function entitlements(api: PeopleApi, userId: string): Promise<string[]> {
  const rows = await api.database
    .sql`select group_key from external_entitlements where user_id = ${userId} and expires_at > svc_now() order by 1`;
  return rows.map((row) => row.group_key);
}

/** The whole way through both sites; the answer is the last page's. */
export async function signInAt(
  api: PeopleApi,
  idp: IdentityProvider,
  source: TestSource,
  subject: string,
  browser: Browser = new Browser(),
): Promise<Visit> {
  idp.next = subject;
  return browser.visit(api.baseUrl + source.startPath);
}
