/** The JSON that a webhook gets (docs/notifications.md#the-request). Pure. */
import type { DeploymentStatus } from "../../core/deployments/lifecycle.ts";
import type { PlanSummary } from "../../core/runs/protocol.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import type { NotifiedEvent } from "../../work/eventNames.ts";
import type { DeploymentFacts, EventFacts } from "./eventFacts.ts";
import { type FindingsReport, findingsIn } from "./findings.ts";

type DeploymentDetail = {
  deployment_id: string;
  status: DeploymentStatus;
  mode: string;
  commit_sha: string;
  commit_message: string | null;
  commit_author: string | null;
  origin_type: string;
  plan_summary?: PlanSummary;
  pr_number?: number;
  command_bytes?: number;
  skipped_reason?: string;
  dependent_stack_id?: string;
  trigger_error?: string;
};

export type Envelope = {
  event_type: string;
  org_id: string;
  /** RFC 3339, a profile of ISO 8601. */
  occurred_at: string;
  stack_id?: string;
  stack_name?: string;
  stack_labels?: Record<string, string>;
  url?: string;
  actor_id?: string;
  actor_kind?: "user" | "service_account";
  deployment?: DeploymentDetail;
  stack?: Record<string, unknown>;
  scm?: Record<string, unknown>;
  runner_group?: Record<string, unknown>;
  drift?: Record<string, unknown>;
  policy?: Record<string, unknown>;
  schedule?: Record<string, unknown>;
  lifetime?: Record<string, unknown>;
  findings?: { current: FindingsReport; previous?: FindingsReport };
};

export type EnvelopeContext = {
  /** Where people reach the service; without it there are no links. */
  publicBaseUrl: string | undefined;
  /** What the recipient was told of findings before. */
  previousFindings?: FindingsReport | null;
};

/** What a deployment was when the event happened: by the time of the notification it may have gone on. */
const STATUS_AT: Partial<Record<NotifiedEvent, DeploymentStatus>> = {
  deployment_waiting_for_confirmation: "waiting",
  deployment_policy_denied: "waiting",
  deployment_policy_overridden: "waiting",
  deployment_reviewed: "waiting",
  deployment_broke_glass: "applying",
  approvals_awaited: "waiting",
  deployment_succeeded: "finished",
  deployment_failed: "failed",
  deployment_cancelled: "cancelled",
  deployment_skipped: "skipped",
  deployment_auto_skipped: "skipped",
  preview_auto_skipped: "skipped",
  preview_withdrawn: "skipped",
  preview_ready: "finished",
  run_failed_to_start: "failed",
  drift_detected: "finished",
  drift_check_failed: "failed",
};

/** Skipped by the service itself, which says why. */
const UNASKED: readonly NotifiedEvent[] = ["deployment_auto_skipped", "preview_auto_skipped", "preview_withdrawn"];

export function envelopeOf(event: EventFacts, context: EnvelopeContext): Envelope {
  const { deployment } = event;
  const ofStack = event.name.startsWith("stack_");
  return {
    event_type: event.name,
    org_id: event.org_id,
    occurred_at: rfc3339(event.occurred_at),
    ...stackOf(event),
    ...linkOf(event, context.publicBaseUrl),
    ...(ofStack && actorOf(event)),
    ...(deployment !== null && { deployment: deploymentDetail(event, deployment) }),
    ...detailOf(event, context),
  };
}

/** A stack event names the stack as it was then; a rename may have followed. */
function stackOf({ stack, data }: EventFacts): Pick<Envelope, "stack_id" | "stack_name" | "stack_labels"> {
  if (stack === null) return {};
  return {
    stack_id: textIn(data, "stack_id") ?? stack.slug,
    stack_name: textIn(data, "stack_name") ?? stack.name,
    stack_labels: stack.labels,
  };
}

function linkOf({ org_id, stack, deployment }: EventFacts, base: string | undefined): Pick<Envelope, "url"> {
  if (base === undefined || stack === null) return {};
  const page = `${base}/orgs/${org_id}/stacks/${stack.slug}`;
  return { url: deployment === null ? page : `${page}/deployments/${deployment.id}` };
}

/** An operator with database access is nobody that a receiver could look up. */
function actorOf({ actor_id, actor_kind }: EventFacts): Pick<Envelope, "actor_id" | "actor_kind"> {
  if (actor_id === null || (actor_kind !== "user" && actor_kind !== "service_account")) return {};
  return { actor_id, actor_kind };
}

function deploymentDetail({ name, data }: EventFacts, deployment: DeploymentFacts): DeploymentDetail {
  const { id, status, mode, commit_sha, commit_message, commit_author, origin_type, pr_number } = deployment;
  const skippedReason = textIn(data, "skipped_reason") ?? deployment.skipped_reason;
  const skipped = UNASKED.includes(name);
  return {
    deployment_id: id,
    status: STATUS_AT[name] ?? status,
    mode,
    commit_sha,
    commit_message,
    commit_author,
    origin_type,
    ...measured(name === "deployment_created" ? null : deployment.plan_summary),
    ...(origin_type === "pull_request" && pr_number !== null && { pr_number }),
    ...(name === "run_command_executed" &&
      typeof data.command_bytes === "number" && { command_bytes: data.command_bytes }),
    ...(name === "deployment_reviewed" && picked(data, ["verdict"])),
    ...(name === "deployment_broke_glass" && picked(data, ["reason"])),
    ...(skipped && skippedReason !== null && { skipped_reason: skippedReason }),
    ...(name === "dependent_trigger_failed" && picked(data, ["dependent_stack_id", "trigger_error"])),
  };
}

/** A plan without counts could not be measured, and then its summary says nothing. */
export function measured(summary: PlanSummary | null): { plan_summary?: PlanSummary } {
  return summary?.counts ? { plan_summary: summary } : {};
}

function detailOf({ name, data }: EventFacts, { previousFindings }: EnvelopeContext): Partial<Envelope> {
  switch (name) {
    case "stack_renamed":
      return { stack: picked(data, ["previous_stack_id", "previous_name"]) };
    case "stack_synced":
      return { stack: picked(data, ["commit_sha", "commit_message", "commit_author"]) };
    case "scm_sync_failed": {
      const fields = ["repository_url", "inbox_event_type", "base_branch", "pr_number", "last_error", "attempt_count"];
      return { scm: picked(data, fields) };
    }
    case "runner_group_new_address":
      return { runner_group: picked(data, ["runner_group_id", "runner_group_name", "address"]) };
    case "drift_detected":
      return { drift: picked(data, ["drifted", "addresses"]) };
    case "deployment_policy_denied":
    case "deployment_policy_overridden":
      return { policy: picked(data, ["policies", "reason"]) };
    case "schedule_missed":
      return { schedule: picked(data, ["schedule_id", "schedule", "occurs_at", "reason", "error"]) };
    case "stack_expiring":
    case "stack_expiry_failed":
      return { lifetime: picked(data, ["expires_at", "reason", "error", "destroy_deployment_id"]) };
    case "explore_findings_changed": {
      const current = findingsIn(data.current);
      if (current === null) return {};
      return { findings: { current, ...(previousFindings && { previous: previousFindings }) } };
    }
    default:
      return {};
  }
}

/** Those of the fields that the data has. */
function picked(data: Record<string, unknown>, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(fields.filter((field) => data[field] !== undefined).map((field) => [field, data[field]]));
}

function textIn(data: Record<string, unknown>, field: string): string | null {
  const value = data[field];
  return typeof value === "string" ? value : null;
}
