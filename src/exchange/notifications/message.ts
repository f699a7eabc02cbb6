/**
 * What an event's message says, for every form in which people read it: what happened, where, what changes, why, who,
 * and a link. A form only lays it out, and escapes it as that form wants it. Pure.
 */
import type { PlanSummary } from "../../core/runs/protocol.ts";
import { type Envelope, measured } from "./envelope.ts";
import type { DeploymentFacts, EventFacts } from "./eventFacts.ts";
import { onOneLine } from "./oneLine.ts";
import { TITLES, TONES, type Tone } from "./titles.ts";

export type Message = {
  tone: Tone;
  /** Our own words. */
  title: string;
  /** The stack's name. Like all that follows it may be text of others, on one line and not escaped. */
  stack: string | null;
  link: string | null;
  facts: Fact[];
  /** Why it is as the title says. */
  reason: string | null;
  by: string | null;
};

export type Fact = {
  name: string;
  text: string;
  /** Stands before the text, to be set like code. */
  code?: string;
  /** Where there are no names beside the texts. */
  phrase?: string;
};

const SKIPPED_WORDS: Record<string, string> = {
  approval_timeout: "its approvals did not come in time",
  superseded: "a newer one took its place",
  confirmation_timeout: "nobody confirmed it in time",
  queued_timeout: "it waited too long in the queue",
  pull_request_closed: "its pull request is closed",
  retracted: "its stack is no longer touched",
};

const FAILURES = ["deployment_failed", "run_failed_to_start", "drift_check_failed"];

export function messageOf(event: EventFacts, envelope: Envelope): Message {
  return {
    tone: TONES[event.name] ?? "plain",
    title: TITLES[event.name],
    stack: stackOf(envelope),
    link: envelope.url ?? null,
    facts: [...deploymentFacts(event), ...detailFacts(event, envelope)].filter(({ text, code }) => text || code),
    reason: reasonOf(event, envelope),
    by: by(event),
  };
}

/** A name of which nothing is seen would leave a place empty that some chats refuse to be so. */
function stackOf({ stack_name: name, stack_id: id }: Envelope): string | null {
  return name === undefined ? null : onOneLine(name) || onOneLine(id);
}

/** The message of a test send. */
export const SAMPLE: Message = {
  ...{ tone: "plain", title: "A test of this notification integration", stack: null, link: null },
  ...{ facts: [], reason: null, by: null },
};

/** Replacements are counted on both sides, as the engine does. Nothing where there is nothing to count. */
function planFact(summary: PlanSummary | undefined): Fact[] {
  if (!summary?.counts) return [];
  const { add, change, destroy, replace, import: imported, move, forget } = summary.counts;
  const rest = { "of them by replacing": replace, "to import": imported, "to move": move, "to forget": forget };
  const gaps = summary.gaps.length > 0 ? ["not measured whole"] : [];
  const words = [
    `${add + replace} to add, ${change} to change, ${destroy + replace} to destroy`,
    ...Object.entries(rest).flatMap(([word, count]) => (count > 0 ? [`${count} ${word}`] : [])),
    ...gaps,
  ];
  const signs = `+${add + replace} ~${change} -${destroy + replace}`;
  return [{ name: "Plan", text: words.join(", "), phrase: [signs, ...gaps].join(", ") }];
}

function deploymentFacts({ name, data, deployment }: EventFacts): Fact[] {
  if (deployment === null) return [];
  const { mode, pr_number, commit_sha, commit_message } = deployment;
  return [
    { name: "Mode", text: onOneLine(mode.replace("_", " ")) },
    ...planFact(name === "deployment_created" ? undefined : measured(deployment.plan_summary).plan_summary),
    ...(pr_number === null
      ? []
      : [{ name: "Pull request", text: `#${pr_number}`, phrase: `pull request #${pr_number}` }]),
    ...commitFact(commit_sha, commit_message),
    ...(name === "deployment_reviewed" ? [{ name: "Verdict", text: onOneLine(data.verdict) }] : []),
    ...(name === "run_command_executed" ? [{ name: "Command", text: `${onOneLine(data.command_bytes)} bytes` }] : []),
    ...(name === "dependent_trigger_failed" ? [{ name: "Dependent", text: onOneLine(data.dependent_stack_id) }] : []),
  ];
}

function detailFacts(
  { name, data }: EventFacts,
  { scm, runner_group, drift, policy, schedule, lifetime, findings }: Envelope,
): Fact[] {
  const facts: Fact[] = [];
  const add = (label: string, value: unknown, phrase?: (text: string) => string) => {
    const text = onOneLine(value);
    facts.push({ name: label, text, ...(phrase && { phrase: phrase(text) }) });
  };
  if (name === "stack_synced") facts.push(...commitFact(data.commit_sha, data.commit_message));
  if (name === "stack_renamed") add("Was", data.previous_name, (text) => `was ${text}`);
  if (scm) {
    add("Repository", scm.repository_url);
    add("Branch", scm.base_branch, (text) => `branch ${text}`);
    add("Tries", scm.attempt_count, (text) => `given up after ${text} tries`);
  }
  if (runner_group) {
    add("Runner group", runner_group.runner_group_name);
    add("Address", runner_group.address, (text) => `from ${text}`);
  }
  if (drift) facts.push(driftFact(drift));
  if (policy) add("Policies", policy.policies);
  if (schedule) {
    add("Schedule", schedule.schedule, (text) => `schedule ${text}`);
    add("Time", schedule.occurs_at);
  }
  if (lifetime) add("Ends", lifetime.expires_at, (text) => `ends ${text}`);
  if (findings) {
    const { cycles, orphans, duplicates, cycles_complete, orphans_complete } = findings.current;
    add("Cycles", cycles_complete ? cycles : "unknown", (text) => `cycles ${text}`);
    add("Orphans", orphans_complete ? orphans : "unknown", (text) => `orphans ${text}`);
    add("Duplicates", duplicates, (text) => `duplicates ${text}`);
  }
  return facts;
}

/** As many addresses as people read in a message. */
const ADDRESSES = 5;

/** `3 resources: aws_instance.a, aws_instance.b, ...` */
function driftFact({ drifted, addresses }: Record<string, unknown>): Fact {
  const named = Array.isArray(addresses) ? addresses.slice(0, ADDRESSES).map(onOneLine) : [];
  const more = typeof drifted === "number" && drifted > named.length ? ", ..." : "";
  const text = `${onOneLine(drifted)} ${drifted === 1 ? "resource" : "resources"}: ${named.join(", ")}${more}`;
  return { name: "Drift", text };
}

/** The first eight digits and the first line: more is a click away. */
function commitFact(sha: unknown, message: unknown): Fact[] {
  if (typeof sha !== "string") return [];
  const subject = typeof message === "string" ? (message.split("\n", 1)[0] ?? "").trim() : "";
  return [{ name: "Commit", code: onOneLine(sha.slice(0, 8)), text: onOneLine(subject) }];
}

function reasonOf(
  { name, data, deployment }: EventFacts,
  { scm, policy, schedule, lifetime }: Envelope,
): string | null {
  const textOf = (value: unknown) => (value == null || value === "" ? null : onOneLine(value));
  if (scm) return textOf(scm.last_error);
  if (policy) return textOf(policy.reason);
  if (schedule) return missedBecause(schedule);
  if (lifetime) return textOf(lifetime.error ?? lifetime.reason);
  if (deployment === null) return null;
  if (name === "deployment_broke_glass") return textOf(data.reason);
  if (name === "dependent_trigger_failed") return textOf(data.trigger_error);
  if (name.endsWith("_auto_skipped")) return SKIPPED_WORDS[deployment.skipped_reason ?? ""] ?? null;
  return FAILURES.includes(name) ? textOf(deployment.error) : null;
}

const MISSED_WORDS: Record<string, string> = {
  held: "the stack is on hold",
  earlier_open: "the deployment of the time before has not ended",
  overtaken: "its next time came first",
};

/** `its next time came first: The host is away.` */
function missedBecause({ reason, error }: Record<string, unknown>): string | null {
  const parts = [MISSED_WORDS[String(reason)], error == null ? undefined : onOneLine(error)];
  return parts.filter((part) => part !== undefined).join(": ") || null;
}

/** Who did it, else who asked for the deployment. Of an id, the part that people know each other by. */
function by({ actor_id, actor_kind, account_name, deployment }: EventFacts): string | null {
  const [id, kind] = actor_id === null ? creatorOf(deployment) : [actor_id, actor_kind];
  if (id == null) return null;
  const name = kind === "user" ? decoded(id.split(":")[1] ?? id) : (account_name ?? id);
  return `${kind === "service_account" ? "service account " : ""}${onOneLine(name)}`;
}

function creatorOf(deployment: DeploymentFacts | null) {
  return [deployment?.created_by, deployment?.created_by_kind] as const;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
