/**
 * A deployment's steps as a runner and the API take them, messages and all, so that its workflows live as in
 * production.
 */
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import { claimRun } from "../../src/core/dispatch/claim.ts";
import type { DoneBody } from "../../src/core/runs/protocol.ts";
import { createMetrics } from "../../src/platform/telemetry/metrics.ts";
import { workflowIds } from "../../workflows/ids.ts";
import type { DeploymentView, RunView } from "../../workflows/views.ts";
import type { TestCore } from "./core.ts";
import type { TestDatabase } from "./database.ts";
import { type TestOrg, uploadPlan } from "./fixtures.ts";
import { waitFor } from "./waitFor.ts";

export type Claimed = { runId: string; runnerId: string };

const PLAN_WITH_CHANGES: DoneBody = {
  status: "success",
  plan_summary: {
    has_changes: true,
    counts: { add: 1, change: 0, destroy: 0, replace: 0, import: 0, forget: 0, move: 0 },
    gaps: [],
  },
};

/** Claim the organization's next pending run through the poll's own transaction. */
export async function poll({ service }: Pick<TestCore, "service">, org: TestOrg): Promise<Claimed> {
  const limits = { rateLimit: false, maxPerOrg: undefined };
  const claimed = await claimRun({ service, limits, metrics: createMetrics() }, org, () => false);
  if (claimed.outcome !== "claimed") throw new Error(`the poll answered ${claimed.outcome}`);
  return claimed.run;
}

export async function accept({ service }: Pick<TestCore, "service">, { runId, runnerId }: Claimed): Promise<void> {
  const { outcome } = await acceptRun(service, runId, runnerId);
  if (outcome !== "accepted") throw new Error(`accept was ${outcome}`);
}

export async function donePlan(core: TestCore, database: TestDatabase, run: Claimed): Promise<void> {
  await uploadPlan(database, run.runId);
  await reportDone(core.service, run.runId, run.runnerId, PLAN_WITH_CHANGES);
}

export async function doneApply({ service }: Pick<TestCore, "service">, run: Claimed): Promise<void> {
  await reportDone(service, run.runId, run.runnerId, { status: "success" });
}

/** Claim, accept and plan: the deployment then waits for a person. */
export async function untilWaiting(core: TestCore, database: TestDatabase, org: TestOrg): Promise<Claimed> {
  const plan = await poll(core, org);
  await accept(core, plan);
  await donePlan(core, database, plan);
  return plan;
}

/** Until the deployment's workflow has read this status. */
export function deploymentSees(core: TestCore, deploymentId: string, status: string): Promise<DeploymentView> {
  return seen(core, workflowIds.deployment(deploymentId), status) as Promise<DeploymentView>;
}

export function leaseSees(core: TestCore, runId: string, status: string): Promise<RunView> {
  return seen(core, workflowIds.lease(runId), status) as Promise<RunView>;
}

/** What the workflow sees of its row. One that sleeps is woken for it: it answers the next question. */
export async function viewOf(core: TestCore, workflowId: string): Promise<{ status: string } | null> {
  const view = (await core.temporal.state(workflowId)) as { status: string } | null;
  if (view === null) await core.temporal.wake(workflowId, "reread");
  return view;
}

function seen(core: TestCore, workflowId: string, status: string): Promise<unknown> {
  return waitFor(
    async () => {
      const view = await viewOf(core, workflowId);
      return view?.status === status ? view : undefined;
    },
    { what: `${workflowId} to see ${status}`, timeoutMs: 45_000 },
  );
}

/** Until the deployment's row has this status. */
export async function rowBecomes({ sql }: TestDatabase, deploymentId: string, status: string): Promise<void> {
  await waitFor(
    async () => (await sql`select 1 from deployments where id = ${deploymentId} and status = ${status}`).length === 1,
    { what: `deployment ${deploymentId} to be ${status}`, timeoutMs: 45_000 },
  );
}
