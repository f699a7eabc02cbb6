/**
 * A stack with a deployment in every state, and what a decision about them leaves behind, told without ids and times.
 */
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import { passRunDeadline } from "../../src/core/deployments/transitions/runDeadline.ts";
import type { TestDatabase } from "./database.ts";
import { claim, create, decide, makeStack, type TestOrg, type TestService, uploadPlan } from "./fixtures.ts";

export const HOLDERS = ["pending", "returned", "assigned", "planning", "waiting", "asked to stop"] as const;
export type Holder = (typeof HOLDERS)[number];

export type MixedStack = { stackKey: string; slug: string; ids: Record<string, string> };

/** Its ids are by name; the ended ones come first, then the lane's holder, the queue and the previews. */
export async function mixedStack(
  database: TestDatabase,
  service: TestService,
  org: TestOrg,
  holder: Holder,
): Promise<MixedStack> {
  const { sql } = database;
  const stackKey = await makeStack(database, org.orgId);
  const make = (input: Parameters<typeof create>[2] = {}) => create(service, stackKey, input);
  const preview = () => make({ mode: "plan_unlocked" });
  const ids: Record<string, string> = {};
  ids.finished = await make();
  await plan(database, service, org, ids.finished, false);
  ids.skipped = await make();
  await plan(database, service, org, ids.skipped, true);
  await decide(service, database, ids.skipped, "skip");
  ids.cancelled = await make({ mode: "raw" });
  await decide(service, database, ids.cancelled, "cancel");
  ids.holder = await make();
  await bring(database, service, org, ids.holder, holder);
  ids.queued = await make();
  ids.prioritized = await make({ mode: "destroy" });
  await decide(service, database, ids.prioritized, "prioritize");
  ids.awake = await make({ mode: "raw" });
  ids.parked = await make({ mode: "plan_unlocked", parked: true });
  ids.parkedAwake = await make({ mode: "plan_unlocked", parked: true });
  ids.pendingPreview = await preview();
  ids.returnedPreview = await preview();
  await bring(database, service, org, ids.returnedPreview, "returned");
  ids.assignedPreview = await preview();
  await bring(database, service, org, ids.assignedPreview, "assigned");
  ids.runningPreview = await preview();
  await bring(database, service, org, ids.runningPreview, "planning");
  await sql`update deployments set woken_at = svc_now() where id = any(${[ids.awake, ids.parkedAwake]}::uuid[])`;
  await sql`update deployments set origin_type = 'pull_request', origin_pr_number = 7, origin_pr_generation = 1
    where id = any(${[ids.parked, ids.pendingPreview, ids.runningPreview]}::uuid[])`;
  const [stack] = await sql`select slug from stacks where stack_key = ${stackKey}`;
  service.sent.length = 0;
  service.audited.length = 0;
  return { stackKey, slug: stack?.slug, ids };
}

async function plan(
  database: TestDatabase,
  service: TestService,
  org: TestOrg,
  id: string,
  hasChanges: boolean,
): Promise<void> {
  const { runId, runnerId } = await claim(database, org, id);
  await acceptRun(service, runId, runnerId);
  await uploadPlan(database, runId);
  const counts = { add: 0, change: 0, destroy: 0, replace: 0, import: 0, forget: 0, move: 0 };
  const plan_summary = { has_changes: hasChanges, counts, gaps: [] };
  await reportDone(service, runId, runnerId, { status: "success", plan_summary });
}

async function bring(
  database: TestDatabase,
  service: TestService,
  org: TestOrg,
  id: string,
  state: Holder,
): Promise<void> {
  if (state === "pending") return;
  if (state === "waiting") return plan(database, service, org, id, true);
  const { runId, runnerId } = await claim(database, org, id, state === "returned" ? 0 : 120_000);
  if (state === "returned") await passRunDeadline(service, runId);
  if (state === "returned" || state === "assigned") return;
  await acceptRun(service, runId, runnerId);
  if (state === "asked to stop") await decide(service, database, id, "cancel");
}

/** Every row of the stack, what was sent and what was audited: ids by their names, times by whether they are there. */
export async function trace(
  { sql }: TestDatabase,
  { sent, audited }: TestService,
  { stackKey, slug, ids }: MixedStack,
): Promise<string[]> {
  const of = (query: string) => sql.unsafe(query, [stackKey]);
  const own = "(select id from deployments where stack_key = $1)";
  const tables: Record<string, readonly object[]> = {
    stack: await of(
      `select latest_deployment_id, latest_deployment_status, latest_deployment_completed_at from stacks where stack_key = $1`,
    ),
    deployment: await of(`select * from deployments where stack_key = $1`),
    run: await of(`select * from runs where deployment_id in ${own}`),
    stage: await of(`select * from stages where deployment_id in ${own}`),
    runner: await of(
      `select n.status, n.last_seen_at, r.deployment_id from runners n join runs r on r.id = n.run_id where r.deployment_id in ${own}`,
    ),
    activity: await of(`select * from deployment_events where deployment_id in ${own}`),
    event: await of(`select * from domain_events where stack_key = $1`),
    audit: await of(
      `select * from audit_log where resource_id in (select id::text from deployments where stack_key = $1)`,
    ),
    answer: await of(`select deployment_id, kind, answer, answered_at from decisions where deployment_id in ${own}`),
    message: sent.map((message) => ({ message })),
    line: audited,
  };
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, `<${name}>`]));
  const lineOf = (table: string, row: object) =>
    `${table} ${JSON.stringify(row)}`
      .replaceAll(slug, "<slug>")
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => names.get(id) ?? "<id>")
      .replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+(Z|\+00:00)?/g, "<time>");
  return Object.entries(tables)
    .flatMap(([table, rows]) => rows.map((row) => lineOf(table, row)))
    .sort();
}
