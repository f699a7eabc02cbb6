/** A review is a row that is never changed; the newest of a person counts. */
import { sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/client.ts";
import type { Actor } from "../../work/domainEvent.ts";
import type { Verdict } from "./schema.ts";

type Review = { verdict: Verdict; comment: string | null; planRunId: string | null };

/** Under the lock of the deployment, so that their order is that of the words. */
export async function storeReview(
  tx: Tx,
  { id, org_id, at }: { id: string; org_id: string; at: string },
  reviewer: Actor,
  { verdict, comment, planRunId }: Review,
): Promise<void> {
  await tx.execute(sql`
    insert into deployment_reviews (org_id, deployment_id, plan_run_id, reviewer_id, reviewer_kind, verdict, comment, created_at)
    values (${org_id}, ${id}, ${planRunId}::uuid, ${reviewer.id}, ${reviewer.kind}, ${verdict}, ${comment}::text, ${at}::timestamptz)`);
}
