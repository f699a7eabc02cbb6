/** The source that bindings and access rules stand below. */
import { type SQL, sql } from "drizzle-orm";
import type { Queryable, Tx } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { requireRow, requireUuids } from "../../platform/problems/requireRow.ts";
import type { ProviderKey } from "./provider.ts";
import type { identitySources } from "./schema.ts";

/** The provider of a source of this organization. @throws NotFoundError */
export function assertSourceOf(db: Queryable, orgId: string, sourceId: string): Promise<ProviderKey> {
  return sourceOf(db, orgId, sourceId, sql``);
}

/** The same for a write below it, which nobody who deletes the source at this moment overtakes. */
export function holdSourceOf(tx: Tx, orgId: string, sourceId: string): Promise<ProviderKey> {
  return sourceOf(tx, orgId, sourceId, sql`for key share`);
}

async function sourceOf(db: Queryable, orgId: string, sourceId: string, lock: SQL): Promise<ProviderKey> {
  requireUuids(sourceId);
  const rows = await db.execute<SqlRow<typeof identitySources, "provider_key">>(
    sql`select provider_key from identity_sources where id = ${sourceId} and org_id = ${orgId} ${lock}`,
  );
  return requireRow(rows).provider_key;
}
