/**
 * (none) -> queued, or beside the lane pending or parked: deployment, first stage, first run, event, promotion and
 * workflow start in one transaction (docs/rules/deployments.md#creating-one).
 */

import { sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";
import type { SqlRow } from "../../../platform/db/sqlRow.ts";
import type { Actor } from "../../../work/domainEvent.ts";
import type { OutboxMessage } from "../../../work/message.ts";
import type { Work } from "../../../work/unitOfWork.ts";
import { CommandGuardedError, guardsOf } from "../../gates/commandGuard.ts";
import type { stacks } from "../../stacks/schema.ts";
import { SourceMovedError, StackGoneError } from "../errors.ts";
import type { LaneDeployment, LaneStack } from "../lane.ts";
import { takesLane } from "../laneModes.ts";
import { beginningOf, type DeploymentMode, type DeploymentStatus, firstRunKind, usesLane } from "../lifecycle.ts";
import { promoteNext } from "../promoteNext.ts";
import type { Provenance } from "../provenance.ts";
import { type SealedCommand, storeCommand } from "../rawCommands/rawCommand.ts";
import type { deployments } from "../schema.ts";
import { type Policies, sleepOf, subjectOf } from "../sleepers.ts";
import { writeLog } from "../writeLog.ts";
import { insertRun } from "../writeRun.ts";

/** What a deployment runs, whatever the stack says later. */
export type Snapshot = SqlRow<
  typeof deployments,
  "repository_url" | "branch" | "working_directory" | "tool" | "tool_version" | "hooks"
>;

/**
 * What the code host was asked about, as the stack was read before: its answer belongs to this source and to no other.
 * By address where an address was asked, by key where the host's own key was.
 */
export type AskedSource = SqlRow<typeof stacks, "branch"> &
  (SqlRow<typeof stacks, "repository_url"> | SqlRow<typeof stacks, "repository_key">);

/** The pull request a deployment comes from, as it was then: the row goes when the request closes. */
export type PullRequestOrigin = {
  id: string;
  number: number;
  generation: number;
  headSha: string;
  title: string;
  url: string;
  body: string;
  /** The inbox row that led to it, where there is one. */
  eventId: string | null;
};

/** Of a deployment that follows its stack's dependency: the parent's apply, and stack keys, the parent's last. */
export type DependencyOrigin = { deploymentId: string; stackPath: readonly string[] };

export type NewDeployment = {
  stackKey: string;
  mode: DeploymentMode;
  commitSha: string;
  commitMessage?: string | null;
  commitAuthor?: string | null;
  originType: LaneDeployment["origin_type"];
  /** Where the code stands to the stack's branch, by the word of the host and not of whoever asks. */
  provenance: Provenance;
  targets?: string[];
  excludes?: string[];
  replaces?: string[];
  /** Where the commit was found: as a deployment that is retried keeps it, or as the host was asked. */
  source: { kept: Snapshot } | { asked: AskedSource };
  pullRequest?: PullRequestOrigin;
  /** The apply that led to it, and the stacks the cascade came through to this one. */
  dependency?: DependencyOrigin;
  /** The inbox row of the push that led to it. */
  scmEventId?: string | null;
  /** A preview that waits for a person before it gets a run: one confirmation stage. */
  parked?: boolean;
  /** Of a raw deployment: its script. */
  command?: SealedCommand | null;
  /** Whoever may has said why the command is run although applies on the stack are looked at before. */
  unguarded?: boolean;
  /** Its plan is confirmed by a person, whatever the stack says. */
  needsPerson?: boolean;
  /** Of one that no person asked for: what its first event says of why it was made. */
  why?: Readonly<Record<string, string>>;
  /** Null for a deployment that no person asked for. */
  actor: Actor | null;
};

/**
 * Create a deployment. Never conflicts on a busy stack: it queues.
 * @throws StackGoneError when the stack was deleted meanwhile, SourceMovedError when its code comes from elsewhere by
 * now, CommandGuardedError, QuotaReachedError at the end of the unit of work
 */
export async function createDeployment(work: Work, input: NewDeployment): Promise<{ id: string }> {
  const { tx } = work;
  const [stack] = await tx.execute<
    LaneStack & Policies & SqlRow<typeof stacks, "branch" | "repository_url" | "repository_key"> & { now: string }
  >(sql`
    select *, svc_now() as now from stacks where stack_key = ${input.stackKey} and deleted_at is null
    for no key update`);
  if (!stack) throw new StackGoneError();
  if ("asked" in input.source && !isOf(stack, input.source.asked)) throw new SourceMovedError();
  if (input.mode === "raw" && input.unguarded !== true) {
    const guards = await guardsOf(tx, input.stackKey);
    if (guards.length > 0) throw new CommandGuardedError(guards);
  }

  const { status, stage, run } = beginningOf(input.mode, input.parked);
  const deployment = await insertDeployment(work, stack, input, status);
  const lane = { now: stack.now, stack, deployment, stages: [] };
  const runId = run === null ? null : await insertRun(work, lane, firstRun(input), run);
  await tx.execute(sql`
    insert into stages (deployment_id, position, kind, phase, run_id, created_at)
    values (${deployment.id}, 1, ${stage}, 'running', ${runId}::uuid, ${stack.now}::timestamptz)`);
  const { command } = input;
  if (command) await storeCommand(tx, deployment.id, command);
  await writeLog(work, lane, {
    activity: [
      {
        kind: "created",
        actor: input.actor,
        details: { ...(command && { command_bytes: command.bytes }), ...input.why },
      },
    ],
    event: { name: "deployment_created", runId, actor: input.actor },
  });
  const start: Extract<OutboxMessage, { kind: "startDeployment" }> = {
    kind: "startDeployment",
    ...subjectOf(deployment),
  };
  work.messages.push(start);
  const promoted = usesLane(input.mode) && (await queue(work, deployment, stack.supersede_age_ms !== null));
  const now = promoted ? "pending" : deployment.status;
  if (input.mode !== "drift" && (now === "queued" || now === "pending"))
    work.additions.push({ quota: "queued_deployments", owner: deployment.org_id });
  if (now === "queued" || now === "pending" || now === "waiting")
    start.sleepMs = sleepOf(now, stack, work.timeouts.startupDeadlineMs);
  return { id: deployment.id };
}

function isOf(
  stack: SqlRow<typeof stacks, "branch" | "repository_url" | "repository_key">,
  asked: AskedSource,
): boolean {
  if (stack.branch !== asked.branch) return false;
  if ("repository_url" in asked) return stack.repository_url === asked.repository_url;
  return stack.repository_key === asked.repository_key;
}

function firstRun(input: NewDeployment) {
  return {
    kind: firstRunKind(input.mode),
    targets: input.targets ?? [],
    excludes: input.excludes ?? [],
    replaces: input.replaces ?? [],
  };
}

async function insertDeployment(
  work: Work,
  stack: LaneStack & { now: string },
  input: NewDeployment,
  status: DeploymentStatus,
): Promise<LaneDeployment> {
  const origin = input.pullRequest;
  const kept = "kept" in input.source ? input.source.kept : null;
  const snapshot = kept
    ? sql`${kept.repository_url}, ${kept.branch}, ${kept.working_directory}, ${kept.tool}, ${kept.tool_version}::text,
        ${JSON.stringify(kept.hooks)}::jsonb`
    : sql`s.repository_url, s.branch, s.working_directory, s.tool, s.tool_version, s.hooks`;
  const [row] = await work.tx.execute<LaneDeployment>(sql`
    with created as (
      insert into deployments (id, org_id, stack_key, mode, status, repository_url, branch, working_directory, tool, tool_version, hooks,
        commit_sha, commit_message, commit_author, origin_type, provenance, needs_person, created_by, created_by_kind, created_at, waiting_since,
        pull_request_id, origin_pr_number, origin_pr_generation, origin_head_sha, origin_pr_title, origin_pr_url, origin_pr_body, origin_scm_event_id,
        origin_dependency_deployment_id, cascade_stack_path)
      select ${uuidv7()}, s.org_id, s.stack_key, ${input.mode}, ${status}, ${snapshot}, ${input.commitSha}, ${input.commitMessage ?? null}::text, ${input.commitAuthor ?? null}::text,
        ${input.originType}, ${input.provenance}, ${input.needsPerson ?? false}::boolean, ${input.actor?.id ?? null}::text, ${input.actor?.kind ?? null}::text, ${stack.now}::timestamptz,
        ${input.parked ? stack.now : null}::timestamptz, ${origin?.id ?? null}::uuid, ${origin?.number ?? null}::integer,
        ${origin?.generation ?? null}::integer, ${origin?.headSha ?? null}::text, ${origin?.title ?? null}::text, ${origin?.url ?? null}::text,
        ${origin?.body ?? null}::text, ${origin?.eventId ?? input.scmEventId ?? null}::uuid,
        ${input.dependency?.deploymentId ?? null}::uuid, ${`{${(input.dependency?.stackPath ?? []).join(",")}}`}::uuid[]
      from stacks s where s.stack_key = ${stack.stack_key}
      returning *
    ), projected as (
      update stacks s set latest_deployment_id = c.id, latest_deployment_status = c.status, latest_deployment_mode = c.mode,
        latest_deployment_commit_sha = c.commit_sha, latest_deployment_created_at = c.created_at, latest_deployment_completed_at = null
      from created c where s.stack_key = c.stack_key and ${takesLane("c")}
    )
    select * from created`);
  if (!row) throw new Error("insert returned no deployment");
  return row;
}

/** Returns whether it need not wait. */
async function queue(work: Work, deployment: LaneDeployment, supersedes: boolean): Promise<boolean> {
  const promoted = await promoteNext(work, deployment.stack_key, deployment.id);
  if (supersedes && deployment.mode === "plan") await tellOlderPlan(work, deployment);
  return promoted === deployment.id;
}

/** Only the plan that was the newest until now learns that it can be superseded; older ones know already. */
async function tellOlderPlan(work: Work, deployment: LaneDeployment): Promise<void> {
  const [older] = await work.tx.execute<SqlRow<typeof deployments, "id" | "status">>(sql`
    select id, status from deployments where stack_key = ${deployment.stack_key} and mode = 'plan' and id <> ${deployment.id}
    order by created_at desc, id desc limit 1`);
  if (older && (older.status === "queued" || older.status === "waiting")) {
    work.messages.push({ kind: "signalDeployment", deploymentId: older.id, signal: "newerPlan" });
  }
}
