/**
 * Decisions about many deployments at once: one transaction, and for each what its own would have done
 * (docs/rules/deployments.md#bulk-decisions).
 */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BatchKind } from "../../src/core/deployments/endTogether.ts";
import { submitBatch } from "../../src/core/deployments/submitBatch.ts";
import { carryOutBatch } from "../../src/core/deployments/transitions/decideMany.ts";
import { connect } from "../../src/platform/db/client.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { HOLDERS, type MixedStack, mixedStack, trace } from "../support/bulk.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import {
  ACTOR,
  create,
  decide,
  makeOrg,
  makeStack,
  statuses,
  type TestOrg,
  type TestService,
  testService,
} from "../support/fixtures.ts";
import { waitFor } from "../support/waitFor.ts";

let database: TestDatabase;
let service: TestService;
let org: TestOrg;
beforeAll(async () => {
  database = await freshDatabase();
  service = testService(database);
  org = await makeOrg(database);
});
afterAll(() => database.close());

/** Stands where the workflow is: carries the batch out at once. */
const atOnce = { decideMany: (batchId: string) => carryOutBatch(service, batchId) };
const away = { decideMany: () => Promise.reject(new Error("Temporal is away")) };

function submit(
  ids: readonly string[],
  kind: BatchKind,
  sender: Parameters<typeof submitBatch>[1] = atOnce,
  deadlineMs = 10_000,
) {
  return submitBatch(service, sender, { orgId: org.orgId, deploymentIds: ids, kind, actor: ACTOR }, deadlineMs);
}

/** A stack whose first deployment holds the lane while `count` queue. */
async function queue(count: number): Promise<{ stackKey: string; holder: string; queued: string[] }> {
  const stackKey = await makeStack(database, org.orgId);
  const holder = await create(service, stackKey);
  const queued: string[] = [];
  for (let i = 0; i < count; i++) queued.push(await create(service, stackKey));
  return { stackKey, holder, queued };
}

const promotions = (stackKey: string) =>
  database.sql`select deployment_id from domain_events where stack_key = ${stackKey} and name = 'deployment_promoted'`;

describe.each(["cancel", "skip"] as const)("%s", (kind) => {
  /** The queue first and the lane's holder last, as whoever decides about one after the other would. */
  const inTurn = ({ ids }: MixedStack) => {
    const queued = ["queued", "prioritized", "awake"];
    const names = Object.keys(ids).filter((name) => name !== "holder" && !queued.includes(name));
    return [...queued, ...names, "holder"].map((name) => ids[name] as string);
  };

  it.each(HOLDERS)("leaves what one decision for each would leave, with a holder that is %s", async (holder) => {
    const single = await mixedStack(database, service, org, holder);
    for (const id of inTurn(single)) await decide(service, database, id, kind);
    const expected = await trace(database, service, single);
    const many = await mixedStack(database, service, org, holder);
    await submit(Object.values(many.ids), kind);
    expect(await trace(database, service, many)).toEqual(expected);
  });

  it.each(HOLDERS)("of the queue alone leaves the lane to its holder that is %s", async (holder) => {
    const { ids, stackKey } = await mixedStack(database, service, org, holder);
    const before = (await promotions(stackKey)).length;
    const answers = await submit([ids.queued, ids.awake, ids.prioritized] as string[], kind);
    expect([...answers.values()].map(({ outcome }) => outcome)).toEqual(["done", "done", "done"]);
    expect(await promotions(stackKey)).toHaveLength(before);
    expect((await statuses(database, ids.holder as string)).row.completed_at).toBeNull();
  });
});

it("gives a lane that it frees to the first that it leaves", async () => {
  const { stackKey, holder, queued } = await queue(5);
  const left = queued[3] as string;
  await submit([holder, ...queued.filter((id) => id !== left)], "cancel");
  expect((await statuses(database, left)).deployment).toBe("pending");
  expect((await promotions(stackKey)).map((row) => row.deployment_id)).toEqual([holder, left]);
});

describe("one hundred", () => {
  it("cost the same statements as one, in one transaction", async () => {
    const counts: number[] = [];
    for (const size of [1, 10, 100]) {
      const { queued } = await queue(size);
      const { result, statements } = await countStatements(() => submit(queued, "cancel"));
      expect([...result.values()].every(({ outcome }) => outcome === "done")).toBe(true);
      expect(statements.filter((text) => /lock_lanes/.test(text))).toHaveLength(1);
      counts.push(statements.length);
    }
    expect(new Set(counts)).toEqual(new Set([counts[0]]));
    expect(counts[0]).toBeLessThanOrEqual(8);
  });

  it("are told of without a workflow task: each workflow sleeps, and is ended in its organization's turn", async () => {
    const { queued } = await queue(100);
    service.sent.length = 0;
    await submit(queued, "skip");
    expect(service.sent.map(({ kind }) => kind)).toEqual(Array(100).fill("endDeployment"));
    const rows =
      await database.sql`select class, count(*)::int as n from outbox where message ->> 'kind' = 'endDeployment'
      and (message ->> 'deploymentId')::uuid = any(${queued}::uuid[]) group by class`;
    expect(rows).toEqual([{ class: 2, n: 100 }]);
  });
});

describe("a batch's answers", () => {
  it("are stored once: a repeat changes nothing and tells the same", async () => {
    const { holder, queued } = await queue(3);
    await decide(service, database, queued[0] as string, "skip");
    const batches: string[] = [];
    const sender = {
      decideMany(id: string) {
        batches.push(id);
        return carryOutBatch(service, id, { carrier: holder });
      },
    };
    const answers = await submit([holder, ...queued], "cancel", sender);
    const [batch] = batches as [string];
    const rows = () => database.sql`select * from decisions where batch = ${batch} order by id`;
    const before = await rows();
    expect(await carryOutBatch(service, batch, { carrier: queued[1] as string })).toEqual({
      done: 3,
      conflict: 1,
      expired: 0,
    });
    expect(await rows()).toEqual(before);
    expect(answers.get(queued[0] as string)).toMatchObject({
      outcome: "conflict",
      code: "invalid_transition",
      status: 409,
    });
    for (const id of [holder, queued[1], queued[2]]) {
      expect(answers.get(id as string)).toEqual({ outcome: "done", deployment_status: "cancelled" });
      expect((await statuses(database, id as string)).events).toEqual(["created", "cancellation_requested"]);
    }
  });

  it("name the batch, and each is a decision like any other", async () => {
    const { queued } = await queue(2);
    await submit(queued, "cancel");
    const rows = await database.sql`select * from decisions where deployment_id = any(${queued}::uuid[])`;
    expect(new Set(rows.map((row) => row.batch))).toHaveProperty("size", 1);
    for (const row of rows) {
      expect(row).toMatchObject({ kind: "cancel", principal_id: ACTOR.id, principal_kind: ACTOR.kind, arguments: {} });
      expect(row.answer.deployment).toMatchObject({ id: row.deployment_id, status: "cancelled", org_id: org.orgId });
      expect(row.expires_at.getTime() - row.created_at.getTime()).toBe(10_000);
    }
  });

  it("of what has ended need no workflow, also while none can be asked; the rest is not done", async () => {
    const { holder, queued } = await queue(2);
    const [ended, live] = queued as [string, string];
    await decide(service, database, ended, "skip");
    const answers = await submit([live, ended, holder], "cancel", away);
    expect(answers.get(ended)).toMatchObject({ outcome: "conflict", status: 409 });
    expect([answers.get(live), answers.get(holder)]).toEqual([{ outcome: "expired" }, { outcome: "expired" }]);
    expect((await statuses(database, live)).deployment).toBe("queued");
    const none = { decideMany: () => Promise.reject(new Error("was asked")) };
    expect((await submit([ended], "skip", none)).get(ended)).toMatchObject({ outcome: "conflict" });
  });

  it("that were given as not done stay so, whoever comes later", async () => {
    const { holder, queued } = await queue(2);
    const batches: string[] = [];
    await submit([holder, ...queued], "cancel", { decideMany: async (id) => batches.push(id) });
    expect(await carryOutBatch(service, batches[0] as string)).toEqual({ done: 0, conflict: 0, expired: 3 });
    expect((await statuses(database, holder)).deployment).toBe("pending");
  });

  it("say that it has expired, by the database's clock", async () => {
    const { queued } = await queue(2);
    const late = {
      async decideMany(id: string) {
        await database.sql`update decisions set expires_at = svc_now() where batch = ${id}`;
        expect(await carryOutBatch(service, id)).toEqual({ done: 0, conflict: 0, expired: 2 });
      },
    };
    for (const answer of (await submit(queued, "skip", late)).values()) expect(answer).toEqual({ outcome: "expired" });
    expect((await statuses(database, queued[0] as string)).deployment).toBe("queued");
  });

  it("are waited for while a transition holds the rows", async () => {
    const { holder, queued } = await queue(3);
    const other = connect(database.url, { max: 2, name: "other" });
    const blocked = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const holding = database.sql.begin(async (tx) => {
      await tx`select 1 from stacks s join deployments d using (stack_key) where d.id = ${holder} for update of s`;
      blocked.resolve();
      await released.promise;
    });
    await blocked.promise;
    let carried: Promise<unknown> | undefined;
    const slow = {
      async decideMany(id: string) {
        carried = carryOutBatch({ ...service, db: other }, id);
        await waitFor(async () => (await waiting("lock_lanes")) > 0, { what: "the transition to wait for the stack" });
      },
    };
    const answers = submit([holder, ...queued], "cancel", slow);
    await waitFor(async () => (await waiting("for no key update")) > 0, {
      what: "whoever closes to wait for the rows",
    });
    released.resolve();
    await holding;
    for (const answer of (await answers).values()) expect(answer).toMatchObject({ outcome: "done" });
    await carried;
    await other.$client.end();
  });

  const waiting = async (statement: string): Promise<number> => {
    const [row] = await database.sql`select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like ${`%${statement}%`}`;
    return row?.n;
  };
});

it("finds nothing in a batch that is not there", async () => {
  expect(await carryOutBatch(service, randomUUID())).toEqual({ done: 0, conflict: 0, expired: 0 });
});
