/** A stack as people see it. */
import * as v from "valibot";
import { Duration, duration, Id, Labels, pageOf, Time } from "../../http/answerFields.ts";
import { ActorAnswer } from "../../people/actors/actor.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import { Hooks } from "../runs/protocol.ts";
import { AUTO_APPROVE_MODES, PR_CONDITIONS, PR_PLAN_MODES, STATE_MODES, type StackRow, TOOLS } from "./schema.ts";

export const STACK_ACTIONS = [
  "plan",
  "destroy",
  "refresh",
  "plan_unlocked",
  "raw",
  "local",
  "update",
  "hold",
  "release",
  "delete",
] as const;
export type StackAction = (typeof STACK_ACTIONS)[number];

const Conditions = v.optional(v.array(v.picklist(PR_CONDITIONS)));
const PrRequirements = v.object({ plan: Conditions, promote: Conditions });

export const Stack = v.pipe(
  v.object({
    id: v.string(),
    org_id: Id,
    name: v.string(),
    repository_url: v.string(),
    branch: v.string(),
    working_directory: v.string(),
    tool: v.picklist(TOOLS),
    tool_version: v.nullable(v.string()),
    labels: Labels,
    authz_groups: v.array(v.string()),
    pr_plan_mode: v.picklist(PR_PLAN_MODES),
    auto_approve_mode: v.picklist(AUTO_APPROVE_MODES),
    state_mode: v.picklist(STATE_MODES),
    deploy_on_push: v.boolean(),
    fork_previews: v.boolean(),
    preview_runner_labels: v.nullable(Labels),
    fork_runner_labels: v.nullable(Labels),
    pr_requirements: PrRequirements,
    hooks: Hooks,
    queued_timeout: v.nullable(Duration),
    confirmation_timeout: v.nullable(Duration),
    supersede_age: v.nullable(Duration),
    max_run_duration: v.nullable(Duration),
    held_at: v.nullable(Time),
    held_by: v.nullable(v.string()),
    held_by_actor: v.nullable(ActorAnswer),
    hold_reason: v.nullable(v.string()),
    expires_at: v.pipe(
      v.nullable(Time),
      v.metadata({ description: "When it is destroyed and deleted by itself; null: never" }),
    ),
    latest_deployment_id: v.nullable(Id),
    latest_deployment_status: v.nullable(v.string()),
    latest_deployment_mode: v.nullable(v.string()),
    latest_deployment_commit_sha: v.nullable(v.string()),
    latest_deployment_created_at: v.nullable(Time),
    latest_deployment_completed_at: v.nullable(Time),
    created_at: Time,
    updated_at: Time,
    allowed_actions: v.pipe(
      v.array(v.picklist(STACK_ACTIONS)),
      v.metadata({ description: "What the caller may do with it now; the first five are modes of a new deployment" }),
    ),
  }),
  v.metadata({ ref: "Stack" }),
);
export const StackPage = v.pipe(pageOf(Stack), v.metadata({ ref: "StackPage" }));

/** What an answer says of a stack besides its row. */
export type StackView = Pick<v.InferOutput<typeof Stack>, "held_by_actor" | "allowed_actions">;

export function stackAnswer(row: StackRow, view: StackView): v.InferInput<typeof Stack> {
  return {
    id: row.slug,
    org_id: row.orgId,
    name: row.name,
    repository_url: row.repositoryUrl,
    branch: row.branch,
    working_directory: row.workingDirectory,
    tool: row.tool,
    tool_version: row.toolVersion,
    labels: row.labels,
    authz_groups: row.authzGroups,
    pr_plan_mode: row.prPlanMode,
    auto_approve_mode: row.autoApproveMode,
    state_mode: row.stateMode,
    deploy_on_push: row.deployOnPush,
    fork_previews: row.forkPreviews,
    preview_runner_labels: row.previewRunnerLabels,
    fork_runner_labels: row.forkRunnerLabels,
    pr_requirements: row.prRequirements,
    hooks: row.hooks,
    queued_timeout: duration(row.queuedTimeoutMs),
    confirmation_timeout: duration(row.confirmationTimeoutMs),
    supersede_age: duration(row.supersedeAgeMs),
    max_run_duration: duration(row.maxRunDurationMs),
    held_at: rfc3339(row.heldAt),
    held_by: row.heldBy,
    held_by_actor: view.held_by_actor,
    hold_reason: row.holdReason,
    expires_at: rfc3339(row.expiresAt),
    latest_deployment_id: row.latestDeploymentId,
    latest_deployment_status: row.latestDeploymentStatus,
    latest_deployment_mode: row.latestDeploymentMode,
    latest_deployment_commit_sha: row.latestDeploymentCommitSha,
    latest_deployment_created_at: rfc3339(row.latestDeploymentCreatedAt),
    latest_deployment_completed_at: rfc3339(row.latestDeploymentCompletedAt),
    created_at: rfc3339(row.createdAt),
    updated_at: rfc3339(row.updatedAt),
    allowed_actions: view.allowed_actions,
  };
}
