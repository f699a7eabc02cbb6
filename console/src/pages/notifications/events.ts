/** What can be told, as people say it. Pure. */
import type { NotificationEvent } from "../../data/types.ts";

export const EVENTS: Readonly<Record<NotificationEvent, string>> = {
  deployment_waiting_for_confirmation: "A plan waits for a person",
  deployment_reviewed: "A plan was approved or rejected",
  deployment_broke_glass: "A plan was applied without its approvals",
  approvals_awaited: "A plan still waits for approvals",
  deployment_succeeded: "A deployment succeeded",
  deployment_failed: "A deployment failed",
  deployment_cancelled: "A deployment was cancelled",
  deployment_skipped: "A person skipped a deployment",
  deployment_auto_skipped: "A deployment was skipped unasked",
  deployment_created: "A deployment was made",
  run_failed_to_start: "A run did not start",
  run_command_executed: "A command ended",
  preview_ready: "A preview is planned",
  preview_auto_skipped: "A preview was not started in time",
  preview_withdrawn: "A preview was left behind",
  dependent_trigger_failed: "A dependent stack was not triggered",
  stack_created: "A stack was made",
  stack_renamed: "A stack was renamed",
  stack_deleted: "A stack was deleted",
  stack_synced: "A push touched a stack",
  scm_sync_failed: "A delivery of the code host was given up",
  runner_group_new_address: "A runner group called from a new address",
  deployment_policy_denied: "Policies deny a plan",
  deployment_policy_overridden: "Policies were overridden",
  drift_detected: "A stack has drifted",
  drift_resolved: "Drift is over",
  drift_check_failed: "A check for drift failed",
  schedule_missed: "A scheduled deployment was not made",
  stack_expiring: "A stack ends soon",
  stack_expiry_failed: "A stack could not be ended",
  explore_findings_changed: "Cycles, orphans or duplicates changed",
};

export const EVENT_TYPES = Object.keys(EVENTS) as NotificationEvent[];
export const EVENT_OPTIONS = EVENT_TYPES.map((value) => ({ value: value as string, label: EVENTS[value] }));
