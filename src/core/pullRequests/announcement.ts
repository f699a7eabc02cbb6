/** What a pull request is shown about its preview on a stack: one commit status and one comment. Pure. */
import { createHash } from "node:crypto";
import { oneLine } from "../../platform/text/oneLine.ts";
import type { DeploymentStatus } from "../deployments/lifecycle.ts";
import type { PlanSummary } from "../runs/protocol.ts";
import type { PrCondition } from "../stacks/schema.ts";
import type { CommitStatus } from "./host.ts";

/** What is told from. `status` null: there is no preview of the present head. */
export type PreviewFacts = {
  stackSlug: string;
  stackKey: string;
  /** Of the pull request. */
  number: number;
  deploymentId: string;
  sha: string;
  status: DeploymentStatus;
  skippedReason: string | null;
  error: string | null;
  summary: PlanSummary | null;
  /** Conditions of promotion that do not hold. */
  unmet: readonly { condition: PrCondition; reason: string | null }[];
  /** Page of the deployment; null when the service has no public address. */
  link: string | null;
};

export type Announcement = { status: Omit<CommitStatus, "sha"> & { sha: string }; marker: string; comment: string };

/** Statuses of ours are told from others by it. */
export const CONTEXT_PREFIX = "preview/";
/** Hosts cut or refuse longer ones. */
const LONGEST_CONTEXT = 100;
const LONGEST_DESCRIPTION = 140;
/** Hosts refuse a comment of more than 65,536 characters, the whole of it. */
const MOST_NOTES = 20;

const FAILED = "The plan failed";

const CONDITION_WORDS: Record<PrCondition, string> = {
  approved: "an approval",
  mergeable: "to be mergeable",
  checks_passed: "its checks to pass",
};

/**
 * Null when nothing is to be shown: taken back and closed requests stay as they are
 * (docs/rules/pull-requests.md#previews-left-behind).
 */
export function announce(preview: PreviewFacts): Announcement | null {
  if (preview.skippedReason === "retracted" || preview.skippedReason === "pull_request_closed") return null;
  const { state, words } = stateOf(preview);
  return {
    status: {
      sha: preview.sha,
      state,
      context: contextOf(preview.stackSlug),
      description: cut(words, LONGEST_DESCRIPTION),
      targetUrl: preview.link,
    },
    marker: markerOf(preview),
    comment: commentOf(preview, words),
  };
}

/**
 * Finds our comment again. Other pull requests' comments must not tell it, or whoever opens one could write a comment
 * with it first, have it taken for ours, and change it afterwards: the stack's key is shown to nobody outside.
 */
function markerOf({ stackKey, number }: PreviewFacts): string {
  return `<!-- preview ${hash(`${stackKey} ${number}`)} -->`;
}

/** One context for each stack. Names that only differ after the cut stay apart by a piece of their hash. */
export function contextOf(slug: string): string {
  const context = `${CONTEXT_PREFIX}${slug}`;
  if (context.length <= LONGEST_CONTEXT) return context;
  return `${context.slice(0, LONGEST_CONTEXT - 9)}~${createHash("sha256").update(slug).digest("hex").slice(0, 8)}`;
}

/** Tells two announcements apart, status and comment each, so that only what differs is published again. */
export function digestOf({ status, comment }: Announcement): { status: string; comment: string } {
  return { status: hash(JSON.stringify(status)), comment: hash(comment) };
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

function stateOf({ status, skippedReason, error, summary }: PreviewFacts): {
  state: CommitStatus["state"];
  words: string;
} {
  switch (status) {
    case "waiting":
      return { state: "pending", words: "A person has to start the plan" };
    case "queued":
    case "pending":
      return { state: "pending", words: "The plan waits for a runner" };
    case "planning":
    case "applying":
      return { state: "pending", words: "Planning" };
    case "requested_cancellation":
    case "cancelling":
      return { state: "pending", words: "The plan is being cancelled" };
    case "finished":
      return { state: "success", words: planned(summary) };
    case "failed":
      return { state: "failure", words: oneLine(error ?? "") || FAILED };
    case "cancelled":
      return { state: "error", words: "The plan was cancelled" };
    case "skipped":
      return {
        state: "error",
        words: skippedReason === "confirmation_timeout" ? "Nobody started the plan in time" : "The plan was skipped",
      };
  }
}

function planned(summary: PlanSummary | null): string {
  if (summary?.has_changes === false) return "No changes";
  if (!summary?.counts) return "Planned; the changes could not be counted";
  const { add, change, destroy, replace, import: imported, forget, move } = summary.counts;
  const counts = { add, change, destroy, replace, import: imported, forget, move };
  const parts = Object.entries(counts).filter(([, count]) => count > 0);
  if (parts.length === 0) return "Only outputs change";
  return `Plan: ${parts.map(([word, count]) => `${count} to ${word}`).join(", ")}`;
}

function commentOf(preview: PreviewFacts, words: string): string {
  const isError = oneLine(preview.error ?? "") === words;
  const lines = [
    markerOf(preview),
    `### Preview of stack \`${preview.stackSlug}\``,
    "",
    `**${isError ? FAILED : words}** at ${preview.sha.slice(0, 12)}`,
  ];
  if (isError) lines.push("", quoted(words));
  const { gaps = [], warnings = [] } = preview.summary ?? {};
  const notes = [...gaps, ...warnings];
  for (const line of notes.slice(0, MOST_NOTES)) lines.push("", `- ${quoted(line)}`);
  if (notes.length > MOST_NOTES) lines.push("", `- and ${notes.length - MOST_NOTES} more`);
  if (preview.unmet.length > 0) {
    const words = preview.unmet.map(({ condition }) => CONDITION_WORDS[condition]);
    lines.push("", `Promotion waits for ${words.join(", ")}.`);
    for (const { reason } of preview.unmet) if (reason !== null) lines.push("", `- ${quoted(reason)}`);
  }
  if (preview.link) lines.push("", `[Open the deployment](${preview.link})`);
  return `${lines.join("\n")}\n`;
}

/**
 * A runner's words must not become markup or links, mention people or close issues. Hosts look for mentions in what the
 * markup says, escaped or not; only code is left alone.
 */
function quoted(text: string): string {
  return `\`${cut(oneLine(text).replaceAll("`", "'"), 1_000)}\``;
}

function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).toWellFormed()}…`;
}
