/** The events that integrations can ask for (docs/notifications.md#the-events). A leaf file. */
export const NOTIFIED_EVENTS = [
  "deployment_created",
  "deployment_waiting_for_confirmation",
  "deployment_policy_denied",
  "deployment_policy_overridden",
  "deployment_reviewed",
  "deployment_broke_glass",
  "approvals_awaited",
  "deployment_succeeded",
  "deployment_failed",
  "deployment_cancelled",
  "deployment_skipped",
  "deployment_auto_skipped",
  "run_failed_to_start",
  "run_command_executed",
  "preview_ready",
  "preview_auto_skipped",
  "preview_withdrawn",
  "dependent_trigger_failed",
  "stack_created",
  "stack_deleted",
  "stack_renamed",
  "stack_synced",
  "scm_sync_failed",
  "explore_findings_changed",
  "runner_group_new_address",
  "drift_detected",
  "drift_resolved",
  "drift_check_failed",
  "schedule_missed",
  "stack_expiring",
  "stack_expiry_failed",
] as const;
export type NotifiedEvent = (typeof NOTIFIED_EVENTS)[number];

export function isNotified(name: string): name is NotifiedEvent {
  return (NOTIFIED_EVENTS as readonly string[]).includes(name);
}
