/**
 * Carry out a batch of decision rows about one stack: one transaction that locks the stack once, decides about each,
 * writes what it can in a statement for all, and stores every answer (docs/rules/deployments.md#bulk-decisions).
 */
import { sql } from "drizzle-orm";
import type { BatchResult } from "../../../../workflows/views.ts";
import type { Tx } from "../../../platform/db/client.ts";
import type { SqlRow } from "../../../platform/db/sqlRow.ts";
import { NotFoundError } from "../../../platform/problems/problem.ts";
import type { Service } from "../../../work/service.ts";
import { unitOfWork, type Work } from "../../../work/unitOfWork.ts";
import type { Change } from "../change.ts";
import { viewerOf } from "../dependencyOrigin.ts";
import { type BatchKind, ENDS } from "../endTogether.ts";
import { type Lane, lockLanes } from "../lane.ts";
import { readDeployments } from "../resource.ts";
import type { DeploymentResource } from "../resourceSchema.ts";
import type { decisions } from "../schema.ts";
import { writeChanges } from "../writeChanges.ts";
import { actorOf, conflict, type Decision, type DecisionAnswer, effectOf } from "./decide.ts";

/** Of one batch all are of one kind, by one person, on one stack. */
type BatchRow = Decision &
  SqlRow<typeof decisions, "id" | "deployment_id"> & {
    kind: BatchKind;
    outcome: DecisionAnswer["outcome"] | null;
    expired: boolean;
  };
type Done = { row: BatchRow; lane: Lane; change: Change | null };
type Answers = Map<string, DecisionAnswer>;

/**
 * Carry out what is unanswered of the batch, once; a repeat changes nothing and tells the same. `carrier` is the
 * deployment whose workflow does it, and which therefore is told nothing. `only: "over"`: of deployments that have
 * ended, which is a conflict for most.
 */
export async function carryOutBatch(
  service: Service,
  batchId: string,
  { carrier, only }: { carrier?: string; only?: "over" } = {},
): Promise<BatchResult> {
  return unitOfWork(service, async (work) => {
    const rows = await lockBatch(work.tx, batchId, only);
    const open = rows.filter((row) => row.outcome === null);
    const answers: Answers = new Map(open.filter((row) => row.expired).map(({ id }) => [id, { outcome: "expired" }]));
    const due = open.filter((row) => !row.expired);
    if (due.length > 0) await answerAll(work, due, carrier, answers);
    if (answers.size > 0) await storeAnswers(work.tx, answers);
    return counted(rows.map((row) => row.outcome ?? answers.get(row.id)?.outcome));
  });
}

/** In the order of their ids, as whoever closes a batch locks them. */
async function lockBatch(tx: Tx, batchId: string, only: "over" | undefined): Promise<BatchRow[]> {
  const ended = sql`exists (select from deployments d where d.id = c.deployment_id and d.completed_at is not null)`;
  return tx.execute<BatchRow>(sql`
    select c.id, c.deployment_id, c.kind, c.principal_id, c.principal_kind, c.arguments, c.answer ->> 'outcome' as outcome,
      c.expires_at <= svc_now() as expired
    from decisions c where c.batch = ${batchId} and ${only === "over" ? ended : sql`true`} order by c.id for no key update of c`);
}

async function answerAll(work: Work, rows: BatchRow[], carrier: string | undefined, answers: Answers): Promise<void> {
  const ids = rows.map((row) => row.deployment_id);
  const lanes = await lockLanes(work.tx, ids);
  const done: Done[] = [];
  for (const row of rows) {
    const lane = lanes.get(row.deployment_id);
    const via = row.deployment_id === carrier ? "deployment" : "api";
    const effect = lane ? effectOf(lane, row, via) : { conflict: conflict(new NotFoundError()) };
    if ("conflict" in effect) answers.set(row.id, effect.conflict);
    else if (lane) done.push({ row, lane, change: effect.change });
  }
  const [first] = done;
  if (first === undefined) return;
  const changes = done.flatMap(({ lane, change }) => (change ? [{ lane, change }] : []));
  await writeChanges(work, changes, ENDS[first.row.kind], actorOf(first.row));
  for (const [id, deployment] of await readAll(work.tx, done)) answers.set(id, { outcome: "done", deployment });
}

/** The deployments after their decisions, by the id of the decision: one read for all. */
async function readAll(tx: Tx, done: Done[]): Promise<[string, DeploymentResource][]> {
  const viewer = done[0] ? viewerOf(actorOf(done[0].row), done[0].lane.deployment.org_id) : null;
  const ids = JSON.stringify(done.map(({ lane }) => lane.deployment.id));
  const page = sql`select t.id::uuid as id, t.ord from jsonb_array_elements_text(${ids}::jsonb) with ordinality t (id, ord)`;
  const resources = await readDeployments(tx, viewer, page);
  return done.map(({ row }, i) => [row.id, resources[i] as DeploymentResource]);
}

async function storeAnswers(tx: Tx, answers: Answers): Promise<void> {
  const rows = JSON.stringify([...answers].map(([id, answer]) => ({ id, answer })));
  await tx.execute(sql`
    update decisions c set answer = a.answer, answered_at = svc_now()
    from jsonb_to_recordset(${rows}::jsonb) a (id uuid, answer jsonb) where c.id = a.id and c.answer is null`);
}

function counted(outcomes: (DecisionAnswer["outcome"] | undefined)[]): BatchResult {
  const count = (kind: DecisionAnswer["outcome"]) => outcomes.filter((outcome) => outcome === kind).length;
  return { done: count("done"), conflict: count("conflict"), expired: count("expired") };
}
