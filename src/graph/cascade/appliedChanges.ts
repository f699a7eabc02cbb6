/** What an apply changed, out of the analysis that its runner stored. */
import { sql } from "drizzle-orm";
import { type AnalysisRef, readAnalysisFile } from "../../core/runs/analysisFile.ts";
import { DecryptionError } from "../../platform/crypto/wrapping.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { SealedObjects } from "../../platform/objects/sealed.ts";
import type { Changes } from "../analysis/changedParts.ts";
import { inThread, ThreadError } from "../analysis/thread.ts";
import { MAX_ANALYSIS_BYTES } from "../analysis/threadJobs.ts";

/**
 * The changes of the plan that was applied. Null, unknown, when nothing was stored, when it was removed since, and when
 * it cannot be read.
 * @throws StorageUnavailableError
 */
export async function appliedChanges(
  db: Queryable,
  objects: Pick<SealedObjects, "getSealed">,
  deploymentId: string,
): Promise<Changes> {
  const [stored] = await db.execute<AnalysisRef>(sql`
    select a.run_id as "runId", r.completed_at::text as "completedAt", a.object_key as "objectKey", a.size::float8 as size
    from runs r join artifacts a on a.run_id in (r.id, r.plan_run_id) and a.kind = 'analysis'
    where r.deployment_id = ${deploymentId} and r.kind = 'apply_run' and r.status = 'success'
    order by a.run_id = r.id desc limit 1`);
  if (stored === undefined) return null;
  try {
    const file = await readAnalysisFile(objects, stored, MAX_ANALYSIS_BYTES);
    return file && (await inThread("changes", file));
  } catch (error) {
    // What comes of the bytes themselves, never of the store that holds them.
    if (error instanceof DecryptionError || error instanceof ThreadError) return null;
    throw error;
  }
}
