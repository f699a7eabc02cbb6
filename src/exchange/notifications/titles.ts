/** What happened, in the words of messages to people, and how they should take it. */
import type { NotifiedEvent } from "../../work/eventNames.ts";

export type Tone = "good" | "bad" | "look" | "plain";

export const TITLES: Record<NotifiedEvent, string> = {
  deployment_created: "Deployment created",
  deployment_waiting_for_confirmation: "Plan waits for confirmation",
  deployment_policy_denied: "Plan is denied by policies",
  deployment_policy_overridden: "Policies were overridden",
  deployment_succeeded: "Deployment succeeded",
  deployment_failed: "Deployment failed",
  deployment_cancelled: "Deployment cancelled",
  deployment_skipped: "Deployment skipped",
  deployment_auto_skipped: "Deployment skipped",
  run_failed_to_start: "Run could not be started",
  run_command_executed: "Command was run",
  preview_ready: "Preview is ready",
  preview_auto_skipped: "Preview skipped",
  preview_withdrawn: "Preview withdrawn",
  dependent_trigger_failed: "Dependent stack could not be deployed",
  stack_created: "Stack created",
  stack_deleted: "Stack deleted",
  stack_renamed: "Stack renamed",
  stack_synced: "Stack synced to a new commit",
  scm_sync_failed: "Sync with the code host failed",
  explore_findings_changed: "Findings of the dependency graph changed",
  runner_group_new_address: "Token of a runner group used from a new address",
  drift_detected: "Stack has drifted",
  drift_resolved: "Drift is over",
  drift_check_failed: "Check for drift failed",
  schedule_missed: "Scheduled deployment was not made",
  stack_expiring: "Stack ends soon",
  stack_expiry_failed: "Stack could not be ended",
};

/** Those that are not plain. */
export const TONES: Partial<Record<NotifiedEvent, Tone>> = {
  deployment_waiting_for_confirmation: "look",
  deployment_policy_denied: "bad",
  deployment_policy_overridden: "look",
  deployment_succeeded: "good",
  deployment_failed: "bad",
  run_failed_to_start: "bad",
  preview_ready: "good",
  dependent_trigger_failed: "bad",
  scm_sync_failed: "bad",
  explore_findings_changed: "look",
  runner_group_new_address: "look",
  drift_detected: "look",
  drift_resolved: "good",
  drift_check_failed: "bad",
  schedule_missed: "look",
  stack_expiring: "look",
  stack_expiry_failed: "bad",
};
