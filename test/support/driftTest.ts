/** Stacks that were applied and are checked for drift, and the steps of their organization. */
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import type { DriftPolicy } from "../../src/core/drift/policy.ts";
import { checkDrift } from "../../src/core/drift/step.ts";
import type { DoneBody } from "../../src/core/runs/protocol.ts";
import type { Service } from "../../src/work/service.ts";
import type { TestDatabase } from "./database.ts";
import { claim, create, makeOrg, makeStack, type TestOrg, testService, uploadPlan } from "./fixtures.ts";
import { databaseTest } from "./test.ts";

const NONE = { add: 0, change: 0, destroy: 0, replace: 0, import: 0, forget: 0, move: 0 };

export const DAILY: DriftPolicy = {
  enabled: true,
  interval: "P1D",
  cron: null,
  time_zone: "UTC",
  reconcile: "off",
  ignore: [],
};

/** A refresh as its runner reports it. */
export function refreshed(...addresses: string[]): DoneBody {
  const resources = addresses.map((address) => ({ address, action: "changed" }));
  return {
    status: "success",
    plan_summary: { has_changes: resources.length > 0, counts: { ...NONE, change: resources.length }, gaps: [] },
    drift: { resources, total: resources.length },
  };
}

/** A plan without changes: what the stack runs is what its configuration says. */
export const SETTLED = { has_changes: false, counts: NONE, gaps: [] };

export function driftWorld(database: TestDatabase, service: Service, org: TestOrg) {
  const { sql } = database;

  /** Claimed, accepted and reported by a runner. */
  async function run(deploymentId: string, body: DoneBody, withPlan = false): Promise<void> {
    const { runId, runnerId } = await claim(database, org, deploymentId);
    const accepted = await acceptRun(service, runId, runnerId);
    if (accepted.outcome !== "accepted") throw new Error(`accept was ${accepted.outcome}`);
    if (withPlan) await uploadPlan(database, runId);
    const stored = await reportDone(service, runId, runnerId, body);
    if (stored.outcome !== "stored") throw new Error(`done was ${stored.outcome}`);
  }

  const world = {
    org,
    service,
    run: (deploymentId: string, body: DoneBody) => run(deploymentId, body),
    /** A plan with a change. */
    plan: (deploymentId: string) =>
      run(
        deploymentId,
        { status: "success", plan_summary: { has_changes: true, counts: { ...NONE, change: 1 }, gaps: [] } },
        true,
      ),
    step: (checksPerHour = 1_000) => checkDrift({ service, checksPerHour }, org.orgId),
    /** A stack whose newest deployment has left nothing to apply. */
    async applied(settings: Record<string, unknown> = {}, policy: DriftPolicy | null = DAILY): Promise<string> {
      const stackKey = await makeStack(database, org.orgId, settings);
      await run(await create(service, stackKey), { status: "success", plan_summary: SETTLED });
      if (policy !== null)
        await sql`insert into stack_drift (stack_key, org_id, policy, stale) values (${stackKey}, ${org.orgId}, ${sql.json(policy)}, true)`;
      return stackKey;
    },
    row: async (stackKey: string) => (await sql`select * from stack_drift where stack_key = ${stackKey}`)[0]!,
    due: (stackKey: string) =>
      sql`update stack_drift set due_at = svc_now() - interval '1 second' where stack_key = ${stackKey}`,
    /** The check that is under way. */
    async checking(stackKey: string): Promise<string> {
      await world.step();
      await world.due(stackKey);
      await world.step();
      const { check_id, put_off } = await world.row(stackKey);
      if (check_id === null) throw new Error(`the check was put off: ${put_off}`);
      return check_id;
    },
    /** A whole check that ends so. */
    async check(stackKey: string, body: DoneBody) {
      const id = await world.checking(stackKey);
      await run(id, body);
      await world.step();
      return world.row(stackKey);
    },
    news: async (stackKey: string) =>
      (await sql`select name, data, deployment_id from domain_events where stack_key = ${stackKey}
        and name in ('drift_detected', 'drift_resolved', 'drift_check_failed') order by occurred_at, id`) as unknown as {
        name: string;
        data: Record<string, unknown>;
        deployment_id: string | null;
      }[],
    deployments: (stackKey: string) =>
      sql`select * from deployments where stack_key = ${stackKey} order by created_at, id`,
  };
  return world;
}

export type DriftWorld = ReturnType<typeof driftWorld>;

export const test = databaseTest()
  .extend("service", { scope: "file" }, ({ database }) => testService(database))
  .extend("org", ({ database }) => makeOrg(database))
  .extend("world", ({ database, service, org }) => driftWorld(database, service, org));
