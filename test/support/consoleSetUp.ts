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
  await sql`update users set display_name = 'Grace' where id = ${viewer}`;
  await sql`update users set display_name = 'Ada' where id = ${world.user}`;
  return { viewer, operator, group, ...(await configurePeople(world)), ...(await configureExchange(world)) };
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

/** What it is connected with: a code host with its inbox, a chat with what did not arrive, variables for runs. */
async function configureExchange(world: ConsoleWorld) {
  const write = writerOf(world);
  const { sql } = world.api.database;
  const host = await write("/scm-integrations", {
    ...{ name: "git.example", url_pattern: "^https://git\\.example/acme/", api_base_url: "https://git.example/api" },
    auth_config: { kind: "token", token: "not-a-real-token", webhook_secret: "0123456789abcdef" },
  });
  await sql`update scm_integrations set last_failure_at = svc_now(), last_failure = 'The token was refused (401).'
    where id = ${host.id}`;
  await sql`insert into scm_events (org_id, integration_id, external_event_id, kind, repository_key, branch, branch_key, status, attempts, last_error, processed_at)
    values (${world.org}, ${host.id}, 'push-1', 'push_branch_changed', 'git.example/acme/infrastructure', 'main', 'main', 'dead', 8,
      'The repository could not be read.', svc_now())`;
  const chat = await write("/notification-integrations", {
    ...{ name: "chat of the platform team", provider_type: "chat", events: ["deployment_failed", "preview_ready"] },
    ...{ stack_label_selector: { team: "platform" }, auth_config: { url: "https://chat.example/hook", secret: "s" } },
  });
  await sql`insert into notification_deliveries (org_id, integration_id, domain_event_id, event_type, body, status, attempts, last_status, last_error, dead_at)
    values (${world.org}, ${chat.id}, uuidv7(), 'deployment_failed', '{}', 'dead', 12, 503, 'The target answered 503.', svc_now())`;
  const context = await write("/contexts", {
    ...{ name: "production", selector: { env: "prod" } },
    variables: [
      { name: "AWS_REGION", value: "eu-west-1" },
      { name: "DATADOG_API_KEY", value: "not-a-real-key", secret: true },
    ],
  });
  await write("/config/protected-labels", { keys: ["env", "payments"] }, "PUT");
  await world.shown.stack("network-prod", { env: "prod", team: "platform" });
  return { host: host.id as string, chat: chat.id as string, context: context.id as string };
}
