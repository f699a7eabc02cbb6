/** Schedules and lifetimes of an organization, and the steps that carry them out. */
import { randomBytes } from "node:crypto";
import type { HeadOf } from "../../src/core/deployments/head.ts";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import type { DoneBody } from "../../src/core/runs/protocol.ts";
import type { ScheduleDeps } from "../../src/core/schedules/make.ts";
import { runSchedules } from "../../src/core/schedules/step.ts";
import { createKeyring } from "../../src/platform/crypto/keyring.ts";
import type { Service } from "../../src/work/service.ts";
import type { TestDatabase } from "./database.ts";
import { claim, makeOrg, type TestOrg, testService, uploadPlan } from "./fixtures.ts";
import { databaseTest } from "./test.ts";

export const HEAD = "c".repeat(40);
const NONE = { add: 0, change: 0, destroy: 0, replace: 0, import: 0, forget: 0, move: 0 };
/** A plan that leaves nothing to apply. */
export const SETTLED: DoneBody = { status: "success", plan_summary: { has_changes: false, counts: NONE, gaps: [] } };
/** A plan that destroys one resource. */
export const DESTROYS: DoneBody = {
  status: "success",
  plan_summary: { has_changes: true, counts: { ...NONE, destroy: 1 }, gaps: [] },
};

export function schedulesWorld(database: TestDatabase, service: Service, org: TestOrg) {
  const { sql } = database;
  const keyring = createKeyring({ provider: "aes-256", key: randomBytes(32), previousKeys: [] });
  const unexpected: unknown[] = [];
  let head: HeadOf = async () => ({ sha: HEAD, message: "m", author: "a" });
  const deps: ScheduleDeps = {
    service,
    keyring,
    headOf: (stack) => head(stack),
    onUnexpected: (error) => void unexpected.push(error),
  };
  const world = {
    org,
    service,
    keyring,
    deps,
    unexpected,
    /** What the host answers from now on. */
    asks(answer: HeadOf) {
      head = answer;
    },
    step: () => runSchedules(deps, org.orgId),
    /** A daily schedule; `settings` are columns. */
    async schedule(settings: Record<string, unknown>): Promise<string> {
      const row = { org_id: org.orgId, name: "nightly", mode: "plan", cron: "0 3 * * *", ...settings };
      const [made] = await sql`insert into schedules ${sql(row)} returning id`;
      return made?.id as string;
    },
    /** Its next occurrence was so many seconds ago. */
    due: (id: string, seconds = 1) =>
      sql`update schedules set next_at = date_trunc('second', svc_now()) - ${seconds} * interval '1 second' where id = ${id}`,
    row: async (id: string) => (await sql`select * from schedules where id = ${id}`)[0]!,
    occurrences: (id: string) =>
      sql`select * from schedule_occurrences where schedule_id = ${id} order by occurs_at, stack_key`,
    deployments: (stackKey: string) =>
      sql`select * from deployments where stack_key = ${stackKey} order by created_at, id`,
    news: async (stackKey: string) =>
      (await sql`select name, data, actor_id from domain_events where stack_key = ${stackKey}
        and name in ('schedule_missed', 'stack_expiring', 'stack_expiry_failed', 'stack_deleted') order by occurred_at, id`) as unknown as {
        name: string;
        data: Record<string, unknown>;
        actor_id: string | null;
      }[],
    /** The pending run of a deployment, claimed, accepted and reported by a runner. */
    async run(deploymentId: string, body: DoneBody, withPlan = false): Promise<void> {
      const { runId, runnerId } = await claim(database, org, deploymentId);
      const accepted = await acceptRun(service, runId, runnerId);
      if (accepted.outcome !== "accepted") throw new Error(`accept was ${accepted.outcome}`);
      if (withPlan) await uploadPlan(database, runId);
      const stored = await reportDone(service, runId, runnerId, body);
      if (stored.outcome !== "stored") throw new Error(`done was ${stored.outcome}`);
    },
  };
  return world;
}

export const test = databaseTest()
  .extend("service", { scope: "file" }, ({ database }) => testService(database))
  .extend("org", ({ database }) => makeOrg(database))
  .extend("world", ({ database, service, org }) => schedulesWorld(database, service, org));
