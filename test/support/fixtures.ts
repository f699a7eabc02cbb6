/** Rows to begin a test with, and the product's use cases without HTTP or Temporal around them. */
import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { COMMIT, insertGroup, insertOrg, insertStacks, type StackRow } from "../../bench/harness/rows.ts";
import { createDeployment, type NewDeployment } from "../../src/core/deployments/transitions/create.ts";
import { carryOutDecision, type DecisionAnswer } from "../../src/core/deployments/transitions/decide.ts";
import type { DecisionArguments } from "../../src/core/deployments/transitions/decisionArguments.ts";
import type { OutboxMessage } from "../../src/work/message.ts";
import type { OutboxRow } from "../../src/work/schema.ts";
import type { AuditLine, Service } from "../../src/work/service.ts";
import type { Timeouts } from "../../src/work/timeouts.ts";
import { unitOfWork } from "../../src/work/unitOfWork.ts";
import type { DecisionKind } from "../../workflows/contract.ts";
import type { TestDatabase } from "./database.ts";

export const TIMEOUTS: Timeouts = {
  assignmentMs: 120_000,
  maxAssignmentAttempts: 5,
  startupDeadlineMs: 48 * 3_600_000,
  executionMs: 3_600_000,
  cancellationMs: 600_000,
  maxRunDurationMs: 6 * 3_600_000,
};

export { COMMIT };
export const ACTOR = { id: randomUUID(), kind: "service_account" } as const;

export type TestService = Service & { sent: OutboxMessage[]; audited: AuditLine[] };

/** A service whose messages are collected instead of sent. */
export function testService(database: TestDatabase, timeouts: Partial<Timeouts> = {}): TestService {
  const sent: OutboxMessage[] = [];
  const audited: AuditLine[] = [];
  return {
    db: database.db,
    timeouts: { ...TIMEOUTS, ...timeouts },
    sendSoon: (rows: OutboxRow[]) => void sent.push(...rows.map((row) => row.message)),
    runsPending: () => {},
    audit: (line) => void audited.push(line),
    sent,
    audited,
  };
}

/** An organization's runner group, with the key that its coordinators and runners sign with. */
export type Group = { id: string; orgId: string; privateKeyPem: string };
export type TestOrg = Group & { groupId: string; fingerprint: string };

/** An organization with one default runner group. */
export async function makeOrg(
  { sql }: TestDatabase,
  { runsPerHour, capacity }: { runsPerHour?: number; capacity?: number } = {},
): Promise<TestOrg> {
  const orgId = await insertOrg(sql, { runsPerHour });
  const group = await insertGroup(sql, orgId, { capacity });
  return { ...group, orgId, id: group.groupId };
}

/** A stack; `settings` are columns. */
export async function makeStack(
  { sql }: TestDatabase,
  orgId: string,
  settings: Record<string, unknown> = {},
): Promise<string> {
  const [stack] = await insertStacks(sql, orgId, 1, settings);
  return (stack as StackRow).stack_key;
}

export async function create(service: Service, stackKey: string, input: Partial<NewDeployment> = {}): Promise<string> {
  const [stack] = await service.db.execute<{ repository_url: string; branch: string }>(
    sql`select repository_url, branch from stacks where stack_key = ${stackKey}`,
  );
  const deployment = {
    stackKey,
    source: { asked: stack ?? { repository_url: "", branch: "" } },
    mode: "plan",
    commitSha: COMMIT,
    originType: "manual",
    provenance: "branch",
    actor: ACTOR,
    ...input,
  } as const;
  return (await unitOfWork(service, (work) => createDeployment(work, deployment))).id;
}

/** Claim the deployment's pending run by hand, as the poll does. */
export async function claim(
  { sql }: TestDatabase,
  org: Pick<TestOrg, "orgId" | "groupId">,
  deploymentId: string,
  leaseMs = 120_000,
): Promise<{ runId: string; runnerId: string }> {
  return sql.begin(async (tx) => {
    const [run] =
      await tx`select id, claim_seq from runs where deployment_id = ${deploymentId} and status = 'pending' for update`;
    const [runner] = await tx`
      insert into runners (org_id, group_id, run_id, claim_seq) values (${org.orgId}, ${org.groupId}, ${run?.id}, ${run?.claim_seq + 1}) returning id`;
    await tx`
      update runs set status = 'assigned', claim_seq = claim_seq + 1, assigned_runner_id = ${runner?.id}, assigned_group_id = ${org.groupId},
        assigned_at = svc_now(), assigned_expires_at = svc_now() + ${leaseMs} * interval '1 millisecond' where id = ${run?.id}`;
    return { runId: run?.id as string, runnerId: runner?.id as string };
  });
}

/** Store a plan artifact's row, as an upload does. */
export async function uploadPlan({ sql }: TestDatabase, runId: string): Promise<void> {
  await sql`insert into artifacts (run_id, kind, object_key, size, sha256) values (${runId}, 'plan', 'k', 1, ${"ab".repeat(32)})`;
}

/** Record a decision and carry it out straight on Postgres. */
export async function decide(
  service: Service,
  { sql }: TestDatabase,
  deploymentId: string,
  kind: DecisionKind,
  args: DecisionArguments = {},
): Promise<DecisionAnswer> {
  const [row] = await sql`
    insert into decisions (org_id, deployment_id, kind, principal_id, principal_kind, arguments, expires_at)
    select org_id, id, ${kind}, ${ACTOR.id}, ${ACTOR.kind}, ${sql.json(args)}, svc_now() + interval '10 seconds'
    from deployments where id = ${deploymentId} returning id`;
  await carryOutDecision(service, row?.id, "api");
  const [answered] = await sql`select answer from decisions where id = ${row?.id}`;
  return answered?.answer;
}

export async function statuses({ sql }: TestDatabase, deploymentId: string) {
  const [deployment] = await sql`select * from deployments where id = ${deploymentId}`;
  const runs = await sql`select * from runs where deployment_id = ${deploymentId} order by created_at, id`;
  const stages = await sql`select kind, phase from stages where deployment_id = ${deploymentId} order by position`;
  const events =
    await sql`select kind, details from deployment_events where deployment_id = ${deploymentId} order by created_at, id`;
  return {
    deployment: deployment?.status as string,
    row: deployment ?? {},
    runs: runs.map((run) => `${run.kind}:${run.status}`),
    stages: stages.map((stage) => `${stage.kind}:${stage.phase}`),
    events: events.map((event) => event.kind as string),
    eventRows: events,
  };
}
