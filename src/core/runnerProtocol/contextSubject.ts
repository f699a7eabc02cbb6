/** Whose run it is and what it works on, as far as what it is given depends on that. */
import { type SQL, sql } from "drizzle-orm";
import { IS_FOREIGN, type Provenance } from "../deployments/provenance.ts";
import type { RunKind } from "../runs/protocol.ts";

/** What a source may decide on. */
export type ContextSubject = {
  orgId: string;
  stackKey: string;
  stackSlug: string;
  deploymentId: string;
  mode: string;
  originType: string;
  provenance: Provenance;
  /**
   * Whether nobody who may write to the repository is known to have put the code there: a fork's, a preview's whose
   * pull request is not known any more, a commit that is not on the branch.
   */
  isForeign: boolean;
  runId: string;
  runKind: RunKind;
  /** When the run has to be over. */
  endsAtMs: number;
  branch: string;
  commitSha: string;
  runnerGroupId: string | null;
  labels: Record<string, string>;
  /** Null when the files were uploaded. */
  repositoryUrl: string | null;
};

/**
 * Over `runs r`, its `deployments d`, their `stacks s` and the `pull_requests q` they are previews of.
 * @param looksAtBranch whether the runner refuses a commit that is not on the branch
 */
export function subjectColumn({
  looksAtBranch,
  maxRunDurationMs,
}: {
  looksAtBranch: boolean;
  maxRunDurationMs: number;
}): SQL {
  return sql`jsonb_build_object('orgId', r.org_id, 'stackKey', s.stack_key, 'stackSlug', s.slug, 'deploymentId', d.id,
    'mode', d.mode, 'originType', d.origin_type, 'provenance', d.provenance,
    'isForeign', ${IS_FOREIGN} or d.provenance = 'unknown' and not ${looksAtBranch}::boolean,
    'runId', r.id, 'runKind', r.kind, 'branch', d.branch, 'commitSha', d.commit_sha, 'runnerGroupId', r.assigned_group_id,
    'endsAtMs', (extract(epoch from coalesce(r.started_at, svc_now())) * 1000)::float8
      + coalesce(s.max_run_duration_ms, ${maxRunDurationMs}::bigint),
    'labels', s.labels, 'repositoryUrl', case when d.local_source_key is null then d.repository_url end)`;
}
