/** Plans that policies look at, on real Postgres, without HTTP and Temporal. */
import { Readable } from "node:stream";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import { evaluatePlan } from "../../src/core/policies/evaluatePlan.ts";
import type { Rules } from "../../src/core/policies/rules.ts";
import type { PlanChange } from "../../src/core/runs/planChange.ts";
import type { PlanSummary } from "../../src/core/runs/protocol.ts";
import type { Service } from "../../src/work/service.ts";
import type { TestDatabase } from "./database.ts";
import { ACTOR, claim, create, makeStack, type TestOrg, uploadPlan } from "./fixtures.ts";

const NONE = { add: 0, change: 0, destroy: 0, replace: 0, import: 0, forget: 0, move: 0 };
const NO_RULES: Rules = { protected_types: [], max_destroys: null, windows: null, attention: [] };

export const change = (type: string, action: PlanChange["action"]): PlanChange => ({
  kind: "resource",
  address: `${type}.x`,
  type,
  provider: "p",
  action,
  actions: [],
  before: null,
  after: null,
});

/** Nothing is destroyed. */
export const KEEP: Partial<Rules> = { max_destroys: 0 };

type Settings = {
  enforcement?: "shadow" | "advisory" | "mandatory";
  selector?: Record<string, string>;
  modes?: string[];
  rules?: Partial<Rules>;
};

export function policyWorld(database: TestDatabase, service: Service, org: TestOrg) {
  const { sql } = database;
  const stored = new Map<string, Buffer>();
  const objects = {
    getSealed: async (key: string) => {
      const bytes = stored.get(key);
      return bytes === undefined ? null : Readable.from([bytes]);
    },
  };
  let nth = 0;

  async function plan(deploymentId: string, changes: readonly PlanChange[] = [change("vm", "destroy")]) {
    const { runId, runnerId } = await claim(database, org, deploymentId);
    await acceptRun(service, runId, runnerId);
    await uploadPlan(database, runId);
    const lines = Buffer.from(changes.map((one) => `${JSON.stringify(one)}\n`).join(""));
    stored.set(runId, lines);
    await sql`insert into artifacts (run_id, kind, object_key, size, sha256)
      values (${runId}, 'changes', ${runId}, ${lines.length}, ${"cd".repeat(32)})`;
    const counts = { ...NONE, destroy: changes.filter(({ action }) => action === "destroy").length };
    const plan_summary: PlanSummary = { has_changes: true, counts, gaps: [] };
    const { outcome } = await reportDone(service, runId, runnerId, { status: "success", plan_summary });
    if (outcome !== "stored") throw new Error(`done was ${outcome}`);
    return runId;
  }

  const world = {
    objects,
    forget: (runId: string) => stored.delete(runId),
    async policy({ enforcement = "mandatory", selector = {}, modes, rules = KEEP }: Settings = {}): Promise<string> {
      const [row] = await sql`
        insert into policies (org_id, name, enforcement, selector, modes, version, last_version)
        values (${org.orgId}, ${`policy ${++nth}`}, ${enforcement}, ${sql.json(selector)},
          ${modes ?? ["plan", "destroy", "refresh"]}, 1, 1) returning id`;
      await sql`insert into policy_versions (policy_id, version, kind, digest, rules, created_by, created_by_kind)
        values (${row?.id}, 1, 'rules', ${"ef".repeat(32)}, ${sql.json({ ...NO_RULES, ...rules } as never)}, ${ACTOR.id}, ${ACTOR.kind})`;
      return row?.id;
    },
    plan,
    /** A new stack's deployment that is planned. */
    async planned(changes?: readonly PlanChange[], stack: Record<string, unknown> = {}) {
      const stackKey = await makeStack(database, org.orgId, stack);
      const id = await create(service, stackKey);
      return { id, stackKey, runId: await plan(id, changes) };
    },
    /** As the deployment's workflow does. */
    async evaluate(deploymentId: string): Promise<void> {
      const [row] =
        await sql`select id from policy_evaluations where deployment_id = ${deploymentId} and status = 'pending'`;
      if (row === undefined) throw new Error("no evaluation is to be carried out");
      await evaluatePlan({ service, objects }, deploymentId, row.id);
    },
    gates: async (deploymentId: string) =>
      (
        await sql`select gate, code, detail, due_at, open_until from deployment_gates where deployment_id = ${deploymentId}`
      ).map((row) => ({ ...row })) as unknown as {
        gate: string;
        code: string;
        detail: string;
        due_at: Date | null;
        open_until: Date | null;
      }[],
    evaluations: async (deploymentId: string) => [
      ...(await sql`select * from policy_evaluations where deployment_id = ${deploymentId} order by id`),
    ],
    status: async (deploymentId: string) =>
      (await sql`select status from deployments where id = ${deploymentId}`)[0]?.status as string,
    events: async (deploymentId: string) =>
      (await sql`select name from domain_events where deployment_id = ${deploymentId} order by occurred_at, id`).map(
        ({ name }) => name as string,
      ),
    activity: async (deploymentId: string) =>
      [
        ...(await sql`select kind, details from deployment_events where deployment_id = ${deploymentId} order by id`),
      ] as unknown as {
        kind: string;
        details: Record<string, unknown>;
      }[],
    /** The gate's hour has come. */
    due: (deploymentId: string) =>
      sql`update deployment_gates set due_at = svc_now(), open_until = case when open_until is not null then svc_now() end
        where deployment_id = ${deploymentId}`,
  };
  return world;
}

export type PolicyWorld = ReturnType<typeof policyWorld>;
