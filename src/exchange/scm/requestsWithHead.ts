/** Which open pull requests have a commit as their head, as stored: for hosts that tell of a commit's checks alone. */
import { sql } from "drizzle-orm";
import type { pullRequests } from "../../core/pullRequests/schema.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import type { Repository } from "./inbox.ts";
import type { Delivery, NormalizedEvent } from "./normalize.ts";

/** A commit is the head of a few requests. */
const MOST = 50;

export async function requestsWithHead(
  db: Queryable,
  { orgId, repositoryKey }: Repository,
  { externalId, sha }: NonNullable<Delivery["checked"]>,
): Promise<NormalizedEvent[]> {
  const rows = await db.execute<SqlRow<typeof pullRequests, "number" | "base_branch">>(sql`
    select number, base_branch from pull_requests
    where org_id = ${orgId} and repository_key = ${repositoryKey} and head_sha = ${sha} order by number limit ${MOST}`);
  return rows.map(({ number, base_branch: branch }) => ({
    externalId: `${externalId}-pr${number}`,
    kind: "pr_changed",
    branch,
    prNumber: number,
    before: null,
    after: null,
  }));
}
