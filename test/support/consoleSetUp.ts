/** An organization that has been set up: what the pages of its set-up show. */
import type { ConsoleWorld } from "./consoleTest.ts";

export type Configured = Awaited<ReturnType<typeof configureOrg>>;

export async function configureOrg(world: ConsoleWorld) {
  const { api, org, shown } = world;
  const { sql } = api.database;
  const { user: viewer } = await api.makeUser({ orgs: [org] });
  await sql`insert into role_assignments (org_id, role_id, user_id)
    select ${org}, id, ${viewer} from roles where org_id is null and name = 'viewer'`;
  const { user: operator } = await api.makeUser({ superAdmin: true });
  const { id: group } = shown.org;
  await sql`update runner_groups set labels = '{"region": "eu", "arch": "arm64"}', runner_version = '0.2.0' where id = ${group}`;
  return { viewer, operator, group, ...(await configurePeople(world)) };
}

/** @returns how an administrator changes something below the organization; what the service answered */
function writerOf({ api, org, user }: ConsoleWorld) {
  return async (path: string, body?: unknown, method = "POST") => {
    const answer = await api.call(method, `/api/v1/orgs/${org}${path}`, { user, body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer.body;
  };
}

async function configurePeople(world: ConsoleWorld) {
  const write = writerOf(world);
  const permission = (resource_type: string, action: string, resource_pattern: string | null = null) => ({
    ...{ resource_type, action, resource_pattern },
  });
  const role = await write("/roles", {
    name: "network team",
    permissions: [permission("stack", "deploy", "network-*"), permission("stack", "read"), permission("context", "*")],
  });
  const account = await write("/service-accounts", { name: "pipeline", role_ids: [role.id] });
  await write(`/service-accounts/${account.id}/tokens`, { name: "nightly" });
  await write("/invitations", { provider_key: "codehost", login: "grace", role_ids: [role.id] });
  await write("/proofs", { kind: "domain", name: "acme.example" });
  const [source] = await world.api.database.sql`
    insert into identity_sources (org_id, provider_key, source_slug, display_name, oidc_issuer, oidc_client_id, oidc_groups_claim)
    values (${world.org}, 'oidc', 'acme', 'Acme sign-in', 'https://id.acme.example', 'deployments', 'groups') returning id`;
  await write(`/identity-sources/${source?.id}/access-rules`, { rule_type: "oidc_group", group: "engineering" });
  await write(`/identity-sources/${source?.id}/bindings`, { group_key: "sre", role_ids: [role.id] });
  return { role: role.id as string, account: account.id as string, source: source?.id as string };
}
