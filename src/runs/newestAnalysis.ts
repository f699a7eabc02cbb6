/**
 * The newest run whose analysis counts for a stack: of a deployment in the lane that finished, so that its files say what
 * is. Previews, local plans and raw commands never do.
 */
import { sql } from "drizzle-orm";
import type { Queryable } from "../db/client.ts";
import type { SealedObjects } from "../objects/sealed.ts";
import { artifactPlace } from "./storedPlaces.ts";

export type AnalysisRef = {
  runId: string;
  /** Exact text of the deployment's end. */
  completedAt: string;
  objectKey: string;
  size: number;
};

/** Modes of deployments whose end says what the stack is. */
export const ANALYZED_MODES: readonly string[] = ["plan", "destroy", "refresh"];

/** Null when no such run has stored one, or it is past its retention. Over `deployments_finished_by_stack`. */
export async function newestAnalysis(db: Queryable, stackKey: string): Promise<AnalysisRef | null> {
  const [row] = (await db.execute(sql`
    select r.id as "runId", d.completed_at::text as "completedAt", a.object_key as "objectKey", a.size::float8 as size
    from deployments d
    cross join lateral (
      select st.run_id from stages st where st.deployment_id = d.id and st.run_id is not null
      order by st.position desc limit 1) last
    join runs r on r.id = last.run_id and r.status = 'success'
    join artifacts a on a.run_id = r.id and a.kind = 'analysis'
    where d.stack_key = ${stackKey} and d.status = 'finished' and d.mode in ('plan', 'destroy', 'refresh')
    order by d.completed_at desc, d.id desc limit 1`)) as unknown as AnalysisRef[];
  return row ?? null;
}

/** The whole file as it was uploaded, perhaps gzipped; null when it is gone or larger than `maxBytes`. */
export async function readAnalysisFile(
  objects: Pick<SealedObjects, "getSealed">,
  { runId, objectKey, size }: AnalysisRef,
  maxBytes: number,
): Promise<Buffer | null> {
  if (size > maxBytes) return null;
  const body = await objects.getSealed(objectKey, artifactPlace(runId, "analysis"));
  if (body === null) return null;
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
