/** What a check compares with: what was applied last, as a deployment of the stack keeps it. */
import { sql } from "drizzle-orm";
import type { Work } from "../../work/unitOfWork.ts";
import type { LaneDeployment } from "../deployments/lane.ts";
import { APPLIED_PROVENANCE } from "../deployments/provenance.ts";
import type { Snapshot } from "../deployments/transitions/create.ts";

export type Base = Snapshot &
  Pick<LaneDeployment, "id" | "mode" | "provenance" | "commit_sha"> & {
    commit_message: string | null;
    commit_author: string | null;
  };

/**
 * Null: nothing was applied, or all of it was destroyed; where some was, the rest is still there. By the index
 * `deployments_finished_by_stack`.
 */
export async function readBase({ tx }: Pick<Work, "tx">, stackKey: string): Promise<Base | null> {
  const [row] = await tx.execute<Base & { emptied: boolean }>(sql`
    select d.id, d.mode, d.mode = 'destroy' and not exists (
        select from runs r where r.deployment_id = d.id and (r.targets <> '{}' or r.excludes <> '{}')) as emptied,
      d.repository_url, d.branch, d.working_directory, d.tool, d.tool_version, d.hooks, ${APPLIED_PROVENANCE} as provenance,
      d.commit_sha, d.commit_message, d.commit_author
    from deployments d where d.stack_key = ${stackKey} and d.status = 'finished' and d.mode in ('plan', 'destroy', 'refresh')
    order by d.completed_at desc, d.id desc limit 1`);
  return row === undefined || row.emptied ? null : row;
}

/** The same commit again, with nobody asking for it. */
export function again({ commit_sha, commit_message, commit_author }: Base) {
  return {
    originType: "drift" as const,
    commitSha: commit_sha,
    commitMessage: commit_message,
    commitAuthor: commit_author,
    actor: null,
  };
}
