/** Facts that transitions record: ids and enums only (docs/rules/transitions.md#domain-events). */

export type DomainEventName =
  | "deployment_created"
  | "deployment_promoted"
  | "deployment_started"
  | "deployment_waiting_for_confirmation"
  | "policy_evaluation_started"
  | "policy_evaluated"
  | "deployment_policy_denied"
  | "deployment_policy_overridden"
  | "deployment_auto_applied"
  | "deployment_confirmed"
  | "deployment_succeeded"
  | "deployment_failed"
  | "deployment_cancelled"
  | "deployment_skipped"
  | "deployment_auto_skipped"
  | "deployment_cancellation_requested"
  | "deployment_cancellation_acknowledged"
  | "deployment_reviewed"
  | "deployment_broke_glass"
  | "approvals_awaited"
  | "deployment_prioritized"
  | "deployment_deprioritized"
  | "dependent_trigger_failed"
  | "preview_ready"
  | "preview_auto_skipped"
  | "preview_withdrawn"
  | "run_command_executed"
  | "stack_created"
  | "stack_renamed"
  | "stack_held"
  | "stack_released"
  | "stack_deleted"
  | "stack_synced"
  | "state_changed"
  | "scm_sync_failed"
  | "explore_findings_changed"
  | "runner_group_new_address"
  | "drift_check_started"
  | "drift_check_ended"
  | "drift_detected"
  | "drift_resolved"
  | "drift_check_failed"
  | "schedule_missed"
  | "stack_expiring"
  | "stack_expiry_failed"
  | "run_assigned"
  | "run_returned"
  | "run_failed_to_start";

/** `operator` is someone with database access, for the hour when no worker can be reached. */
export const ACTOR_KINDS = ["user", "service_account", "operator"] as const;

/** Who acts. */
export type Actor = { id: string; kind: (typeof ACTOR_KINDS)[number] };

type EventValue = string | number | boolean | null;

export type DomainEvent = {
  id: string;
  orgId: string;
  name: DomainEventName;
  /** Null for what concerns no single stack. */
  stackKey: string | null;
  deploymentId: string | null;
  runId: string | null;
  /** Of a preview: its pull request, for those who tell its workflow. Not stored. */
  preview: { repositoryHash: string; number: number } | null;
  actor: Actor | null;
  /** A report is an object of its own. */
  data: Record<string, EventValue | readonly string[] | Record<string, EventValue>>;
};
