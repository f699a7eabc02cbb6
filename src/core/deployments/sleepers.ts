/**
 * Whom a transition tells, given who sleeps. A deployment's workflow and a run's lease are started to sleep until their
 * first deadline: what only waits costs no workflow task. Pure.
 */

import type { SqlRow } from "../../platform/db/sqlRow.ts";
import type { DeploymentWake, OutboxMessage, WorkflowSubject } from "../../work/message.ts";
import { isRunTerminal } from "../runs/lifecycle.ts";
import type { runs } from "../runs/schema.ts";
import type { stacks } from "../stacks/schema.ts";
import type { Change } from "./change.ts";
import type { Lane, LaneDeployment } from "./lane.ts";
import { isTerminal } from "./lifecycle.ts";

const DAY = 24 * 3_600_000;

/** The messages of `change`, as its workflows can hear them. */
export function forSleepers(lane: Lane, change: Change): OutboxMessage[] {
  return (change.messages ?? []).map((message) => {
    if (message.kind === "signalDeployment") return forDeployment(lane.deployment, change, message);
    if (message.kind === "signalLease") return forLease(lane, change, message);
    return message;
  });
}

type To<K extends OutboxMessage["kind"]> = Extract<OutboxMessage, { kind: K }>;

/**
 * What ends while it sleeps ends without a task. A wait for a person has deadlines of its own, and is what an operator
 * looks for, so it wakes. Whatever else happens is written into the history and read whenever it wakes.
 */
function forDeployment(deployment: LaneDeployment, change: Change, message: To<"signalDeployment">): OutboxMessage {
  const to = change.deployment?.to;
  const { orgId, deploymentId } = { orgId: deployment.org_id, deploymentId: deployment.id };
  const over = to !== undefined && isTerminal(to);
  if (deployment.woken_at !== null) return { ...message, orgId, ...(over && { over }) };
  if (over) return { kind: "endDeployment", orgId, deploymentId, status: to };
  if (to === "waiting") return { kind: "wakeDeployment", signal: "runFinished", ...subjectOf(deployment) };
  return { ...message, orgId };
}

/** A lease sleeps until its claim would lapse. Later deadlines are read then; only a cancel's may be nearer. */
function forLease(lane: Lane, change: Change, message: To<"signalLease">): OutboxMessage {
  const orgId = lane.deployment.org_id;
  const run = lane.runs.find(({ id }) => id === message.runId);
  const to = change.run?.id === message.runId ? change.run.to : undefined;
  const over = to !== undefined && isRunTerminal(to);
  if (run === undefined || run.lease_woken_at !== null) return { ...message, orgId, ...(over && { over }) };
  if (over) return { kind: "endLease", orgId, runId: run.id, status: to };
  if (message.signal === "cancelRequested") return { kind: "wakeLease", orgId, runId: run.id, signal: message.signal };
  return { ...message, orgId };
}

/** What a changed policy says to a deployment: a deadline may be nearer than the one its workflow sleeps until. */
export function wakeDeployment(
  row: SubjectRow & Pick<LaneDeployment, "woken_at">,
  signal: DeploymentWake,
): OutboxMessage {
  if (row.woken_at === null) return { kind: "wakeDeployment", signal, ...subjectOf(row) };
  return { kind: "signalDeployment", orgId: row.org_id, deploymentId: row.id, signal };
}

/** The same to the lease of a run. */
export function wakeLease(orgId: string, run: SqlRow<typeof runs, "id" | "lease_woken_at">): OutboxMessage {
  const kind = run.lease_woken_at === null ? "wakeLease" : "signalLease";
  return { kind, orgId, runId: run.id, signal: "reread" };
}

/** Of a deployment's row: what its workflow is found by. */
export type SubjectRow = Pick<LaneDeployment, "id" | "org_id" | "stack_key" | "mode" | "origin_type">;

export function subjectOf({ id, org_id, stack_key, mode, origin_type }: SubjectRow): WorkflowSubject {
  return { orgId: org_id, stackKey: stack_key, deploymentId: id, mode, origin: origin_type };
}

/** The stack's policies, in milliseconds as text; null for none. */
export type Policies = SqlRow<typeof stacks, "queued_timeout_ms" | "confirmation_timeout_ms" | "supersede_age_ms">;

/**
 * How long a new deployment's workflow may sleep: no deadline it can get without a message that wakes it is nearer. A
 * run that becomes pending later has its startup deadline later too.
 */
export function sleepOf(status: "queued" | "pending" | "waiting", policies: Policies, startupMs: number): number {
  const limits: (string | number | null)[] = [DAY, startupMs, policies.supersede_age_ms];
  if (status === "queued") limits.push(policies.queued_timeout_ms);
  if (status === "waiting") limits.push(policies.confirmation_timeout_ms);
  return Math.min(...limits.filter((limit) => limit !== null).map(Number));
}
