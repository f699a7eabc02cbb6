/**
 * From a person's request about many deployments of a stack to the one true answer of each: a decision row for each,
 * one Update that names their batch, the answers from the rows (docs/rules/deployments.md#bulk-decisions).
 */
import { sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";
import type { Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import type { ProblemCode } from "../../platform/problems/problem.ts";
import type { Actor } from "../../work/domainEvent.ts";
import type { Service } from "../../work/service.ts";
import type { BatchKind } from "./endTogether.ts";
import type { decisions } from "./schema.ts";
import { EXPIRED } from "./submitDecision.ts";
import { carryOutBatch } from "./transitions/decideMany.ts";

/**
 * The workflow's side of a batch: one of the stack's workflows carries all of it out. Must settle within `deadlineMs`;
 * the result is a hint, the rows have the answers.
 */
export type BatchSender = { decideMany(batchId: string, deadlineMs: number): Promise<unknown> };

export type NewBatch = { orgId: string; deploymentIds: readonly string[]; kind: BatchKind; actor: Actor };

/**
 * What a decision's row says in the end, as far as a bulk answer repeats it. `expired`: nothing was done nor will be.
 */
export type BatchAnswer =
  | { outcome: "done"; deployment_status: string }
  | { outcome: "conflict"; status: number; code: ProblemCode; detail: string }
  | { outcome: "expired" };

/**
 * Submit the same decision about each of these deployments, all of one stack, and wait for the answers, `deadlineMs` at
 * most. As with a single one, a conflict that no later event can undo needs no workflow. The number of statements is
 * the same for one and for many.
 */
export async function submitBatch(
  service: Service,
  sender: BatchSender,
  batch: NewBatch,
  deadlineMs: number,
): Promise<Map<string, BatchAnswer>> {
  const began = performance.now();
  const { id, live, over } = await recordBatch(service.db, batch, deadlineMs);
  if (over > 0) await carryOutBatch(service, id, { only: "over" });
  if (live > 0) {
    const leftMs = deadlineMs - (performance.now() - began);
    await sender.decideMany(id, leftMs).catch(() => undefined);
  }
  let rows = await readBatch(service.db, id);
  if (rows.some((row) => row.outcome === null)) {
    // Other decisions ended deployments while this one was on its way: nobody else answers about those.
    if (rows.some((row) => row.outcome === null && row.over)) await carryOutBatch(service, id, { only: "over" });
    await closeBatch(service.db, id);
    rows = await readBatch(service.db, id);
  }
  return new Map(rows.map((row) => [row.deployment_id, answerOf(row)]));
}

/** One row for each deployment, as a single decision has it; `over` counts those that have ended. */
async function recordBatch(
  db: Queryable,
  { orgId, deploymentIds, kind, actor }: NewBatch,
  deadlineMs: number,
): Promise<{ id: string; live: number; over: number }> {
  const id = uuidv7();
  const [counted] = await db.execute<{ live: number; over: number }>(sql`
    with clock as materialized (select svc_now() as now), created as (
      insert into decisions (org_id, deployment_id, kind, principal_id, principal_kind, batch, created_at, expires_at)
      select ${orgId}::uuid, t.id::uuid, ${kind}, ${actor.id}, ${actor.kind}, ${id}::uuid, clock.now,
        clock.now + ${deadlineMs}::int * interval '1 millisecond'
      from clock, jsonb_array_elements_text(${JSON.stringify(deploymentIds)}::jsonb) with ordinality t (id, ord) order by t.ord
      returning deployment_id
    )
    select count(*) filter (where d.completed_at is null)::int as live, count(d.completed_at)::int as over
    from created c join deployments d on d.id = c.deployment_id`);
  return { id, live: counted?.live ?? 0, over: counted?.over ?? 0 };
}

type Row = SqlRow<typeof decisions, "deployment_id"> & {
  over: boolean;
  outcome: BatchAnswer["outcome"] | null;
  deployment_status: string | null;
  status: number | null;
  code: ProblemCode | null;
  detail: string | null;
};

async function readBatch(db: Queryable, id: string): Promise<Row[]> {
  return db.execute<Row>(sql`
    select c.deployment_id, d.completed_at is not null as over, c.answer ->> 'outcome' as outcome,
      c.answer #>> '{deployment,status}' as deployment_status, (c.answer ->> 'status')::int as status, c.answer ->> 'code' as code,
      c.answer ->> 'detail' as detail
    from decisions c join deployments d on d.id = c.deployment_id where c.batch = ${id} order by c.id`);
}

/**
 * Close what is unanswered, so that a 503 means nothing was done nor will be. The rows are locked in the order in which
 * a transition locks them: one that holds them is waited for, and its answers stay.
 */
async function closeBatch(db: Queryable, id: string): Promise<void> {
  await db.execute(sql`
    with open as materialized (
      select c.id from decisions c where c.batch = ${id} and c.answer is null order by c.id for no key update
    )
    update decisions c set answer = ${JSON.stringify(EXPIRED)}::jsonb, answered_at = svc_now()
    from open where c.id = open.id and c.answer is null`);
}

function answerOf({ outcome, deployment_status, status, code, detail }: Row): BatchAnswer {
  if (outcome === "done" && deployment_status !== null) return { outcome, deployment_status };
  if (outcome === "conflict" && status !== null && code !== null && detail !== null)
    return { outcome, status, code, detail };
  return { outcome: "expired" };
}
