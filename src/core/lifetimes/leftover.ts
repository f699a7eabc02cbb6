/** What was worked with last on a stack: the source of its destroy, and whether anything can be left of it. */
import { sql } from "drizzle-orm";
import type { Work } from "../../work/unitOfWork.ts";
import type { LaneDeployment } from "../deployments/lane.ts";
import { APPLIED_PROVENANCE } from "../deployments/provenance.ts";
import type { Snapshot } from "../deployments/transitions/create.ts";

export type Worked = Snapshot &
  Pick<LaneDeployment, "provenance" | "commit_sha" | "mode" | "status"> & {
    commit_message: string | null;
    commit_author: string | null;
    /** It took only some of the resources. */
    partial: boolean;
  };

/**
 * The last deployment that has finished, or failed with an apply or a command begun; null: nothing was ever done. By
 * the rows of deployments, which stay, and not by a state, which may be kept elsewhere.
 */
export async function readLastWorked({ tx }: Pick<Work, "tx">, stackKey: string): Promise<Worked | null> {
  const [row] = await tx.execute<Worked>(sql`
    select d.mode, d.status, d.repository_url, d.branch, d.working_directory, d.tool, d.tool_version, d.hooks,
      ${APPLIED_PROVENANCE} as provenance, d.commit_sha,
      d.commit_message, d.commit_author,
      exists (select from runs r where r.deployment_id = d.id and (r.targets <> '{}' or r.excludes <> '{}')) as partial
    from deployments d where d.stack_key = ${stackKey} and d.mode in ('plan', 'destroy', 'refresh', 'raw')
      and (d.status = 'finished' or exists (
        select from runs r where r.deployment_id = d.id and r.kind in ('apply_run', 'raw_run') and r.started_at is not null))
    order by d.completed_at desc nulls first, d.id desc limit 1`);
  return row ?? null;
}

/** Pure. Only a destroy of everything that went to its end leaves nothing. */
export function isLeftover(last: Pick<Worked, "mode" | "status" | "partial"> | null): boolean {
  return last !== null && !(last.mode === "destroy" && last.status === "finished" && !last.partial);
}
