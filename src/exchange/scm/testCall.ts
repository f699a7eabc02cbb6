/** A person asks an integration's host for one repository now: do its credentials work, and do they show it? */
import { sql } from "drizzle-orm";
import { repositoryKey } from "../../core/stacks/repositoryUrl.ts";
import type { stacks } from "../../core/stacks/schema.ts";
import type { Subject } from "../../http/principal.ts";
import { recordAudit } from "../../people/audit/record.ts";
import type { Db } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import { HostError } from "./host/errors.ts";
import { type Hosts, servesHost } from "./host/hosts.ts";
import { integrationsInOrder } from "./integrations.ts";
import type { IntegrationRow } from "./schema.ts";
import { firstMatch } from "./urlPattern.ts";

export type TestCall = { ok: boolean; repository: string; reason: string | null };

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
    await hosts.asking(integration, repository, (calls) => calls.assertVisible());
    return { ok: true, repository, reason: null };
  } catch (error) {
    if (error instanceof HostError) return { ok: false, repository, reason: error.reason };
    throw error;
  }
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
