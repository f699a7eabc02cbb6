/** Batches of decisions raced with everything that works on the same stack: two pools stand for two processes. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BatchKind } from "../../src/core/deployments/endTogether.ts";
import { type BatchAnswer, submitBatch } from "../../src/core/deployments/submitBatch.ts";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { carryOutBatch } from "../../src/core/deployments/transitions/decideMany.ts";
import { passDeploymentDeadline } from "../../src/core/deployments/transitions/deploymentDeadline.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import { deleteStack } from "../../src/core/stackLife/deleteStack.ts";
import { connect } from "../../src/platform/db/client.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import {
  ACTOR,
  claim,
  create,
  decide,
  makeOrg,
  makeStack,
  statuses,
  type TestOrg,
  type TestService,
  testService,
  uploadPlan,
} from "../support/fixtures.ts";
import { poll } from "../support/lifecycle.ts";

let database: TestDatabase;
let services: TestService[];
let org: TestOrg;
beforeAll(async () => {
  database = await freshDatabase({ max: 10 });
  const other = connect(database.url, { max: 10, name: "other" });
  services = [testService(database), { ...testService(database), db: other }];
  org = await makeOrg(database);
});
afterAll(async () => {
  // Whoever waited for each other would have been tried again, and so not be seen.
  const [row] = await database.sql`select deadlocks::int from pg_stat_database where datname = current_database()`;
  expect(row?.deadlocks).toBe(0);
  await services[1]?.db.$client.end();
  await database.close();
});

const any = (index: number) => services[index % 2] as TestService;

/** A holder that waits for a person, and `count` behind it. */
async function busyStack(count: number): Promise<{ stackKey: string; ids: string[] }> {
  const stackKey = await makeStack(database, org.orgId);
  const holder = await create(any(0), stackKey);
  const { runId, runnerId } = await claim(database, org, holder);
  await acceptRun(any(0), runId, runnerId);
  await uploadPlan(database, runId);
  await reportDone(any(0), runId, runnerId, { status: "success" });
  const ids = [holder];
  for (let i = 0; i < count; i++) ids.push(await create(any(i), stackKey));
  return { stackKey, ids };
}

function many(index: number, ids: readonly string[], kind: BatchKind): Promise<Map<string, BatchAnswer>> {
  const service = any(index);
  // Two processes may have the same Update, and a third one comes later.
  const sender = {
    decideMany: async (id: string) => {
      await Promise.all([carryOutBatch(service, id), carryOutBatch(any(index + 1), id, { carrier: ids[0] as string })]);
    },
  };
  return submitBatch(service, sender, { orgId: org.orgId, deploymentIds: ids, kind, actor: ACTOR }, 10_000);
}

/**
 * Claims what becomes pending meanwhile, accepts it and reports its end, as a runner that knows nothing of the rest.
 */
async function work(service: TestService): Promise<void> {
  for (let polls = 0; polls < 6; polls++) {
    const run = await poll({ service }, org).catch(() => null);
    if (run === null) continue;
    const accepted = await acceptRun(service, run.runId, run.runnerId);
    if (accepted.outcome === "accepted")
      await reportDone(service, run.runId, run.runnerId, { status: "failure", exit_code: 1 });
  }
}

async function expectSound(stackKey: string): Promise<void> {
  const { sql } = database;
  const rows = await sql`select id, status, mode, completed_at from deployments where stack_key = ${stackKey}`;
  const live = rows.filter((row) => row.completed_at === null && row.mode !== "plan_unlocked");
  const holders = live.filter((row) => row.status !== "queued");
  expect(holders.length).toBeLessThanOrEqual(1);
  // A free lane with a queue would be a lane lost.
  if (live.length > 0) expect(holders).toHaveLength(1);
  const [stack] = await sql`select latest_deployment_status as shown, d.status from stacks s
    join deployments d on d.id = s.latest_deployment_id where s.stack_key = ${stackKey}`;
  expect(stack?.shown).toBe(stack?.status);
  const unanswered = await sql`select c.id from decisions c join deployments d on d.id = c.deployment_id
    where d.stack_key = ${stackKey} and (c.answer is null or c.answer ->> 'outcome' = 'expired')`;
  expect(unanswered).toEqual([]);
  for (const { id, status, completed_at } of rows) {
    const ends =
      await sql`select name from domain_events where deployment_id = ${id} and name in ('deployment_succeeded',
      'deployment_failed', 'deployment_cancelled', 'deployment_skipped', 'deployment_auto_skipped')`;
    expect([id, status, ends.length]).toEqual([id, status, completed_at === null ? 0 : 1]);
    const runs = await sql`select status from runs where deployment_id = ${id} and completed_at is null`;
    expect([id, status, runs.length <= (completed_at === null ? 1 : 0)]).toEqual([id, status, true]);
    const open = await sql`select phase from stages where deployment_id = ${id} and completed_at is null`;
    expect([id, status, open.length]).toEqual([id, status, completed_at === null ? 1 : 0]);
  }
}

test("one confirm, skip or cancel of the holder against a batch with it, 40 times: one of them wins, both say so", async () => {
  const singles = ["confirm", "skip", "cancel"] as const;
  for (let round = 0; round < 40; round++) {
    const { stackKey, ids } = await busyStack(2);
    const [holder] = ids as [string];
    const single = singles[round % 3] as (typeof singles)[number];
    const kind = round % 2 === 0 ? "cancel" : "skip";
    const [one, all] = await Promise.all([
      decide(any(round), database, holder, single, single === "confirm" ? { action: "apply" } : {}),
      many(round + 1, ids, kind),
    ]);
    const { deployment, events } = await statuses(database, holder);
    const answer = all.get(holder);
    const named = { deployment, single: one.outcome, batch: answer?.outcome };
    if (single === "confirm") {
      // A cancel ends what was confirmed a moment before; a skip cannot.
      expect([
        { deployment: "cancelled", single: "done", batch: "done" },
        { deployment: "cancelled", single: "conflict", batch: "done" },
        { deployment: "skipped", single: "conflict", batch: "done" },
        { deployment: "applying", single: "done", batch: "conflict" },
      ]).toContainEqual(named);
    } else if (single === "cancel" && kind === "cancel") {
      expect(named).toEqual({ deployment: "cancelled", single: "done", batch: "done" });
    } else {
      // Cancel of what was cancelled is done without effect; nothing else is done twice.
      expect(["done", "conflict"]).toContain(named.single);
      expect([named.single, named.batch]).toContain("done");
    }
    expect(events.filter((name) => name === "cancellation_requested" || name === "skipped").length).toBeLessThanOrEqual(
      1,
    );
    // The first in the queue may have been given the lane meanwhile, which no skip ends.
    const followers = ids.slice(kind === "skip" ? 2 : 1);
    for (const id of followers) expect(all.get(id)).toMatchObject({ outcome: "done" });
    await expectSound(stackKey);
  }
});

test("batches, singles, deadlines, creates and a runner at once, 25 times: the lane is sound and every answer true", async () => {
  const kinds = ["confirm", "skip", "cancel", "prioritize", "deprioritize"] as const;
  for (let round = 0; round < 25; round++) {
    const { stackKey, ids } = await busyStack(6);
    const preview = await create(any(0), stackKey, { mode: "plan_unlocked" });
    const parked = await create(any(0), stackKey, { mode: "plan_unlocked", parked: true });
    const all = [...ids, preview, parked];
    await database.sql`update stacks set supersede_age_ms = 1 where stack_key = ${stackKey}`;
    const rotated = (by: number) => [...all.slice(by), ...all.slice(0, by)];
    const calls: (() => Promise<unknown>)[] = [
      () => many(0, rotated(round % all.length), "cancel"),
      () => many(1, rotated((round + 3) % all.length).slice(0, 5), "skip"),
      () => many(0, ids.slice(1), round % 2 === 0 ? "skip" : "cancel"),
      () => work(any(round)),
      () => passDeploymentDeadline(any(0), ids[(round % 5) + 1] as string),
      () => create(any(1), stackKey),
      ...Array.from({ length: 10 }, (_, i) => {
        const kind = kinds[(i + round) % kinds.length] as (typeof kinds)[number];
        const id = all[(i * 3 + round) % all.length] as string;
        return () => decide(any(i), database, id, kind, kind === "confirm" ? { action: "apply" } : {});
      }),
    ];
    const order = calls
      .map((call, i) => ({ call, at: (i * 7 + round * 5) % calls.length }))
      .sort((a, b) => a.at - b.at);
    await Promise.all(order.map(({ call }) => call()));
    await expectSound(stackKey);
  }
});

test("a batch against the forced deletion of its stack, 20 times: each deployment ends once", async () => {
  for (let round = 0; round < 20; round++) {
    const { stackKey, ids } = await busyStack(4);
    const subject = { ...ACTOR, orgId: org.orgId, tokenId: null };
    const [answers] = await Promise.all([
      many(round, ids, round % 2 === 0 ? "cancel" : "skip"),
      deleteStack(any(round + 1), subject, stackKey, true),
    ]);
    for (const answer of answers.values()) expect(["done", "conflict"]).toContain(answer.outcome);
    const live = await database.sql`select id from deployments where stack_key = ${stackKey} and completed_at is null`;
    expect(live).toEqual([]);
    await expectSound(stackKey);
  }
});
