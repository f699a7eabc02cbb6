/**
 * What a transition decided, as data; `writeChange` stores it. Kept apart so that decisions are pure and tested without
 * SQL.
 */
import type { Actor, DomainEventName } from "../../work/domainEvent.ts";
import type { OutboxMessage } from "../../work/message.ts";
import type { AskedApproval } from "../approvals/gate.ts";
import type { Verdict } from "../approvals/schema.ts";
import type { NewGate } from "../gates/gate.ts";
import type { RunStatus } from "../runs/lifecycle.ts";
import type { DriftReport, PlanSummary, RunKind } from "../runs/protocol.ts";
import type { RunnerStatus } from "../runs/runnerLifecycle.ts";
import type { DeploymentStatus, StageKind, StagePhase } from "./lifecycle.ts";

export type SkippedReason =
  | "superseded"
  | "confirmation_timeout"
  | "queued_timeout"
  | "pull_request_closed"
  | "retracted"
  | "approval_timeout";

/** The activity log's kinds; three of them have no actor (docs/rules/transitions.md#the-activity-log). */
export type ActivityKind =
  | "created"
  | "confirmed_apply"
  | "confirmed_replan"
  | "confirmed_skip"
  | "confirmed_preview"
  | "skipped"
  | "cancellation_requested"
  | "prioritized"
  | "deprioritized"
  | "policy_evaluation_requested"
  | "policy_denied"
  | "policy_overridden"
  | "approved"
  | "rejected"
  | "auto_applied"
  | "auto_approve_suppressed";

export type RunChange = {
  id: string;
  from: RunStatus;
  to: RunStatus;
  /** Attempts counted at this step. */
  addAttempts?: number;
  exitCode?: number | null;
  error?: string | null;
  planSummary?: PlanSummary | null;
  drift?: DriftReport | null;
  planSha256?: string | null;
  treeSha256?: string | null;
  doneSha256?: string | null;
  /** SHA-256 of the token by which its engine opens the stack's state. */
  stateTokenHash?: Buffer | null;
  /** What the run's runner row becomes. */
  runner?: { id: string; status: RunnerStatus };
};

export type NewRun = {
  kind: RunKind;
  planRunId?: string;
  targets?: string[];
  excludes?: string[];
  replaces?: string[];
};

/** A fact of the change, for whoever subscribes to it. */
export type LoggedEvent = {
  name: DomainEventName;
  runId?: string | null;
  actor?: Actor | null;
  data?: Record<string, string | number | boolean | null>;
};

export type Change = {
  deployment?: {
    to: DeploymentStatus;
    skippedReason?: SkippedReason;
    error?: string | null;
    /** It ends with an apply that succeeded: what depends on the stack is due. */
    applied?: boolean;
  };
  run?: RunChange;
  /** Phase of the current stage. */
  stage?: StagePhase;
  /** The stage that begins now, with its run unless it is a confirmation. */
  open?: { kind: StageKind; run?: NewRun };
  /** Gates of the plan of `run` that close with its end. */
  gates?: readonly NewGate[];
  /** Whoever could approve the plan is reminded. */
  reminded?: true;
  activity?: { kind: ActivityKind; actor: Actor | null; details?: Record<string, unknown> }[];
  event: LoggedEvent;
  /** What else happened in the same moment, more special than `event`, which every end of a deployment has. */
  beside?: LoggedEvent;
  messages?: OutboxMessage[];
};

/**
 * What a person's decision does. `priority` and `review` are written beside the change, since they change no status.
 */
export type DecisionEffect = {
  change: Change | null;
  priority?: "set" | "clear";
  review?: { verdict: Verdict; comment: string | null; planRunId: string | null };
  /** It is applied without these approvals. */
  brokeGlass?: { reason: string; missing: AskedApproval[] };
  warning?: string;
};
