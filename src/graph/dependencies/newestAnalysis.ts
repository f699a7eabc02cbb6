/**
 * The run that a stack's edges come from: of the lane deployment that finished last, the run that finished it; also
 * when it left no analysis, so that what is shown as unknown is unknown.
 */
import { sql } from "drizzle-orm";
import { readAnalysisFile } from "../../core/runs/analysisFile.ts";
import { DecryptionError } from "../../platform/crypto/wrapping.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { SealedObjects } from "../../platform/objects/sealed.ts";
import { inThread, ThreadError } from "../analysis/thread.ts";
import { type AnalysisRows, MAX_ANALYSIS_BYTES } from "../analysis/threadJobs.ts";

export type AnalysisRun = {
  runId: string;
  completedAt: string;
  /** Null: the run stored none, or it was removed since. */
  artifact: { objectKey: string; size: number } | null;
};

/** Null: nothing was ever applied. By the index `deployments_finished_by_stack`. */
export async function newestAnalysisRun(db: Queryable, stackKey: string): Promise<AnalysisRun | null> {
  const [row] = await db.execute<AnalysisRun>(sql`
    select r.id as "runId", r.completed_at::text as "completedAt",
      case when a.run_id is not null then jsonb_build_object('objectKey', a.object_key, 'size', a.size) end as artifact
    from (
      select id from deployments
      where stack_key = ${stackKey}::uuid and status = 'finished' and mode in ('plan', 'destroy', 'refresh')
      order by completed_at desc, id desc limit 1
    ) d
    cross join lateral (
      select id, completed_at from runs where deployment_id = d.id and status = 'success'
      order by completed_at desc, id desc limit 1
    ) r
    left join artifacts a on a.run_id = r.id and a.kind = 'analysis'`);
  return row ?? null;
}

export type ReadAnalysis = { rows: AnalysisRows; problem: null } | { rows: null; problem: string };

/**
 * What the analysis says, read in a thread. A file that is gone or unreadable stays so, hence a problem and no error.
 * @throws StorageUnavailableError
 */
export async function readAnalysisOf(
  objects: Pick<SealedObjects, "getSealed">,
  { runId, completedAt, artifact }: AnalysisRun,
): Promise<ReadAnalysis> {
  const unknown = (problem: string) => ({ rows: null, problem });
  if (artifact === null) return unknown("The run stored no analysis, or it has been removed since.");
  if (artifact.size > MAX_ANALYSIS_BYTES) return unknown("The run's analysis is too large.");
  try {
    const file = await readAnalysisFile(objects, { runId, completedAt, ...artifact }, MAX_ANALYSIS_BYTES);
    if (file === null) return unknown("The run's analysis has been removed.");
    return { rows: await inThread("analysis", file), problem: null };
  } catch (error) {
    if (error instanceof DecryptionError) return unknown("The run's stored analysis cannot be opened.");
    // The message may quote the file.
    if (error instanceof ThreadError) return unknown("The run's analysis cannot be read.");
    throw error;
  }
}
