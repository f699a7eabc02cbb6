/** An organization with an integration to a scripted host, and the product's way to that host. */
import { randomBytes } from "node:crypto";
import ipaddr from "ipaddr.js";
import { v7 as uuidv7 } from "uuid";
import { type AuthConfig, sealAuth, summaryOf } from "../../src/exchange/scm/authConfig.ts";
import { type Hosts, openHosts } from "../../src/exchange/scm/host/hosts.ts";
import type { HostKind } from "../../src/exchange/scm/hostKind.ts";
import type { IntegrationRow } from "../../src/exchange/scm/schema.ts";
import { createKeyring, type Keyring } from "../../src/platform/crypto/keyring.ts";
import { createEgress, type Egress } from "../../src/platform/egress/egress.ts";
import type { RetryPolicy } from "../../src/platform/time/pause.ts";
import type { TestDatabase } from "./database.ts";
import { makeStack } from "./fixtures.ts";

export const POLICY: RetryPolicy = { maxAttempts: 3, firstPauseMs: 1_000 };

/** Calls may reach this machine and nothing else. */
function loopbackEgress(): Egress {
  return createEgress({ allow: [{ address: ipaddr.parse("127.0.0.1"), prefix: 32, port: undefined }], ports: [443] });
}

export type TestHosts = { keyring: Keyring; egress: Egress; hosts: Hosts };

export function testHosts(
  timeoutMs = 2_000,
  keyring: Keyring = createKeyring({ provider: "aes-256", key: randomBytes(32), previousKeys: [] }),
): TestHosts {
  const egress = loopbackEgress();
  return { keyring, egress, hosts: openHosts({ egress, keyring, timeoutMs }) };
}

/** What an integration needs of a host: GitHub's scripted one, or a stand-in of any kind. */
export type IntegratedHost = { kind?: HostKind; apiUrl: string; token: string; webhookSecret: string };

export async function makeIntegration(
  { sql }: TestDatabase,
  keyring: Keyring,
  orgId: string,
  host: IntegratedHost,
  choices: { auth?: AuthConfig; urlPattern?: string; priority?: number } = {},
): Promise<IntegrationRow> {
  const id = uuidv7();
  const auth = choices.auth ?? { kind: "token", token: host.token, webhook_secret: host.webhookSecret };
  const row = {
    id,
    org_id: orgId,
    name: `host-${id}`,
    host_kind: host.kind ?? "github",
    url_pattern: choices.urlPattern ?? "/acme/",
    priority: choices.priority ?? 100,
    api_base_url: host.apiUrl,
    auth_config: await sealAuth(keyring, id, auth),
  };
  await sql`insert into scm_integrations ${sql({ ...row, auth_config_summary: sql.json(summaryOf(auth)) })}`;
  const [stored] = await sql`
    select id, org_id as "orgId", name, host_kind as "hostKind", url_pattern as "urlPattern", priority, api_base_url as "apiBaseUrl", host_names as "hostNames", auth_config as "authConfig",
      auth_config_summary as "authConfigSummary", updated_at::text as "updatedAt", created_at::text as "createdAt"
    from scm_integrations where id = ${id}`;
  return stored as unknown as IntegrationRow;
}

/** A stack of the host's repository. */
export function hostStack(
  database: TestDatabase,
  orgId: string,
  host: { repositoryUrl: string },
  settings: object = {},
): Promise<string> {
  return makeStack(database, orgId, { repository_url: host.repositoryUrl, ...settings });
}
