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

/** A change by this browser's session, with its proof. */
export async function change(api: PeopleApi, browser: Browser, method: string, path: string, body?: unknown) {
  const { csrf_token } = JSON.parse((await browser.send(`${api.baseUrl}/api/v1/auth/me`)).text);
  const headers = { origin: api.baseUrl, "x-csrf-token": csrf_token ?? "", "content-type": "application/json" };
  const answer = await browser.send(api.baseUrl + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: answer.text === "" ? null : JSON.parse(answer.text) };
}

/** The path of what waits for the person's word, where a sign-in ended at the page that asks for it. */
export function askedAt(visit: Visit): string {
  const url = new URL(visit.url);
  if (url.pathname !== "/api/v1/auth/sso/confirm") throw new Error(`nobody is asked at ${url.pathname}`);
  return `/api/v1/me/sign-in-confirmations/${url.hash.slice(1)}`;
}

/** Press the button of the page that asks. */
export async function agree(api: PeopleApi, browser: Browser, visit: Visit): Promise<Visit> {
  const path = askedAt(visit);
  const { status, body } = await change(api, browser, "POST", path);
  if (status !== 200) return { url: path, status, headers: new Headers(), text: JSON.stringify(body) };
  return browser.visit(body.location);
}

/** As far as the page that asks, or the refusal before it. */
export async function beginLink(
  api: PeopleApi,
  browser: Browser,
  at: TestSource | { key: string },
  options: Parameters<Browser["visit"]>[1] = {},
): Promise<Visit> {
  const [key, body] = "key" in at ? [at.key, {}] : ["oidc", { org: at.handle, source: at.slug }];
  const path = `/api/v1/auth/sso/${key}/link/start`;
  const begun = await change(api, browser, "POST", path, body);
  if (begun.status !== 200)
    return { url: path, status: begun.status, headers: new Headers(), text: JSON.stringify(begun.body) };
  const { stopAt } = options;
  const url = new URL(begun.body.authorization_url);
  if (stopAt?.(url)) return { url: url.href, status: 0, headers: new Headers(), text: "" };
  return browser.visit(url.href, options);
}

/** Linked, with the person's word. */
export async function linkAt(api: PeopleApi, browser: Browser, at: TestSource | { key: string }): Promise<Visit> {
  const page = await beginLink(api, browser, at);
  return page.status === 200 ? agree(api, browser, page) : page;
}

/** A membership that a rule of another day gave, and that ends by itself. */
export async function addPassingMember(api: PeopleApi, orgId: string, userId: string): Promise<void> {
  await api.database.sql`insert into memberships (org_id, user_id, source, expires_at)
    values (${orgId}, ${userId}, 'identity_source', svc_now() + interval '1 day')`;
}
