/**
 * Gives a dependent its deployment for a parent's apply: for the cascade and for a person's button alike
 * (docs/rules/graph.md#one-child-for-each-apply). `triggered_deployment_id` is the claim: whoever locks the row first
 * and finds it null creates the child, in a transaction of its own that never touches the parent's lane. So an apply
 * gives each dependent at most one child, whatever is repeated or raced.
 */
import { sql } from "drizzle-orm";
import { inheritMakers } from "../../core/approvals/inheritMakers.ts";
import type { Head } from "../../core/deployments/head.ts";
import { createDeployment } from "../../core/deployments/transitions/create.ts";
import type { stacks } from "../../core/stacks/schema.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import type { Actor } from "../../work/domainEvent.ts";
import type { Work } from "../../work/unitOfWork.ts";
import type { ParentApply } from "./parentApply.ts";

/** Where a dependent's commit comes from; looked up before, since the host is asked outside of the transaction. */
export type DependentSource = SqlRow<typeof stacks, "stack_key" | "org_id" | "repository_url" | "branch">;

export type Triggering = {
  parent: Pick<ParentApply, "id" | "stack_key" | "path">;
  dependent: DependentSource;
  /** The head of the branch that `dependent` names. */
  commit: Head;
  /** Null: the cascade itself, which only triggers what is still open to it. */
  actor: Actor | null;
};

export type Triggered =
  | { outcome: "triggered"; deploymentId: string }
  | {
      outcome: /** It has its child already. */
        | "already_triggered"
        /** Nothing may trigger it, a person neither. */
        | "never"
        /** The stack is deleted, or was made anew under the same id. */
        | "gone"
        /** The stack's repository or branch is another now: the commit has to be looked up again. */
        | "moved"
        /** There is no such row. */
        | "missing"
        /** It is for a person to decide, or it was settled otherwise. */
        | "not_open";
    };

export type StackNow = { repository_url: string; branch: string; created_at: string; deleted_at: string | null };
export type RowNow = {
  trigger: string;
  dependent_stack_created_at: string;
  triggered_deployment_id: string | null;
  skipped_reason: string | null;
  error: string | null;
};

/** In the caller's transaction; locks the dependent's stack, then the snapshot row. @throws nothing of its own */
export async function triggerDependent(work: Work, triggering: Triggering): Promise<Triggered> {
  const { parent, dependent, commit, actor } = triggering;
  const [stack] = await work.tx.execute<StackNow>(sql`
    select repository_url, branch, created_at, deleted_at from stacks where stack_key = ${dependent.stack_key} for no key update`);
  const [row] = await work.tx.execute<RowNow>(sql`
    select trigger, dependent_stack_created_at, triggered_deployment_id, skipped_reason, error from dependent_triggers
    where parent_deployment_id = ${parent.id} and dependent_stack_key = ${dependent.stack_key} for update`);
  const refused = refusalOf(stack, row, triggering);
  if (refused !== null) return { outcome: refused };
  const { id } = await createDeployment(work, {
    stackKey: dependent.stack_key,
    mode: "plan",
    source: { asked: { repository_url: dependent.repository_url, branch: dependent.branch } },
    commitSha: commit.sha,
    commitMessage: commit.message,
    commitAuthor: commit.author,
    originType: "dependency",
    provenance: "branch",
    dependency: { deploymentId: parent.id, stackPath: [...parent.path, parent.stack_key] },
    actor,
  });
  await inheritMakers(work.tx, parent.id, id, true);
  await work.tx.execute(sql`
    update dependent_triggers set triggered_deployment_id = ${id}, skipped_reason = null, error = null, problem = null, updated_at = svc_now()
    where parent_deployment_id = ${parent.id} and dependent_stack_key = ${dependent.stack_key}`);
  return { outcome: "triggered", deploymentId: id };
}

/** Why a dependent cannot be triggered, by the rows as they are under their locks; null when it can. Pure. */
export function refusalOf(
  stack: StackNow | undefined,
  row: RowNow | undefined,
  { dependent, actor }: Pick<Triggering, "dependent" | "actor">,
): Exclude<Triggered["outcome"], "triggered"> | null {
  if (row === undefined) return "missing";
  if (row.triggered_deployment_id !== null) return "already_triggered";
  if (row.trigger === "never") return "never";
  if (actor === null && (row.trigger !== "always" || row.skipped_reason !== null || row.error !== null))
    return "not_open";
  // Both are written by Postgres, to the microsecond.
  const same = stack?.created_at === row.dependent_stack_created_at && stack.deleted_at === null;
  if (!same) return "gone";
  return stack.repository_url === dependent.repository_url && stack.branch === dependent.branch ? null : "moved";
}
