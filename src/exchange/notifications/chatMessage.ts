/** One event as a line or two that people read in a chat: what happened, where, what changes, who, and a link. Pure. */
import type { PlanSummary } from "../../core/runs/protocol.ts";
import type { NotifiedEvent } from "../../work/eventNames.ts";
import { type Envelope, measured } from "./envelope.ts";
import type { DeploymentFacts, EventFacts } from "./eventFacts.ts";

/**
 * What Slack and servers compatible with it take at an incoming webhook. A preview of our own link would say nothing.
 */
export type ChatMessage = { text: string; unfurl_links: false };

const WORDS: Record<NotifiedEvent, string> = {
  deployment_created: "Deployment created",
  deployment_waiting_for_confirmation: "Plan waits for confirmation",
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
};

const SKIPPED_WORDS: Record<string, string> = {
  superseded: "a newer one took its place",
  confirmation_timeout: "nobody confirmed it in time",
  queued_timeout: "it waited too long in the queue",
  pull_request_closed: "its pull request is closed",
  retracted: "its stack is no longer touched",
};

const LONGEST_PART = 300;

export function chatMessage(event: EventFacts, envelope: Envelope): ChatMessage {
  const stack = envelope.stack_name === undefined ? "" : `: ${link(envelope.url, envelope.stack_name)}`;
  const lines = [`*${WORDS[event.name]}*${stack}`, ...detailLines(event, envelope), ...by(event)];
  return { text: lines.join("\n"), unfurl_links: false };
}

/** `+1 ~0 -2`, replacements counted on both sides as the engine does; null when there is nothing to count. */
export function countsText(summary: PlanSummary | null): string | null {
  if (!summary?.counts) return null;
  const { add, change, destroy, replace } = summary.counts;
  return `+${add + replace} ~${change} -${destroy + replace}`;
}

function detailLines(event: EventFacts, envelope: Envelope): string[] {
  const { deployment, data } = event;
  const lines: (string | null)[] = [];
  if (deployment !== null) lines.push(deploymentLine(event, deployment));
  if (event.name === "stack_synced") lines.push(commitText(data.commit_sha, data.commit_message));
  if (event.name === "stack_renamed") lines.push(`was ${plain(data.previous_name)}`);
  if (envelope.scm) {
    const { repository_url, base_branch, last_error, attempt_count } = envelope.scm;
    lines.push(`${plain(repository_url)}, branch ${plain(base_branch)}, given up after ${plain(attempt_count)} tries`);
    lines.push(plain(last_error));
  }
  if (envelope.runner_group) {
    const { runner_group_name, address } = envelope.runner_group;
    lines.push(`${plain(runner_group_name)}, from ${plain(address)}`);
  }
  if (envelope.drift) lines.push(driftLine(envelope.drift));
  if (envelope.findings) {
    const { cycles, orphans, duplicates, cycles_complete, orphans_complete } = envelope.findings.current;
    const count = (n: number, complete: boolean) => (complete ? String(n) : "unknown");
    lines.push(
      `cycles ${count(cycles, cycles_complete)}, orphans ${count(orphans, orphans_complete)}, duplicates ${duplicates}`,
    );
  }
  return lines.filter((line) => line !== null && line !== "") as string[];
}

function deploymentLine({ name, data }: EventFacts, deployment: DeploymentFacts): string {
  const { mode, pr_number, skipped_reason, error } = deployment;
  const summary = name === "deployment_created" ? null : (measured(deployment.plan_summary).plan_summary ?? null);
  const parts: (string | null)[] = [
    mode.replace("_", " "),
    countsText(summary),
    pr_number === null ? null : `pull request #${pr_number}`,
    commitText(deployment.commit_sha, deployment.commit_message),
  ];
  if (name === "run_command_executed") parts.push(`${plain(data.command_bytes)} bytes`);
  if (name.endsWith("_auto_skipped")) parts.push(SKIPPED_WORDS[skipped_reason ?? ""] ?? null);
  if (name === "deployment_failed" || name === "run_failed_to_start" || name === "drift_check_failed")
    parts.push(error === null ? null : plain(error));
  if (name === "dependent_trigger_failed") parts.push(plain(data.dependent_stack_id), plain(data.trigger_error));
  return parts.filter((part) => part !== null && part !== "").join(", ");
}

/** `3 resources: aws_instance.a, aws_instance.b, ...` */
function driftLine({ drifted, addresses }: Record<string, unknown>): string {
  const named = Array.isArray(addresses) ? addresses.map(plain) : [];
  const more = typeof drifted === "number" && drifted > named.length ? ", ..." : "";
  return `${plain(drifted)} ${drifted === 1 ? "resource" : "resources"}: ${named.join(", ")}${more}`;
}

/** The first eight digits and the first line: more is a click away. */
function commitText(sha: unknown, message: unknown): string | null {
  if (typeof sha !== "string") return null;
  const subject = typeof message === "string" ? (message.split("\n", 1)[0] ?? "").trim() : "";
  return `\`${plain(sha.slice(0, 8))}\`${subject === "" ? "" : ` ${plain(subject)}`}`;
}

/** Who did it, else who asked for the deployment. Of an id, the part that people know each other by. */
function by({ actor_id, actor_kind, account_name, deployment }: EventFacts): string[] {
  const [id, kind] = actor_id === null ? [deployment?.created_by, deployment?.created_by_kind] : [actor_id, actor_kind];
  if (id == null) return [];
  const name = kind === "user" ? decoded(id.split(":")[1] ?? id) : (account_name ?? id);
  return [`by ${kind === "service_account" ? "service account " : ""}${plain(name)}`];
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function link(url: string | undefined, label: string): string {
  return url === undefined ? `*${plain(label)}*` : `<${url}|${plain(label).replaceAll("|", "¦")}>`;
}

/**
 * Text of others in a chat: `&`, `<` and `>` as the format wants them escaped, and an `@` that calls nobody
 * (`<!channel>` in one server is `@channel` in another).
 */
function plain(value: unknown): string {
  const text = String(value ?? "").replace(/\s+/g, " ");
  const cut = text.length > LONGEST_PART ? `${text.slice(0, LONGEST_PART - 1).toWellFormed()}…` : text;
  return cut.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("@", "@\u200b");
}
