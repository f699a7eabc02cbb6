/** Two organizations with one of everything, and everybody who might call. */
import { randomUUID } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import { sealAuth } from "../../src/exchange/notifications/authConfig.ts";
import { makeUserCode } from "../../src/people/devices/userCode.ts";
import { ACTOR, create } from "./fixtures.ts";
import type { Caller, Grant, PeopleApi } from "./peopleApi.ts";
import { groupToken, makeGroup, runner } from "./runnerApi.ts";

/** The ids of one organization's resources, by the name of the path parameter. */
export type Ids = Record<string, string>;
export type World = { own: Ids; other: Ids; missing: Ids };

const MISSING = "01a1f77a-0000-7000-8000-00000000dead";

export async function makeWorld(api: PeopleApi): Promise<World> {
  const own = await everything(api);
  const missing = Object.fromEntries(Object.keys(own).map((key) => [key, MISSING]));
  return {
    own,
    other: await everything(api),
    missing: { ...missing, number: "999999", stack_id: "not-there", dependent_stack_id: "not-there" },
  };
}

export async function everything(api: PeopleApi): Promise<Ids> {
  const { sql } = api.database;
  const org = await api.makeOrg();
  await sql`update organizations set max_users = 100000 where id = ${org}`;
  const { user } = await api.makeUser({ orgs: [org] });
  const account = await api.makeAccount(org, []);
  const slug = `there-${randomUUID().slice(0, 8)}`;
  const row = async (query: Promise<readonly Record<string, unknown>[]>) =>
    Object.values((await query)[0]!)[0] as string;
  const stack = await row(sql`insert into stacks (org_id, slug, name, repository_url, repository_key, branch)
    values (${org}, ${slug}, ${slug}, 'https://git.example/r', 'git.example/r', 'main') returning stack_key`);
  const deployment = await create(api.service, stack, { actor: ACTOR });
  const below = `below-${randomUUID().slice(0, 8)}`;
  const dependent = await row(sql`insert into stacks (org_id, slug, name, repository_url, repository_key, branch)
    values (${org}, ${below}, ${below}, 'https://git.example/b', 'git.example/b', 'main') returning stack_key`);
  await sql`insert into dependent_triggers (parent_deployment_id, dependent_stack_key, org_id, dependent_stack_created_at, trigger,
      evidence, skipped_reason, due_at)
    select ${deployment}, stack_key, org_id, created_at, 'never', 'declared', 'never_trigger', created_at from stacks where stack_key = ${dependent}`;
  await sql`insert into cloud_integrations (stack_key, provider_type, service_account_email)
    values (${stack}, 'cloud_b', 'deploy@acme.iam.gserviceaccount.com')`;
  const group = await makeGroup(api.database, org);
  const spare = await row(sql`insert into roles (org_id, name) values (${org}, 'spare') returning id`);
  const source = await row(sql`insert into identity_sources (org_id, provider_key, source_slug, display_name)
    values (${org}, 'codehost', 'c', 'c') returning id`);
  const integration = await row(
    sql`insert into scm_integrations (org_id, name, url_pattern) values (${org}, 'h', '^x') returning id`,
  );
  const policy = await row(sql`insert into policies (org_id, name, enforcement, selector, modes, version, last_version)
    values (${org}, 'p', 'shadow', '{"policed": "yes"}', '{plan}', 1, 1) returning id`);
  await sql`insert into policy_versions (policy_id, version, kind, digest, rules, created_by, created_by_kind)
    values (${policy}, 1, 'rules', 'd', '{"protected_types": ["db"], "max_destroys": null, "windows": null, "attention": []}', ${user}, 'user')`;
  const told = uuidv7();
  const sealed = await sealAuth(api.keyring, told, { url: "http://127.0.0.1:9/" });
  await sql`insert into notification_integrations (id, org_id, name, provider_type, events, auth_config)
    values (${told}, ${org}, 'n', 'webhook', '{}', ${sealed})`;
  return {
    org_id: org,
    user_id: user,
    session_id: await row(sql`insert into sessions (user_id, token_sha256, csrf_sha256, expires_at)
      values (${user}, sha256(${Buffer.from(user)}), sha256('-'), svc_now() + interval '1 hour') returning id`),
    identity_id: await row(sql`insert into user_identities (provider_key, issuer, subject, user_id)
      values ('codehost', 'https://git.example', ${user}, ${user}) returning id`),
    account_id: account.id,
    token_id: await row(sql`select id from service_account_tokens where service_account_id = ${account.id}`),
    role_id: account.roleId,
    assignment_id: await row(sql`insert into role_assignments (org_id, role_id, user_id)
      values (${org}, ${spare}, ${user}) returning id`),
    invitation_id: await row(sql`insert into invitations (org_id, provider_key, login, expires_at)
      values (${org}, 'codehost', 'guest', svc_now() + interval '1 day') returning id`),
    source_id: source,
    binding_id: await row(
      sql`insert into group_role_bindings (identity_source_id, group_key) values (${source}, 'g') returning id`,
    ),
    rule_id: await row(sql`insert into access_rules (identity_source_id, rule_type, rule)
      values (${source}, 'codehost_org', '{"org": "x"}') returning id`),
    proof_id: await row(sql`insert into organization_proofs (org_id, kind, name, token)
      values (${org}, 'domain', 'acme.example', 't') returning id`),
    offer_id: await row(sql`insert into membership_offers (org_id, user_id, source, expires_at)
      values (${org}, ${user}, 'manual', svc_now() + interval '1 day') returning id`),
    user_code:
      await row(sql`insert into device_logins (device_code_sha256, user_code, client_name, host_name, address, expires_at)
      values (sha256(${Buffer.from(user)}), ${makeUserCode()}, 'deploy', 'laptop', '192.0.2.1', svc_now() + interval '10 minutes') returning user_code`),
    context_id: await row(sql`insert into contexts (org_id, name) values (${org}, 'c') returning id`),
    policy_id: policy,
    version: "1",
    exemption_id:
      await row(sql`insert into policy_exemptions (policy_id, stack_key, reason, ends_at, created_by, created_by_kind)
      values (${policy}, ${stack}, 'r', svc_now() + interval '1 day', ${user}, 'user') returning id`),
    approval_rule_id:
      await row(sql`insert into approval_rules (org_id, name, selector, modes, previews, destructive, count, approvers)
      values (${org}, 'a', '{"never": "matched"}', '{plan}', false, false, 1, '{"roles": [], "groups": [], "service_accounts": []}') returning id`),
    schedule_id: await row(sql`insert into drift_schedules (org_id, name, selector, policy)
      values (${org}, 'd', '{}', '{"enabled": false, "interval": "P1D", "reconcile": "off"}') returning id`),
    stack_schedule_id: await row(sql`insert into schedules (org_id, stack_key, name, mode, cron, paused)
      select org_id, stack_key, 's', 'plan', '0 3 * * *', true from stacks where org_id = ${org} and slug = ${slug} returning id`),
    selector_schedule_id: await row(sql`insert into schedules (org_id, selector, name, mode, cron, paused)
      values (${org}, '{}', 's', 'plan', '0 3 * * *', true) returning id`),
    stack_id: slug,
    provider_type: "cloud_b",
    dependent_stack_id: below,
    id: deployment,
    number: "1",
    group_id: group.id,
    runner_id: await row(sql`insert into runners (org_id, group_id, run_id, claim_seq)
      select ${org}, ${group.id}, id, 7 from runs where deployment_id = ${deployment} returning id`),
    integration_id: integration,
    event_id:
      await row(sql`insert into scm_events (org_id, integration_id, external_event_id, kind, repository_key, branch, status)
      values (${org}, ${integration}, 'e', 'push_branch_changed', 'git.example/r', 'main', 'failed') returning id`),
    notification_integration_id: told,
    delivery_id:
      await row(sql`insert into notification_deliveries (org_id, integration_id, domain_event_id, event_type, body, status, dead_at)
      values (${org}, ${told}, ${randomUUID()}, 'stack_created', '{}', 'dead', svc_now()) returning id`),
    handle: "nowhere",
    slug: "nothing",
    provider_key: "codehost",
  };
}

/** Tokens of a coordinator and of a runner of the organization, which no people's route takes. */
export async function machineCallers(api: PeopleApi, { org_id, id }: Ids): Promise<{ group: Caller; runner: Caller }> {
  const group = await makeGroup(api.database, org_id!);
  const [run] = await api.database.sql`select id from runs where deployment_id = ${id!}`;
  const one = await runner({ base: api.baseUrl }, group, { run_id: run?.id, runner_id: randomUUID() });
  return { group: { token: await groupToken(group) }, runner: { token: one.authorization.slice("Bearer ".length) } };
}

/** A personal token bound to the other organization, of somebody who may do everything in both. */
export async function otherToken(api: PeopleApi, { own, other }: World): Promise<Caller> {
  const { user } = await api.makeUser({ orgs: [own.org_id!, other.org_id!], grants: [["*", "*"]] });
  const made = await api.call("POST", "/api/v1/me/tokens", { user, body: { name: "t", org_id: other.org_id } });
  return { token: made.body.token };
}

/** Service accounts of the organization that hold exactly these pairs. */
export function accounts(api: PeopleApi, orgId: string): (pairs: readonly string[]) => Promise<Caller> {
  return made(async (grants) => ({ token: (await api.makeAccount(orgId, grants)).token }));
}

/** Members that hold exactly these pairs. */
export function members(api: PeopleApi, orgId: string): (pairs: readonly string[]) => Promise<Caller> {
  return made((grants) => api.makeUser({ orgs: [orgId], grants }));
}

/** Each set of pairs once, when it is first asked for. */
function made(make: (grants: Grant[]) => Promise<Caller>): (pairs: readonly string[]) => Promise<Caller> {
  const callers = new Map<string, Promise<Caller>>();
  return (pairs) => {
    const key = [...pairs].sort().join();
    if (!callers.has(key)) callers.set(key, make(pairs.map((pair) => pair.split(":") as unknown as Grant)));
    return callers.get(key)!;
  };
}
