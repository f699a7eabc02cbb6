/** Applies that something follows from: what those tests begin with. */
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import { applied, testCascade } from "./cascades.ts";
import { claim, makeStack, uploadPlan } from "./fixtures.ts";
import { test as base } from "./test.ts";

export const test = base.extend("world", async ({ service, database, org }) => {
  const deps = testCascade(service);
  const stack = (settings: object = {}) => makeStack(database, org.orgId, { auto_approve_mode: "auto", ...settings });
  const apply = (stackKey: string) => applied(service, database, org, stackKey);
  const started = () => service.sent.filter(({ kind }) => kind === "startCascade");
  const failedEvents = (orgId = org.orgId) =>
    database.sql`select deployment_id, data from domain_events where org_id = ${orgId} and name = 'dependent_trigger_failed'`;

  /** A plan by hand, since a destroy always waits for a person. */
  async function applyPendingPlan(deploymentId: string) {
    const plan = await claim(database, org, deploymentId);
    await acceptRun(service, plan.runId, plan.runnerId);
    await uploadPlan(database, plan.runId);
    await reportDone(service, plan.runId, plan.runnerId, { status: "success" });
    return plan;
  }

  async function claimApply(deploymentId: string, plan: { runId: string }) {
    const run = await claim(database, org, deploymentId);
    await acceptRun(service, run.runId, run.runnerId);
    return { deploymentId, planRunId: plan.runId, ...run };
  }

  return { stack, apply, started, failedEvents, applyPendingPlan, claimApply, deps };
});
