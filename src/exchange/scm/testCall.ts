/** A person asks an integration's host for one repository now: do its credentials work, and do they show it? */
import { sql } from "drizzle-orm";
import { repositoryKey } from "../../core/stacks/repositoryUrl.ts";
import type { stacks } from "../../core/stacks/schema.ts";
import type { Subject } from "../../http/principal.ts";
import { recordAudit } from "../../people/audit/record.ts";
import type { Db } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import { HostError, type HostFailure } from "./host/errors.ts";
import { type Hosts, servesHost } from "./host/hosts.ts";
import type { RepositoryHost } from "./host/repositoryHost.ts";
import type { WebhookFinding } from "./host/webhooks.ts";
import type { HostKind } from "./hostKind.ts";
import { integrationsInOrder } from "./integrations.ts";
import type { IntegrationRow } from "./schema.ts";
import { firstMatch } from "./urlPattern.ts";

export type TestCall = { ok: boolean; repository: string; reason: string | null; webhook: WebhookFinding | null };

/**
 * Ask the host of the integration that `authorizeIntegration(..., "update")` gave.
 * @param address a repository it serves; one of a stack when left out @throws InvalidValueError, DecryptionError
 */
export async function testCall(
  db: Db,
  hosts: Hosts,
  { id, kind }: Subject,
  integration: IntegrationRow,
  address: string | undefined,
): Promise<TestCall> {
  const repository = repositoryKey(await servedAddress(db, integration, address));
  const { orgId } = integration;
  const details = { repository };
  const actor = { id, kind };
  await recordAudit(db, { orgId, actor, action: "scm_integration.test", resourceId: integration.id, details });
  try {
    const webhook = await hosts.asking(integration, repository, async (client) => {
      await assertShown(client, integration.hostKind);
      const path = `/orgs/${orgId}/scm-integrations/${integration.id}/webhook`;
      return withSecret(integration, await client.webhook(path));
    });
    await rememberWebhook(db, integration.id, repository, webhook);
    return { ok: true, repository, reason: null, webhook };
  } catch (error) {
    if (error instanceof HostError) return { ok: false, repository, reason: error.reason, webhook: null };
    throw error;
  }
}

/** What is no repository there may be so because it is another kind of host. @throws HostError */
async function assertShown(client: RepositoryHost, kind: HostKind): Promise<void> {
  const assertKind = async () => {
    const found = await client.kind();
    if (found !== (kind === "github" ? null : kind)) throw new HostError("other_kind");
  };
  try {
    await client.assertVisible();
  } catch (error) {
    if (error instanceof HostError && OF_NO_HOST.has(error.failure)) await assertKind();
    throw error;
  }
  await assertKind();
}

/** What an address says that is not the API of the kind that was asked for. */
const OF_NO_HOST: ReadonlySet<HostFailure> = new Set(["hidden", "not_found", "moved", "unacceptable", "nonsense"]);

/** Whatever the host delivers is refused without one. */
function withSecret({ authConfigSummary }: IntegrationRow, finding: WebhookFinding): WebhookFinding {
  if (authConfigSummary.has_webhook_secret) return finding;
  const state = finding.state === "complete" ? "incomplete" : finding.state;
  return { ...finding, state, missing: [...finding.missing, "webhook_secret of this integration"] };
}

async function rememberWebhook(db: Db, id: string, repository: string, finding: WebhookFinding): Promise<void> {
  await db.execute(sql`
    update scm_integrations set webhook_check = ${JSON.stringify({ repository, ...finding })}::jsonb ||
      jsonb_build_object('at', to_char(svc_now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
    where id = ${id}`);
}

/** @throws InvalidValueError */
async function servedAddress(db: Db, integration: IntegrationRow, address: string | undefined): Promise<string> {
  const inOrder = await integrationsInOrder(db, integration.orgId);
  const served = (url: string) =>
    firstMatch(inOrder, url)?.id === integration.id && servesHost(integration, repositoryKey(url));
  const refused = (message: string) => new InvalidValueError([{ field: "repository_url", message }]);
  if (address !== undefined) {
    if (served(address)) return address;
    throw refused("is not served by this integration: compare its url_pattern, priority and host");
  }
  const rows = await db.execute<SqlRow<typeof stacks, "repository_url">>(sql`
    select distinct repository_url from stacks where org_id = ${integration.orgId} and deleted_at is null order by repository_url`);
  const found = rows.find(({ repository_url }) => served(repository_url));
  if (found === undefined) throw refused("is required: no stack's repository is served by this integration");
  return found.repository_url;
}
