/** Identity sources with groups and what they confer: what those tests begin with. */
import type { Subject } from "../../src/http/principal.ts";
import { authorize } from "../../src/people/authorization/authorize.ts";
import type { Answer, Grant } from "./peopleApi.ts";
import { peopleTest } from "./test.ts";

export const GONE = "01a1f77a-0000-7000-8000-00000000dead";
export const fields = (answer: Answer) => answer.body.errors?.map((error: { field: string }) => error.field);

/** The question a sign-in answered; the empty strings are those of a platform-wide provider. */
type Asked = { provider_key: string; issuer: string; client_id: string; groups_claim: string };
export const CODEHOST: Asked = { provider_key: "codehost", issuer: "", client_id: "", groups_claim: "" };
export const OIDC: Asked = {
  provider_key: "oidc",
  issuer: "https://idp.example",
  client_id: "app",
  groups_claim: "groups",
};
let made = 0;

export const test = peopleTest().extend("world", { scope: "file" }, async ({ api }) => {
  const org = await api.makeOrg();
  const admin = (await api.makeAccount(org, [["*", "*"]])).token;
  const holding = async (grants: Grant[], of = org) => (await api.makeAccount(of, grants)).token;
  const roleOf = async (grants: Grant[], of = org) => (await api.makeAccount(of, grants)).roleId;

  async function source(asked: Asked, of = org): Promise<string> {
    const [row] = await api.database.sql`
      insert into identity_sources (org_id, provider_key, source_slug, display_name, oidc_issuer, oidc_client_id, oidc_groups_claim)
      values (${of}, ${asked.provider_key}, ${`s${++made}`}, 'S', ${asked.issuer}, ${asked.client_id}, ${asked.groups_claim})
      returning id`;
    return row?.id;
  }

  async function bind(sourceId: string, group: string, roleIds: string[]): Promise<void> {
    const { sql } = api.database;
    const [row] =
      await sql`insert into group_role_bindings (identity_source_id, group_key) values (${sourceId}, ${group}) returning id`;
    for (const roleId of roleIds) await sql`insert into group_role_binding_roles values (${row?.id}, ${roleId})`;
  }

  async function entitle(user: string, asked: Asked, group: string, ends = "1 hour"): Promise<void> {
    await api.database.sql`
      insert into external_entitlements (user_id, provider_key, issuer, client_id, groups_claim, group_key, expires_at)
      values (${user}, ${asked.provider_key}, ${asked.issuer}, ${asked.client_id}, ${asked.groups_claim}, ${group}, svc_now() + ${ends}::interval)`;
  }

  async function member(of = org): Promise<string> {
    const { user } = await api.makeUser();
    await api.database.sql`insert into memberships (org_id, user_id) values (${of}, ${user})`;
    return user;
  }
  const may = async (user: string, more: { resourceId?: string; resourceGroups?: string[] } = {}, orgId = org) => {
    const subject: Subject = { kind: "user", id: user };
    const on = { resourceId: "network", ...more };
    return (await authorize(api.database.db, subject, { orgId, type: "stack", action: "read", ...on })).granted;
  };
  const bindings = (id: string, of = org) => `/api/v1/orgs/${of}/identity-sources/${id}/bindings`;
  const post = (id: string, body: object, token = admin) => api.call("POST", bindings(id), { token, body });
  const rules = (id: string, of = org) => `/api/v1/orgs/${of}/identity-sources/${id}/access-rules`;
  const postRule = (id: string, body: object, token = admin) => api.call("POST", rules(id), { token, body });

  return { holding, roleOf, source, bind, entitle, member, may, bindings, post, rules, postRule, org, admin };
});
