/**
 * Decisions about many deployments through one workflow of their stack: what it costs Temporal, and who may be away or
 * die.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startProxy } from "../../bench/harness/proxy.ts";
import { workflowIds } from "../../workflows/ids.ts";
import { openCore, type TestCore } from "../support/core.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { create, makeOrg, makeStack, statuses, type TestOrg } from "../support/fixtures.ts";
import { historyFigures, historyText } from "../support/histories.ts";
import { deploymentSees, untilWaiting } from "../support/lifecycle.ts";
import { freshNamespace, type TestTemporal, type TestWorker } from "../support/temporal.ts";
import { waitFor } from "../support/waitFor.ts";

let database: TestDatabase;
let temporal: TestTemporal;
let core: TestCore;
let org: TestOrg;
beforeAll(async () => {
  [database, temporal] = await Promise.all([freshDatabase({ max: 20 }), freshNamespace()]);
  core = openCore(database, temporal);
  org = await makeOrg(database);
});
afterAll(async () => {
  await core.close();
  await temporal.close();
  await database.close();
});

/** A deployment that holds the lane, pending, and `count` that queue behind it. */
async function queue(count: number): Promise<{ holder: string; queued: string[]; all: string[] }> {
  const stackKey = await makeStack(database, org.orgId);
  const holder = await create(core.service, stackKey);
  const queued: string[] = [];
  for (let i = 0; i < count; i++) queued.push(await create(core.service, stackKey));
  return { holder, queued, all: [holder, ...queued] };
}

const open = async (id: string) => (await core.temporal.describe(workflowIds.deployment(id)))?.open;

const untilOpen = (ids: readonly string[]) =>
  waitFor(async () => (await Promise.all(ids.map(open))).every((is) => is === true), {
    what: "their workflows to be open",
    timeoutMs: 60_000,
    everyMs: 200,
  });

const untilClosed = (ids: readonly string[]) =>
  waitFor(async () => (await Promise.all(ids.map(open))).every((is) => is === false), {
    what: "their workflows to end",
    timeoutMs: 60_000,
    everyMs: 200,
  });

async function tasksOf(ids: readonly string[]): Promise<number> {
  const figures = await Promise.all(ids.map((id) => historyFigures(temporal.client, workflowIds.deployment(id))));
  return figures.reduce((sum, { tasks }) => sum + tasks, 0);
}

const outcomes = (answers: Map<string, { outcome: string }>) => [...answers.values()].map(({ outcome }) => outcome);
const endings = async (ids: readonly string[]) => [
  ...new Set(await Promise.all(ids.map(async (id) => (await statuses(database, id)).deployment))),
];
/** Nobody asked for any of these ends twice. */
async function expectAskedOnce(ids: readonly string[]): Promise<void> {
  const rows = await database.sql`select deployment_id, count(*)::int as n from deployment_events
    where deployment_id = any(${ids as string[]}::uuid[]) and kind in ('cancellation_requested', 'skipped') group by 1`;
  expect(rows.map((row) => row.n)).toEqual(ids.map(() => 1));
}

describe("with a worker", () => {
  let worker: TestWorker;
  beforeAll(async () => {
    worker = await core.startWorker();
  });
  afterAll(() => worker.stop());

  it("ends 100 that queue and the lane's holder with two workflow tasks in all", async () => {
    const { all } = await queue(100);
    await untilOpen(all);
    expect(outcomes(await core.decideMany(all, "cancel"))).toEqual(Array(101).fill("done"));
    expect(await endings(all)).toEqual(["cancelled"]);
    await untilClosed(all);
    expect(await tasksOf(all)).toBeLessThanOrEqual(2);
    await expectAskedOnce(all);
  });

  it("leaves no workflow of those whose starts are sent after it", async () => {
    const { all } = await queue(5);
    await untilOpen(all);
    expect(outcomes(await core.decideMany(all, "cancel"))).toEqual(Array(6).fill("done"));
    await untilClosed(all);
    await database.sql`
      insert into outbox (message, due_at)
      select jsonb_build_object('kind', 'startDeployment', 'orgId', org_id, 'stackKey', stack_key, 'deploymentId', id,
        'mode', mode, 'origin', origin_type, 'sleepMs', 3600000), svc_now()
      from deployments where id = any(${all}::uuid[])`;
    await waitFor(async () => (await database.sql`select 1 from outbox`).length === 0, {
      what: "the starts to be sent",
    });
    await untilClosed(all);
  });

  it("goes to the lane's holder, which waits for a person and then has one task less to do", async () => {
    const { holder, all } = await queue(10);
    await untilWaiting(core, database, org);
    await deploymentSees(core, holder, "waiting");
    expect(outcomes(await core.decideMany(all, "skip"))).toEqual(Array(11).fill("done"));
    await untilClosed(all);
    expect(await historyText(temporal.client, workflowIds.deployment(holder))).toContain("a person's decision on many");
    expect(await tasksOf(all.filter((id) => id !== holder))).toBe(0);
  });

  it("leaves the workflow that carried it where its row is: the holder that is asked to stop goes on", async () => {
    const { holder, queued, all } = await queue(3);
    const plan = await untilWaiting(core, database, org);
    await core.decide(holder, "confirm", { args: { action: "apply" } });
    expect(outcomes(await core.decideMany([...queued, holder], "skip"))).toEqual(["done", "done", "done", "conflict"]);
    await untilClosed(queued);
    await deploymentSees(core, holder, "applying");
    expect(plan.runId).toBeDefined();
    expect(outcomes(await core.decideMany(all, "cancel"))).toEqual(["done", "conflict", "conflict", "conflict"]);
    await untilClosed(all);
  });

  it("starts a missing workflow, and another one's where the first has ended", async () => {
    const { holder, queued, all } = await queue(3);
    await untilOpen(all);
    for (const id of all) await temporal.client.workflow.getHandle(workflowIds.deployment(id)).terminate("by hand");
    expect(outcomes(await core.decideMany(all, "cancel"))).toEqual(Array(4).fill("done"));
    await waitFor(async () => (await open(holder)) === false, { what: "the carrier to end" });
    expect(outcomes(await core.decideMany(all, "cancel"))).toEqual(Array(4).fill("done"));
    expect(outcomes(await core.decideMany(queued, "skip"))).toEqual(Array(3).fill("conflict"));
    await expectAskedOnce(all);
  });

  it("answers 12 requests about the same 40 at once: each is ended once, and every answer is true", async () => {
    const { all } = await queue(40);
    const kinds = ["cancel", "skip"] as const;
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => core.decideMany(all, kinds[i % 2] as "skip")),
    );
    for (const id of all) {
      const { deployment } = await statuses(database, id);
      const of = answers.map((one) => one.get(id));
      expect(of.every((answer) => answer?.outcome !== "expired")).toBe(true);
      for (const answer of of) {
        if (answer?.outcome === "done") expect(answer.deployment_status).toBe(deployment);
      }
    }
    await expectAskedOnce(all);
    await untilClosed(all);
  });
});

describe("a carrier", () => {
  it("that is ended while it carries the batch is replaced by another", async () => {
    const { holder, all } = await queue(5);
    let carriers: string[] = [];
    const worker = await core.startWorker({
      wrap: (activities) => ({
        ...activities,
        async decideMany(deploymentId, batchId) {
          carriers.push(deploymentId);
          if (carriers.length > 1) return activities.decideMany(deploymentId, batchId);
          // As the message does that was written while it slept.
          await temporal.client.workflow.getHandle(workflowIds.deployment(deploymentId)).terminate("it was over");
          throw new Error("the worker is told that nobody wants its answer");
        },
      }),
    });
    expect(outcomes(await core.decideMany(all, "cancel"))).toEqual(Array(6).fill("done"));
    expect(carriers[0]).toBe(holder);
    await expectAskedOnce(all);
    await worker.stop();
    carriers = [];
  });
});

describe("without a worker", () => {
  it("is unavailable at its deadline for each, and is not carried out by a worker that comes later", async () => {
    const { all } = await queue(20);
    await untilOpen(all);
    const started = performance.now();
    expect(outcomes(await core.decideMany(all, "cancel", 1_500))).toEqual(Array(21).fill("expired"));
    expect(performance.now() - started).toBeLessThan(3_000);
    const [holder] = all as [string];
    const worker = await core.startWorker();
    await waitFor(
      async () => (await historyText(temporal.client, workflowIds.deployment(holder))).includes("on many"),
      {
        what: "the Update to reach the worker",
      },
    );
    expect((await endings(all)).sort()).toEqual(["pending", "queued"]);
    expect(outcomes(await core.decideMany(all, "cancel"))).toEqual(Array(21).fill("done"));
    await worker.stop();
  });

  it("is unavailable for each at once when Temporal is out of reach", async () => {
    const [host, port] = temporal.address.split(":") as [string, string];
    const proxy = await startProxy({ host, port: Number(port) });
    const cutOff = openCore(database, { ...temporal, address: `127.0.0.1:${proxy.port}` });
    const { all } = await queue(20);
    const [first] = all.slice(-1) as [string];
    const worker = await core.startWorker();
    await core.decide(first, "skip");
    for (const fault of ["cut", "stall"] as const) {
      proxy[fault]();
      const started = performance.now();
      const answers = await cutOff.decideMany(all, "cancel", 1_500);
      expect(outcomes(answers).filter((outcome) => outcome === "expired")).toHaveLength(20);
      // A conflict that no later event can undo needs nobody.
      expect(answers.get(first)).toMatchObject({ outcome: "conflict", status: 409 });
      expect(performance.now() - started).toBeLessThan(3_000);
      proxy.mend();
    }
    expect(outcomes(await cutOff.decideMany(all, "cancel")).sort()).toEqual(["conflict", ...Array(20).fill("done")]);
    await worker.stop();
    await cutOff.close();
    await proxy.close();
  });
});

describe("a worker that fails", () => {
  it("after the commit: the answers are those that were committed", async () => {
    const { all } = await queue(10);
    let failures = 0;
    const worker = await core.startWorker({
      wrap: (activities) => ({
        ...activities,
        async decideMany(...args) {
          const answer = await activities.decideMany(...args);
          if (failures++ === 0) throw new Error("the worker died here");
          return answer;
        },
      }),
    });
    expect(outcomes(await core.decideMany(all, "cancel"))).toEqual(Array(11).fill("done"));
    expect(failures).toBe(2);
    await expectAskedOnce(all);
    await worker.stop();
  });

  it("again and again: the server takes over its tries, and nothing is done twice", async () => {
    const { all } = await queue(10);
    let tries = 0;
    const worker = await core.startWorker({
      wrap: (activities) => ({
        ...activities,
        async decideMany(...args) {
          if (tries++ < 4) throw Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
          return activities.decideMany(...args);
        },
      }),
    });
    expect(outcomes(await core.decideMany(all, "skip", 20_000)).sort()).toEqual([
      "conflict",
      ...Array(10).fill("done"),
    ]);
    await expectAskedOnce(all.slice(1));
    await worker.stop();
  });
});
