/** Why a deployment is where it is: the service's own sentence, since when, and what it holds up. Pure. */
import type { Deployment } from "../../data/types.ts";

export type Why = {
  /** Sentences; ids of deployments in them are links. */
  text: string;
  since: string | null;
  /** When somebody or something ends the wait. */
  until: string | null;
  behind: number;
};

type Policies = { queued_timeout: string | null; confirmation_timeout: string | null };

/** Null for what is over without a reason. */
export function whyOf(deployment: Deployment, stack: Policies | null, behind: number): Why | null {
  const text = sentenceOf(deployment);
  if (text === null) return null;
  const over = deployment.completed_at !== null;
  const since = over ? null : sinceOf(deployment);
  return { text, since, until: over ? null : untilOf(deployment, stack), behind: over ? 0 : behind };
}

const SKIPPED: Record<string, string> = {
  approval_timeout: "Its approvals did not come in time.",
  confirmation_timeout: "Nobody confirmed it in time.",
  queued_timeout: "It waited in the queue for too long.",
  superseded: "A newer deployment of the stack took its place.",
};

function sentenceOf({ waiting_for, error, skipped_reason }: Deployment): string | null {
  if (waiting_for !== null) return waiting_for;
  if (error !== null) return error;
  if (skipped_reason === null) return null;
  return SKIPPED[skipped_reason] ?? skipped_reason.replaceAll("_", " ");
}

function sinceOf({ status, waiting_since, cancel_requested_at, created_at, stages }: Deployment): string | null {
  if (status === "waiting") return waiting_since;
  if (status === "requested_cancellation" || status === "cancelling") return cancel_requested_at;
  if (status === "queued") return created_at;
  const run = stages.at(-1)?.run;
  return run?.started_at ?? run?.first_pending_at ?? null;
}

/** Policies end what waits for a person and what waits in the queue. */
function untilOf({ status, mode, waiting_since, created_at }: Deployment, stack: Policies | null): string | null {
  if (stack === null || mode === "plan_unlocked" || mode === "drift") return null;
  const [from, policy] =
    status === "waiting"
      ? [waiting_since, stack.confirmation_timeout]
      : status === "queued"
        ? [created_at, stack.queued_timeout]
        : [null, null];
  const ms = policy === null ? null : durationMs(policy);
  return from === null || ms === null ? null : new Date(Date.parse(from) + ms).toISOString();
}

const DURATION = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

/** An ISO 8601 duration of weeks, days and less; null for what is none, or never ends. */
export function durationMs(text: string): number | null {
  const match = DURATION.exec(text);
  if (match === null || text === "P" || text.endsWith("T")) return null;
  const [weeks, days, hours, minutes, seconds] = match.slice(1).map((part) => Number(part ?? 0)) as number[];
  return ((((weeks! * 7 + days!) * 24 + hours!) * 60 + minutes!) * 60 + seconds!) * 1_000;
}
