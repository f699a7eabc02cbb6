/** Compares the rows at the end of a fault run with what the outside world saw. Every count must be 0. */
import type postgres from "postgres";
import { commitOf, storyOf } from "./story.ts";
import type { Witness } from "./witness.ts";

export type Findings = { lost: string[]; doubled: string[]; stuck: string[]; lanesNotFree: string[] };

type DeploymentRow = { id: string; commit_sha: string; status: string; confirms: number; applies: number };
type RunRow = { id: string; status: string; cancel_requested: boolean };

export type Rows = { deployments: DeploymentRow[]; runs: RunRow[] };

/** @param openWorkflows ids of workflows that are still open though their rows are terminal */
export async function audit(
  sql: postgres.Sql,
  count: number,
  witness: Witness,
  openWorkflows: readonly string[],
): Promise<Findings> {
  const deployments = await sql<DeploymentRow[]>`
    select d.id, d.commit_sha, d.status,
      (select count(*)::int from deployment_events e where e.deployment_id = d.id and e.kind = 'confirmed_apply') as confirms,
      (select count(*)::int from runs r where r.deployment_id = d.id and r.kind = 'apply_run') as applies
    from deployments d`;
  const runs = await sql<RunRow[]>`select id, status, cancel_requested_at is not null as cancel_requested from runs`;
  const holders = await sql`
    select stack_key, id, status from deployments where mode not in ('plan_unlocked', 'drift') and status in ('pending', 'planning',
      'applying', 'waiting', 'requested_cancellation', 'cancelling')`;
  return {
    ...compare({ deployments, runs }, count, witness),
    stuck: await stuck(sql, openWorkflows),
    lanesNotFree: holders.map((row) => `stack ${row.stack_key}: deployment ${row.id} is ${row.status}`),
  };
}

/** The rows against what the outside world saw. Pure. */
export function compare(
  { deployments, runs }: Rows,
  count: number,
  witness: Witness,
): Pick<Findings, "lost" | "doubled"> {
  return {
    lost: [...lostDeployments(deployments, count, witness), ...lostReports(runs, witness)],
    doubled: doubled(deployments, witness),
  };
}

/** What a person was told and the rows deny. */
function lostDeployments(rows: readonly DeploymentRow[], count: number, witness: Witness): string[] {
  const lost: string[] = [];
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (let i = 0; i < count; i++) {
    const id = witness.created.get(commitOf(i));
    if (id === undefined) lost.push(`create ${i} was never answered with 201`);
    else if (!byId.has(id)) lost.push(`deployment ${id} was created and is gone`);
    else if (byId.get(id)?.status === "skipped" && storyOf(i) !== "skipped")
      lost.push(`deployment ${id} was skipped by nobody`);
  }
  for (const id of witness.confirmed) {
    const row = byId.get(id);
    if (row && row.applies !== 1) lost.push(`deployment ${id} was confirmed and has ${row.applies} apply runs`);
  }
  for (const id of witness.skipped) {
    if (byId.get(id)?.status !== "skipped") lost.push(`deployment ${id} was skipped and is ${byId.get(id)?.status}`);
  }
  for (const id of witness.cancelled) {
    const status = byId.get(id)?.status ?? "";
    // An apply that succeeds after the cancel was asked for is real.
    if (!["cancelled", "finished"].includes(status)) lost.push(`deployment ${id} was cancelled and is ${status}`);
  }
  return lost;
}

/**
 * What a runner reported and the service took must be what is stored, save that a cancel makes most ends `cancelled`.
 */
function lostReports(rows: readonly RunRow[], witness: Witness): string[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return [...witness.reported].flatMap(([id, status]) => {
    const row = byId.get(id);
    if (row === undefined) return [`run ${id} was reported ${status} and is gone`];
    const expected = row.cancel_requested ? [status, "cancelled"] : [status];
    return expected.includes(row.status) ? [] : [`run ${id} was reported ${status} and is ${row.status}`];
  });
}

function doubled(rows: readonly DeploymentRow[], witness: Witness): string[] {
  const found: string[] = [];
  for (const [commit, same] of Map.groupBy(rows, (row) => row.commit_sha)) {
    if (same.length > 1) found.push(`commit ${commit} has ${same.length} deployments`);
  }
  for (const { id, confirms, applies } of rows) {
    if (confirms > 1 || applies > 1) found.push(`deployment ${id}: ${confirms} confirmations, ${applies} apply runs`);
  }
  for (const [plan, runs] of witness.applies) {
    if (runs.length > 1) found.push(`plan ${plan} was handed out to ${runs.length} applies: ${runs.join(", ")}`);
  }
  for (const { stack, first, second } of witness.overlaps) {
    found.push(`runs ${first} and ${second} were at work on stack ${stack} at once`);
  }
  return found;
}

async function stuck(sql: postgres.Sql, openWorkflows: readonly string[]): Promise<string[]> {
  const live = await sql`
    select 'deployment ' || id || ' is ' || status as what from deployments where completed_at is null
    union all select 'run ' || id || ' is ' || status from runs where completed_at is null
    union all select 'stage ' || id || ' of deployment ' || deployment_id || ' is ' || phase from stages where completed_at is null
    union all select 'outbox row ' || id || ' waits: ' || message::text from outbox`;
  return [...live.map((row) => row.what as string), ...openWorkflows.map((id) => `workflow ${id} is still open`)];
}
