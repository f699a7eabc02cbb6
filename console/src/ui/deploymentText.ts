/** A deployment in a few words. Pure. */
import type { Deployment, DeploymentMode, Stage } from "../data/types.ts";

export const MODES: Readonly<Record<DeploymentMode, string>> = {
  plan: "Deploy",
  destroy: "Destroy",
  refresh: "Refresh",
  plan_unlocked: "Preview",
  raw: "Command",
  drift: "Drift check",
};

const ORIGINS: Readonly<Record<string, string>> = {
  manual: "by hand",
  push: "by push",
  dependency: "after a dependency",
  pull_request: "pull request",
  promoted_pull_request: "promoted pull request",
  local: "local files",
  drift: "after drift",
  schedule: "by schedule",
  lifetime: "its time was over",
};
export const ORIGIN_TYPES = Object.keys(ORIGINS) as Deployment["origin_type"][];

export function originOf({
  origin_type,
  origin_pr_number,
}: Pick<Deployment, "origin_type" | "origin_pr_number">): string {
  const words = ORIGINS[origin_type] ?? origin_type;
  return origin_pr_number === null ? words : `${words} #${origin_pr_number}`;
}

/** What it is about: the first line of its commit, or what it does. */
export function subjectOf({
  commit_message,
  origin_pr_title,
  mode,
}: Pick<Deployment, "commit_message" | "origin_pr_title" | "mode">): string {
  const message = (origin_pr_title ?? commit_message ?? "").split("\n")[0]?.trim();
  return message || MODES[mode];
}

type Summary = NonNullable<NonNullable<Stage["run"]>["plan_summary"]>;

/** Of the newest plan; null where there is none yet, or it could not be measured. */
export function planSummaryOf({ stages }: Pick<Deployment, "stages">): Summary | null {
  return stages.findLast(({ run }) => run?.plan_summary)?.run?.plan_summary ?? null;
}

/** What it waits for, where its status does not say so already; ids of others are left to its page. */
export function reasonOf({ status, waiting_for, blocked_by, queue_position }: Waiting): string | null {
  if (waiting_for === null) return null;
  if (status === "queued" && blocked_by !== null) return `Number ${queue_position} in the stack's queue.`;
  if (status === "waiting") return /(Its commit .*)$/.exec(waiting_for)?.[1] ?? null;
  return status === "queued" || status === "pending" ? waiting_for : null;
}

type Waiting = Pick<Deployment, "status" | "waiting_for" | "blocked_by" | "queue_position">;
